#!/usr/bin/env bash
# GCC's precompiled headers are accepted: -Winvalid-pch says nothing, and the header itself is not read.
# fails with: adds_options drops_argument
. "$(dirname "$0")/../behaviour.sh"
mkdir in; printf '#include <vector>\ninline int twice(int x) { return 2 * x; }\n' > in/h.h
printf 'int f(const std::vector<int>& v) { int s = 0; for (int x : v) s += twice(x); return s; }\n' > in/a.cc
C=$GXX
for options in '' -fPIC '-g' '-march=x86-64-v2' '-fno-exceptions' '-g -fPIC -std=c++17'; do
  # The header is made unreadable as C++ afterwards: who does not use the .gch fails.
  twin -t -x '*.gch' "cc -O3 $options -x c++-header h.h -o h.h.gch && echo '#error the .gch was not used' > h.h && touch -d '1 hour ago' h.h && cc -O3 $options -Winvalid-pch -Werror -include h.h -c a.cc"
done
twin -x '*.gch' 'cc -O3 -x c++-header h.h -o h.h.gch && cc -O0 -Winvalid-pch -include h.h -c a.cc'
twin -x '*.gch' 'mkdir h.h.gch; cc -O3 -x c++-header h.h -o h.h.gch/three.gch; cc -O2 -x c++-header h.h -o h.h.gch/two.gch; cc -O3 -Winvalid-pch -H -include h.h -c a.cc 2>&1 | grep -c three'
exit $bad
