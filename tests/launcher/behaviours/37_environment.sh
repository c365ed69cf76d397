#!/usr/bin/env bash
# The whole environment reaches the compiler, and what it says is done.
# fails with: clears_environment drops_variables
. "$(dirname "$0")/../behaviour.sh"
mkdir -p in/inc; printf '#include <fromenv.h>\nconst char* date = __DATE__;\nint f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += V; return s; }\n' > in/a.cc
echo '#define V 7' > in/inc/fromenv.h; mkdir in/broken; echo '#error not this one' > in/broken/fromenv.h
twins -t <<'LINES'
CPATH=inc cc -O3 -c a.cc
CPLUS_INCLUDE_PATH=inc cc -O3 -MD -c a.cc
CPATH=inc SOURCE_DATE_EPOCH=1000000000 cc -O3 -c a.cc; strings -a a.o | grep -c "Sep  9 2001"
CPATH=inc LC_ALL=C LANG=de_DE.UTF-8 cc -O3 -c a.cc
CPATH=inc TMPDIR=. cc -O3 -c a.cc
CPATH=inc ODD=$'a\nb=c' EMPTY= cc -O3 -c a.cc
CPATH=inc env -- 'odd name=1' "${CC[@]}" -O3 -c a.cc
LINES
twins <<'LINES'
CPATH=broken cc -O3 -c a.cc
cc -O3 -c a.cc
CPATH=inc SOURCE_DATE_EPOCH=nonsense cc -O3 -c a.cc
CPATH=inc SUNPRO_DEPENDENCIES="sun.d target" cc -O3 -c a.cc
CPATH=inc DEPENDENCIES_OUTPUT="env.d target" cc -O3 -c a.cc
CPATH=inc DEPENDENCIES_OUTPUT=env.d cc -O3 -c a.cc -o b.o
CPATH=inc COMPILER_PATH=/nonexistent GCC_EXEC_PREFIX= cc -O3 -c a.cc
LINES
C=$CLANG
twin -p 'CPATH=inc CCC_OVERRIDE_OPTIONS="# O0" cc -O3 -c a.cc'
twin -p 'CPATH=inc CCC_OVERRIDE_OPTIONS="+-DEXTRA" cc -O3 -c a.cc'
twin -p 'CPATH=inc CC_PRINT_HEADERS=1 CC_PRINT_HEADERS_FILE=h.txt cc -O3 -c a.cc'
C=$GXX; twin -p 'CPATH=inc GCC_COMPARE_DEBUG= cc -O3 -c a.cc'
# Every variable, byte for byte, as the compiler itself gets it.
for name in clang++ g++; do real=$(command -v $([ $name = g++ ] && echo "$GXX" || echo "$CLANG"))
  printf '#!/bin/bash\n[ "$1" = --version ] || tr "\\0" "\\n" < /proc/self/environ | grep -vaE "^(_|SHLVL|HONE_[A-Z_]*|LLVM_DISABLE_SYMBOLIZATION)=" | LC_ALL=C sort > env.txt\nexec "%s" "$@"\n' "$real" > $name; chmod +x $name
  for who in p q; do run=(./$name); [ $who = p ] || run=("$L" ./$name)
    env -i PATH="$PATH" CPATH=in/inc A=$'x\xff y' B= LD_LIBRARY_PATH=/nonexistent PS4=+ "${run[@]}" -O3 -c in/a.cc -o $who.o || no "$name $who"; mv env.txt $who.env; done
  same p.env q.env "$name: environment"
done
exit $bad
