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
C=$GXX
printf 'int pick(int);\nint f(int k) { int r; if (k > 3) r = k * 2; if (pick(k)) return r; return 0; }\n' > in/maybe.cc
printf 'int f() { int a[4]; for (int i = 0; i <= 4; ++i) a[i] = i; return a[2]; }\n' > in/bounds.cc
for f in maybe bounds; do twin "cc -O3 -Wall -Wextra -c $f.cc"; twin "cc -O3 -Wall -Wextra -Werror -c $f.cc"; done
C=$CLANG
for flags in -Rpass=loop-vectorize -Rpass-missed=inline -Rpass-analysis=.*; do twin -p "cc -O3 $flags -Wno-unknown-pragmas -c pragmas.cc"; done
exit $bad
