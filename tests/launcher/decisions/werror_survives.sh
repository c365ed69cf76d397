#!/usr/bin/env bash
# Warnings that only our pipeline causes break no clean -Werror build, and are not shown.
# fails with: never_falls_back only_exec
. "$(dirname "$0")/../support.sh"
cat > v.cc <<'S'
void axpy(float* __restrict y, const float* __restrict x, float a, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
S
"$CLANG" -O3 -c v.cc -o plain.o
for p in "$PIPELINE" "$PIPELINE,function(transform-warning)"; do
  policy "{\"source\":\"*\",\"pipeline\":\"$p\"}"
  for flags in '-Wall -Werror' '-Wall'; do
    rm -rf state
    cap q "$L" "$CLANG" -O3 $flags -c v.cc -o v.o
    code q 0 "$flags"; quiet q.err "$flags"; same plain.o v.o "$flags: the object"; logged '"compiled":"plain"' "$flags"
    "$L" "$CLANG" -O3 $flags -c v.cc -o v.o || no "second compile"
  done
done
# A call that only the compiler's own pipeline removes.
cat > d.cc <<'S'
extern void never() __attribute__((error("must be optimised away")));
int f(int x) { int y = 0; for (int i = 0; i < 4; ++i) y += i; if (y != 6) never(); return x; }
S
policy '{"source":"*","pipeline":"function(sroa)"}'
"$CLANG" -O3 -c d.cc -o plain.o || no "test is wrong"
cap q "$L" "$CLANG" -O3 -c d.cc -o d.o; code q 0 "error attribute"; quiet q.err "error attribute"; same plain.o d.o "d.o"
logged '"reason":"compile_error"' "error attribute"
exit $bad
