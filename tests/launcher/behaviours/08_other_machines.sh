#!/usr/bin/env bash
# Compiles for other machines, and Apple's -arch, pass through: by options, by the name that clang is
# called by, by what a wrapper adds.
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
mkdir bin; export PATH=$W/case/bin:$PATH
clang=$(command -v "$CLANG") gxx=$(command -v "$GXX")
for name in aarch64-linux-gnu-{gcc,g++,cc,clang++} aarch64-clang++ i686-linux-gnu-g++ riscv64-unknown-elf-c++; do
  ln -s "$clang" bin/$name
  for C in $name "$W/case/bin/$name"; do twin -p 'cc -O3 -c a.cc'; twin -p 'cc -O3 -c a.cc'; done
done
wrapper() { printf '#!/bin/sh\nexec %s "$@"\n' "$2" > "bin/$1"; chmod +x "bin/$1"; }
wrapper clang++ "$clang --target=aarch64-linux-gnu"
wrapper clang-for-32 "$clang -m32"
wrapper g++-for-32 "$gxx -m32"
wrapper g++ "$gxx -mx32"
wrapper g++-12 "$gxx -m16"
for C in clang++ clang-for-32 g++-for-32 g++ g++-12; do twin -p 'cc -O3 -c a.cc'; twin -p 'cc -O3 -c a.cc'; done
# Names with dashes that mean this machine or nothing.
if [ "$(uname -m)" = x86_64 ]; then
  for name in x86_64-linux-gnu-clang++ my-own-clang++ clang++-19; do ln -s "$clang" bin/$name; C=$name; twin -t 'cc -O3 -c a.cc'; done
  wrapper g++-wrapped "$gxx"; C=g++-wrapped; twin -t 'cc -O3 -c a.cc'
fi
exit $bad
