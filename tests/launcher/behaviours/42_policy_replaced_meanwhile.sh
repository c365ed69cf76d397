#!/usr/bin/env bash
# While launchers run the index is replaced, by rename, again and again: each sees the old or the new one.
# fails with: only_exec reads_policy_in_pieces
. "$(dirname "$0")/../behaviour.sh"
[ "$SETUP" = tuned ] || { echo "SKIP: has policies of its own"; exit 77; }
mkdir in out; loop_source > in/a.cc
rules() { # PIPELINE: 2000 rules for other files and one for ours
  awk -v p="$1" 'BEGIN {for (i = 0; i < 2000; ++i) printf "{\"source\":\"other/%d.cc\",\"pipeline\":\"function(gvn)\"},", i; printf "{\"source\":\"*\",\"pipeline\":\"%s\"}", p}'
}
for p in one two; do
  [ $p = one ] && pipeline='function(early-cse)' || pipeline=$SETUP_PIPELINE
  policy_document clang 19 '' "$(rules "$pipeline")" > $p.json; "$BIN/compile_policy" $p.json $p.idx || no "policy $p"
done
export HONE_ROOT=$W/case HONE_STATE_DIR=$W/case/state HONE_POLICY=$W/case/live.idx
for p in one two; do cp $p.idx live.idx; "$REAL" "$CLANG" -O3 -c in/a.cc -o $p.o || no "compile with $p"; done
grep -c '"compiled":"tuned"' state/compiles.ndjson | grep -qx 2 || no "not tuned: $(tail -n 1 state/compiles.ndjson)"
cmp -s one.o two.o && no "test is wrong: both decisions give the same object"
( while [ ! -e stop ]; do for p in one two; do cp $p.idx next.$p; mv -f next.$p live.idx; done; done ) & changer=$!
export REAL CLANG
seq 200 | xargs -P 8 -I{} sh -c '"$REAL" "$CLANG" -O3 -c in/a.cc -o out/{}.o || echo {} >> failed' 2> err
touch stop; wait $changer
[ ! -e failed ] || no "$(wc -l < failed) of 200 failed"; quiet err "stderr"
for o in out/*.o; do cmp -s $o one.o || cmp -s $o two.o || no "$o is neither of the two objects"; done
n=$(grep -c '"compiled":"tuned"' state/compiles.ndjson); [ "$n" = 202 ] || no "$n of 202 tuned: $(grep -v '"compiled":"tuned"' state/compiles.ndjson | head -1)"
# Overwritten in place, which nobody should do: the launcher may see a damaged one, and is plain then.
rm -f stop failed; cat one.idx > place.idx; export HONE_POLICY=$W/case/place.idx
( while [ ! -e stop ]; do for p in one two; do cat $p.idx > place.idx; done; done ) & changer=$!
seq 1500 | xargs -P 4 -I{} sh -c '"$REAL" --explain "$CLANG" -O3 -c in/a.cc > /dev/null || echo {} >> failed' 2> err
touch stop; wait $changer
[ ! -e failed ] || no "in place: $(wc -l < failed) of 1500 failed: $(head -1 err)"; quiet err "in place: stderr"
exit $bad
