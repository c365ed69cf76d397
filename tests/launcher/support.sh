# Sourced by every launcher case. usage of a case: CASE.sh [LAUNCHER]
#   exit 0 = right, 1 = wrong (says what), 77 = cannot run here
# CASE_FIRST_WRONG=1 ends at the first mistake.
# CASE_CLANG / CASE_GCC pick other compilers; HONE_TEST_BIN holds compile_policy (default: where the
# launcher is), HONE_TEST_FAULTY the plugin that fails on demand (default: ../tests/faulty from there).
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
default=$here/../../build/dev/bin/hone-cc
L=$(realpath "${1:-$default}") || exit 77
BIN=${HONE_TEST_BIN:-$(dirname "$L")}
FAULTY=${HONE_TEST_FAULTY:-$(dirname "$BIN")/tests/faulty}
CLANG=${CASE_CLANG:-clang++-19} CLANGC=${CASE_CLANGC:-clang-19} GXX=${CASE_GCC:-g++}
for program in "$CLANG" "$CLANGC" "$GXX" "$L" "$BIN/compile_policy"; do
  command -v "$program" >/dev/null || { echo "SKIP: no $program"; exit 77; }
done
W=$(mktemp -d) || exit 77
trap 'cd /; rm -rf "$W"' EXIT
cd "$W" || exit 77
unset HONE_POLICY HONE_ROOT HONE_STATE_DIR HONE_ON_FAILURE HONE_PLUGIN_DIR HONE_TEST_FORCE_PLUGIN
unset DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES CCC_OVERRIDE_OPTIONS

bad=0
no() { printf 'WRONG: %s\n' "$*"; bad=1; [ -z "${CASE_FIRST_WRONG:-}" ] || exit 1; }
# Runs a command, keeping its output in NAME.out, NAME.err and NAME.rc.
cap() { local n=$1; shift; "$@" >"$n.out" 2>"$n.err"; echo $? >"$n.rc"; }
same() { cmp -s "$1" "$2" || no "$3 (differs from the plain compiler)"; }
differ() { ! cmp -s "$1" "$2" || no "$3 (the same as the plain compiler's)"; }
quiet() { [ ! -s "$1" ] || no "$2: unexpected output: $(head -c 300 "$1")"; }
code() { [ "$(cat "$1.rc")" = "$2" ] || no "$3: exit $(cat "$1.rc"), want $2: $(head -c 300 "$1.err")"; }
names() { (cd "$1" && ls -A | LC_ALL=C sort | tr '\n' ' '); }

# A pipeline that shows in the object: no unrolling, no vectoriser.
PIPELINE='function(sroa,early-cse,simplifycfg),cgscc(inline),function(sroa,gvn,simplifycfg,instcombine<no-verify-fixpoint>)'
export HONE_STATE_DIR=$W/state HONE_ROOT=$W
# policy RULE...: rules as JSON objects; what is missing in one is filled in by the reader.
policy() { policy_with '' "$@"; }
# For another compiler than clang 19: COMPILER_FAMILY, COMPILER_MAJOR.
# policy_with '"key":value,' RULE...: with more keys of the document.
policy_with() {
  local more=$1 rules='' rule; shift
  for rule in "$@"; do rules=$rules${rules:+,}$rule; done
  printf '{"format":1,"target":"t","sequence":1,%s"compiler":{"family":"%s","major":%d},"rules":[%s]}' \
    "$more" "${COMPILER_FAMILY:-clang}" "${COMPILER_MAJOR:-19}" "$rules" > policy.json
  "$BIN/compile_policy" policy.json policy.idx || { no "the policy was refused"; exit 1; }
  export HONE_POLICY=$W/policy.idx
}
tune_all() { policy "{\"source\":\"*\",\"pipeline\":\"$PIPELINE\"}"; }
# The launcher without any setting.
plain_launcher() { env -u HONE_POLICY "$L" "$@"; }
last() { tail -n 1 state/compiles.ndjson 2>/dev/null; }
# logged TEXT WHAT: the last line of the log holds TEXT.
logged() { case "$(last)" in *"$1"*) ;; *) no "$2: logged $(last), want $1";; esac; }
lines() { if [ -e state/compiles.ndjson ]; then wc -l < state/compiles.ndjson; else echo 0; fi; }

# Code on which the pipelines show.
loop_source() {
  cat <<'S'
#include <vector>
int sum(const std::vector<int>& v) { int s = 0; for (int x : v) s += x * x; return s; }
S
}
# faulty KIND: the plugin that fails in that way (see faulty_plugin.cc).
faulty() {
  [ -e "$FAULTY/libhone_pass-19.so" ] || { echo "SKIP: no faulty plugin in $FAULTY"; exit 77; }
  export HONE_PLUGIN_DIR=$FAULTY HONE_TEST_FAULT=$1
}
