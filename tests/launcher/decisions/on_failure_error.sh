#!/usr/bin/env bash
# HONE_ON_FAILURE=error: a compile that could not be tuned as decided is exit 70, marked, with no object.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > a.cc
check() { # KIND
  cap q "$L" "$CLANG" -O3 -c a.cc -o a.o
  code q 70 "$1"; [ ! -e a.o ] || no "$1: there is an object"; grep -q '^hone-cc: a.cc: ' q.err || no "$1: not marked: $(head -1 q.err)"
  logged '"compiled":"failed"' "$1"; logged "\"failure\":\"$1\"" "$1"; rm -f a.o
}
export HONE_ON_FAILURE=error
for i in 1 2 3 4; do faulty crash; check crashed; done     # no three strikes here
mkdir empty; HONE_PLUGIN_DIR=$W/empty check load_failed
echo junk > empty/libhone_pass-19.so; HONE_PLUGIN_DIR=$W/empty check load_failed
policy_with '"cpu_limit_seconds":1,' "{\"source\":\"*\",\"pipeline\":\"$PIPELINE\"}"; faulty hang; check timed_out
unset HONE_PLUGIN_DIR
head -c 200 policy.idx > cut.idx; HONE_POLICY=$W/cut.idx check load_failed
# What is the user's own is as always.
echo 'int broken(' > e.cc; "$CLANG" -O3 -c e.cc -o e.o 2>p.err; p=$?
cap q "$L" "$CLANG" -O3 -c e.cc -o e.o; code q $p "user error"; same p.err q.err "user error"
exit $bad
