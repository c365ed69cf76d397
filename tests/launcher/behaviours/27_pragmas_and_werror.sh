#!/usr/bin/env bash
# Clean code stays clean under -Werror, and what a warning of the optimiser makes an error stays one.
# fails with: forces_decision adds_options never_falls_back
. "$(dirname "$0")/../behaviour.sh"
mkdir in
cat > in/pragmas.cc <<'E'
void axpy(float* __restrict y, const float* __restrict x, float a, int n) {
#pragma clang loop vectorize(enable) interleave(enable)
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
int unrolled(const int* p) { int s = 0;
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; ++i) s += p[i]; return s; }
int width(const int* p, int n) { int s = 0;
#pragma omp simd reduction(+ : s)
  for (int i = 0; i < n; ++i) s += p[i]; return s; }
E
cat > in/cannot.cc <<'E'
int f(int* p, int n) { int s = 0;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; ++i) { if (p[i] < 0) return i; p[s & 7] = i; s = s * 31 + p[i]; } return s; }
E
printf 'extern void never() __attribute__((error("not optimised away")));\nint f() { int y = 0; for (int i = 0; i < 4; ++i) y += i; if (y != 6) never(); return y; }\n' > in/folded.cc
printf 'extern void old() __attribute__((warning("an old function")));\nint f(int x) { old(); return x; }\n' > in/attribute.cc
printf 'void use(char*);\nint f() { char big[4000]; use(big); return big[3]; }\n' > in/frame.cc
printf '__attribute__((always_inline)) inline int deep(int x) { return x + 1; }\nint f(int x) { return deep(deep(x)); }\n' > in/inline.cc
twins <<'LINES'
cc -O3 -Wall -Wextra -Werror -Wno-unknown-pragmas -fopenmp-simd -c pragmas.cc
cc -O3 -Wall -Wno-unknown-pragmas -fopenmp-simd -c pragmas.cc
cc -O3 -Werror -Wno-unknown-pragmas -c cannot.cc
cc -O3 -Wno-unknown-pragmas -c cannot.cc
cc -O3 -c folded.cc
cc -O3 -Werror -c folded.cc
cc -O3 -c attribute.cc
cc -O3 -Werror -c attribute.cc
cc -O3 -Wframe-larger-than=100 -c frame.cc
cc -O3 -Wframe-larger-than=100 -Werror -c frame.cc
cc -O3 -Winline -Werror -c inline.cc
LINES
# Asked for by name: a pipeline of ours could make it vanish. (More than inlining leaves on a stack.)
printf 'void use(int*);\nstatic void one(int n) { int a[50]; a[n] = n; use(a); }\nvoid f(int n) { one(n); one(n + 1); one(n + 2); }\n' > in/stack.cc
C=$CLANG
twins -p <<'LINES'
cc -O3 -Wframe-larger-than=400 -c stack.cc
cc -O3 -Werror -Wframe-larger-than=400 -c stack.cc
cc -O3 -Werror=frame-larger-than=400 -c stack.cc
LINES
twin -p 'cc -O3 -Werror=attribute-warning -c attribute.cc'; twin -p 'cc -O3 -Xclang -Wpass-failed -c pragmas.cc -Wno-unknown-pragmas'
twin -p 'cc -O3 -Xclang -fwarn-stack-size=400 -c stack.cc'
twin -t 'cc -O3 -Wframe-larger-than=400 -Wno-frame-larger-than -c stack.cc'
C=$GXX
for w in -Wstack-usage=100 -Wmaybe-uninitialized -Werror=array-bounds -Wstringop-overflow=4 '-fstack-protector-strong -Wstack-protector' -Wnull-dereference; do
  twin -p "cc -O3 $w -c stack.cc"
done
printf 'int pick(int);\nint f(int k) { int r; if (k > 3) r = k * 2; if (pick(k)) return r; return 0; }\n' > in/maybe.cc
printf 'int f() { int a[4]; for (int i = 0; i <= 4; ++i) a[i] = i; return a[2]; }\n' > in/bounds.cc
for f in maybe bounds; do twin "cc -O3 -Wall -Wextra -c $f.cc"; twin "cc -O3 -Wall -Wextra -Werror -c $f.cc"; done
C=$CLANG
for flags in -Rpass=loop-vectorize -Rpass-missed=inline -Rpass-analysis=.*; do twin -p "cc -O3 $flags -Wno-unknown-pragmas -c pragmas.cc"; done
# Messages that leave out the names of warnings, so that nobody could tell which depend on passes.
twin -p 'cc -O3 -fno-diagnostics-show-option -Wno-unknown-pragmas -c pragmas.cc'
twin -p 'cc -O3 -fno-diagnostics-show-option -c attribute.cc'
twin -p 'cc -O3 -fdiagnostics-format=sarif -c attribute.cc'
for flags in -Rpass=.* -Rpass-missed=.* -fno-diagnostics-show-option; do twin -p "cc -O3 -Xclang $flags -Wno-unknown-pragmas -c pragmas.cc"; done
twin -p 'cc -O3 -Reverything -Wno-unknown-pragmas -c pragmas.cc'
C=$GXX
printf '#include <stdlib.h>\nint f(int n) { int* p = (int*)malloc(40); if (n) return 0; p[0] = n; free(p); return 1; }\n' > in/leak.c
for flags in '-Wall -fno-diagnostics-show-option' '-Wall -fdiagnostics-format=json' -fanalyzer; do
  twin -p "cc -O3 $flags -c maybe.cc"; twin -p "cc -O3 $flags -x c -c leak.c"
done
exit $bad
