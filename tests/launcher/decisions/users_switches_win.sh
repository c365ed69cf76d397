#!/usr/bin/env bash
# What the user switches off stays off: clang's flags for passes that a pipeline names, and options
# of GCC that stand for several.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
echo 'void f(float* __restrict y, const float* __restrict x, int n) { for (int i = 0; i < n; ++i) y[i] += 2 * x[i]; }' > a.cc
echo 'int g(const int* p) { int s = 0; for (int i = 0; i < 4; ++i) s += p[i] * p[i]; return s; }' >> a.cc
# plain_with REASON COMPILER FLAGS...: the command is plain for that reason, and its object the plain one.
plain_with() {
  local reason=$1 compiler=$2; shift 2
  "$compiler" -O3 "$@" -c a.cc -o p.o || no "$compiler $*: the test is wrong"
  cap q "$L" "$compiler" -O3 "$@" -c a.cc -o q.o; code q 0 "$compiler $*"; quiet q.err "$compiler $*"
  logged "\"reason\":\"$reason\"" "$compiler $*"; same p.o q.o "$compiler $*"
}
tuned_with() { cap q "$L" "$@" -O3 -c a.cc -o q.o; code q 0 "$*"; logged '"compiled":"tuned"' "$*"; }

policy '{"source":"*","pipeline":"function(loop-mssa(loop-rotate,licm)),function(sroa,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,loop(indvars),loop-vectorize,slp-vectorizer,loop-unroll)"}'
tuned_with "$CLANG"
for off in -fno-vectorize -fno-tree-vectorize -fno-slp-vectorize -fno-tree-slp-vectorize -fno-unroll-loops '-fvectorize -fno-vectorize' '-Xclang -fno-unroll-loops'; do
  # shellcheck disable=SC2086
  plain_with knob_conflict "$CLANG" $off
done
tuned_with "$CLANG" -fno-vectorize -fvectorize; tuned_with "$CLANG" -fno-vectorize -ftree-vectorize
printf '%s\n' -fno-vectorize > rsp; plain_with knob_conflict "$CLANG" @rsp
policy '{"source":"*","pipeline":"function(sroa,simplifycfg,slp-vectorizer)"}'
tuned_with "$CLANG" -fno-vectorize; plain_with knob_conflict "$CLANG" -fno-slp-vectorize

GXX=g++-12
command -v $GXX > /dev/null || exit $bad
COMPILER_FAMILY=gcc COMPILER_MAJOR=12
policy '{"source":"*","pipeline":"default<O3>","knobs":{"ftree-loop-vectorize":"true","ftree-slp-vectorize":"true"}}'
tuned_with $GXX
plain_with knob_conflict $GXX -fno-tree-vectorize; plain_with knob_conflict $GXX -ftree-vectorize
policy '{"source":"*","pipeline":"default<O3>","knobs":{"fweb":"false"}}'
plain_with knob_conflict $GXX -funroll-loops; plain_with knob_conflict $GXX -funroll-all-loops; tuned_with $GXX -fno-tree-vectorize
policy '{"source":"*","pipeline":"default<O3>","knobs":{"funroll-loops":"true"}}'
plain_with knob_conflict $GXX -fno-unroll-all-loops
policy '{"source":"*","pipeline":"default<O3>","knobs":{"fpartial-inlining":"true"}}'
plain_with knob_conflict $GXX -fno-inline
exit $bad
