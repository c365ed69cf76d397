#!/usr/bin/env bash
# CUDA, HIP, OpenCL, Objective-C and OpenMP offloading: several compiles in one call, left alone.
# fails with: drops_argument forces_decision
. "$(dirname "$0")/../behaviour.sh"
mkdir in; echo '__attribute__((global)) void k(int* p) { *p = 3; }' > in/k.cu; cp in/k.cu in/k.hip; cp in/k.cu in/k.cc
echo 'kernel void add(global float* a) { a[0] = 1.0f; }' > in/k.cl; echo 'int f(void) { return 4; }' > in/o.m; cp in/o.m in/o.mm; cp in/o.m in/o.c
C=$CLANGC
twins_clang() { while IFS= read -r line; do twin -p "$line"; done; }
twins_clang <<'LINES'
cc -O3 --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -S k.cu -o k.s
cc -O3 -x cuda --cuda-host-only -nocudainc -nocudalib -c k.cc -o k.o
cc -O3 -x hip --cuda-host-only -nogpuinc -nogpulib -c k.cc -o k.o
cc -O3 -xcuda --cuda-host-only -nocudainc -nocudalib -c k.cc -o k.o
cc -O3 -x hip --offload-device-only --offload-arch=gfx906 -nogpuinc -nogpulib -S k.hip -o k.s
cc -O3 -cl-std=CL2.0 -target spir64-unknown-unknown -emit-llvm -c k.cl -o k.bc
cc -O3 -x cl -target amdgcn-amd-amdhsa -nogpulib -c k.cl -o k.o
cc -O3 -c o.m
cc -O3 -x objective-c -c o.c
cc -O3 -ObjC -c o.c
cc -O3 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fopenmp-host-ir-file-path=x -c o.c
cc -O3 -x c-header o.c -o o.pch
LINES
C=$CLANG; twin -t 'echo "int f(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }" > a.cc; cc -O3 -x cuda -x c++ -c a.cc'
exit $bad
