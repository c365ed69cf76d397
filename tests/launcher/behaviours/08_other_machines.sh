#!/usr/bin/env bash
# Compiles for other machines, and Apple's -arch, pass through.
# fails with: drops_argument forces_decision
. "$(dirname "$0")/../behaviour.sh"
mkdir in; echo 'int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }' > in/a.c; cp in/a.c in/a.cc
twins -p <<'LINES'
cc -O3 -m32 -c a.cc
cc -O3 -mx32 -c a.cc
cc -O3 -arch x86_64 -c a.cc
cc -O3 -arch x86_64 -arch arm64 -c a.cc
cc -O3 -Xarch_host -O1 -c a.cc
LINES
C=$CLANG
for t in aarch64-linux-gnu riscv64-linux-gnu i386-linux-gnu x86_64-pc-windows-gnu x86_64-linux-gnux32 wasm32-wasi arm64-apple-darwin; do
  twin -p "cc -O3 --target=$t -c a.c -o a.o"; twin -p "cc -O3 -target $t -c a.c -o a.o"
done
twin -p 'cc -O3 -Xarch_x86_64 -DX=1 -c a.cc'; twin -p 'cc -O3 --driver-mode=cl /c a.cc'
exit $bad
