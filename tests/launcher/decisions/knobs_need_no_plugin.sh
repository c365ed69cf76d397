#!/usr/bin/env bash
# A decision of knobs only changes the object without a plugin; a knob that the user sets himself wins.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
loop_source > a.cc; "$CLANG" -O3 -c a.cc -o plain.o; "$CLANG" -O3 -mllvm -unroll-count=2 -c a.cc -o want.o
policy '{"source":"*","pipeline":"default<O3>","knobs":{"unroll-count":"2"}}'
mkdir empty; export HONE_PLUGIN_DIR=$W/empty
"$L" "$CLANG" -O3 -c a.cc -o a.o || no "failed"; differ plain.o a.o "the object"; cmp -s want.o a.o || no "not what -mllvm makes"
logged '"compiled":"tuned"' "tuned"
cap q "$L" "$CLANG" -O3 -mllvm -unroll-count=4 -c a.cc -o a.o; code q 0 "conflict"; quiet q.err "conflict"; logged '"reason":"knob_conflict"' "conflict"
policy '{"source":"*","pipeline":"default<O3>","knobs":{"no-such-knob":"2"}}' 2>/dev/null | grep -q refused || no "an unknown knob is in the index"
exit $bad
