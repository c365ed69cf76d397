#!/usr/bin/env bash
# After three failures of one decision it is tried no more in this build tree, until --reset.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc
faulty crash
for i in 1 2 3; do "$L" "$CLANG" -O3 -c a.cc -o a.o; logged '"reason":"crashed"' "strike $i"; done
cp a.cc b.cc; "$L" "$CLANG" -O3 -c b.cc -o b.o; logged '"reason":"three_failures"' "strike 4"; logged '"cpu_seconds":0.000' "tried again"
policy '{"source":"*","pipeline":"function(sroa)"}'; "$L" "$CLANG" -O3 -c a.cc -o a.o; logged '"reason":"crashed"' "another decision"
tune_all; unset HONE_PLUGIN_DIR; "$L" "$CLANG" -O3 -c a.cc -o a.o; logged '"reason":"three_failures"' "still"
"$L" --reset > reset.out || no "--reset failed"; "$L" "$CLANG" -O3 -c a.cc -o a.o; logged '"compiled":"tuned"' "after --reset"
[ "$(lines)" = 7 ] || no "--reset touched the log: $(lines) lines"
env -u HONE_STATE_DIR "$L" --reset 2>/dev/null && no "--reset without a folder"
exit $bad
