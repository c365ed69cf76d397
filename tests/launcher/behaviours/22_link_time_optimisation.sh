#!/usr/bin/env bash
# -flto objects are bitcode with what the linker needs; the back end's own compiles are left alone.
# fails with: drops_argument forces_decision
. "$(dirname "$0")/../behaviour.sh"
bcanalyzer=$(command -v llvm-bcanalyzer-19) || { echo "SKIP: no llvm-bcanalyzer-19"; exit 77; }
mkdir in; loop_source > in/a.cc; printf 'int g(int);\nint f(int x) { int s = 0; for (int i = 0; i < x; ++i) s += g(i); return s; }\n' > in/a.c
C=$CLANG
blocks="$bcanalyzer -dump a.o | grep -oE '<(GLOBALVAL_SUMMARY|FULL_LTO_GLOBALVAL_SUMMARY|STRTAB|SYMTAB)[A-Z_]*' | sort -u"
twin -t "cc -O3 -flto -c a.cc; head -c 2 a.o; $blocks"
twin -t "cc -O3 -flto=full -g -c a.cc; head -c 2 a.o; $blocks"
twin -t "cc -O3 -flto=thin -c a.cc; head -c 2 a.o; $blocks"
twin -t "cc -O3 -flto=thin -funified-lto -c a.cc; $blocks"
twin -t 'cc -O3 -flto -fno-lto -c a.cc; head -c 4 a.o | od -c'
twin -p 'cc -O3 -flto -S a.cc'
twin -p "cc -O3 -flto=thin -c a.c -o t.bc -emit-llvm; cc -O3 -x ir t.bc -c -o t.o"
twin "cc -O3 -flto=thin -c a.c -o t.o; : > t.index; cc -O3 -x ir t.o -fthinlto-index=/dev/null -c -o n.o; nm n.o"
C=$GXX
twin -n 'cc -O3 -flto -c a.cc; readelf -SW a.o | grep -c "\.gnu\.lto_\.decls"'
twin -n 'cc -O3 -flto -ffat-lto-objects -c a.cc; readelf -SW a.o | grep -c "\.gnu\.lto_\.decls"; nm a.o | grep -c "T _Z3sum"'
twin -n 'echo "int main() { return 0; }" > m.cc; cc -O3 -flto -c m.cc a.cc && cc -O3 -flto m.o a.o -o m && ./m'
exit $bad
