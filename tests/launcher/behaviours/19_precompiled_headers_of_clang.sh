#!/usr/bin/env bash
# clang's precompiled headers: made and used with or without the launcher, in every combination.
# fails with: raises_level forces_decision drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir in; printf '#pragma once\n#include <vector>\ninline int twice(int x) { return 2 * x; }\n#ifdef __OPTIMIZE__\nconst int optimised = 1;\n#endif\n' > in/h.h
echo 'int f(const std::vector<int>& v) { int s = optimised; for (int x : v) s += twice(x); return s; }' > in/a.cc
echo '/* generated */' > in/c.cxx; C=$CLANG
(cd in && "$CLANG" -O3 -x c++-header h.h -o plain.pch)
twin -p -n 'cc -O3 -x c++-header h.h -o h.pch'
twin -t -x '*.pch' 'cc -O3 -x c++-header h.h -o h.pch && cc -O3 -include-pch h.pch -c a.cc'
twin -t -x '*.pch' 'cc -O3 -x c++-header h.h -o h.h.pch && cc -O3 -include h.h -c a.cc'
twin -t -x '*.pch' 'cc -O3 -include-pch plain.pch -c a.cc'
twin -t -x '*.pch' 'cc -O3 -Winvalid-pch -Werror -Xclang -include-pch -Xclang plain.pch -c a.cc'
twin -x '*.pch' "cc -O3 -x c++-header h.h -o h.pch; '$CLANG' -O3 -include-pch h.pch -c a.cc -o other.o"
twin -x '*.pch' 'cc -O3 -x c++-header h.h -o h.pch; cc -O0 -include-pch h.pch -c a.cc 2>&1 | grep -c "__OPTIMIZE__"'
twin -x '*.pch' 'cc -O2 -x c++-header h.h -o h.pch; cc -O3 -include-pch h.pch -c a.cc'
twin -x '*.pch' 'cc -O3 -x c++-header -fpch-instantiate-templates h.h -o h.pch; cc -O3 -include-pch h.pch -c a.cc'
twin 'cc -O3 -include-pch nosuch.pch -c a.cc'
# CMake's way.
twin -t -x '*.pch' 'cc -O3 -Winvalid-pch -Xclang -emit-pch -Xclang -include -Xclang h.h -x c++-header -o c.pch -c c.cxx; cc -O3 -Winvalid-pch -Xclang -include-pch -Xclang c.pch -Xclang -include -Xclang h.h -c a.cc'
exit $bad
