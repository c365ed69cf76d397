#!/usr/bin/env bash
# `hone env`: a program of clang's is stepped through passes, seen, rewarded and written; unsafe passes
# are refused, crashes are outcomes, searches find something better than -Oz and go on where they were.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v clang-19 > /dev/null || exit 77

cat > "$W/sum.c" <<'C'
static int twice(int x) { return x + x; }
int sum(const int* a, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += twice(a[i]);
  return s;
}
int unused(int x) { return x * 7 + sum(&x, 1); }
C
clang-19 -O3 -Xclang -disable-llvm-passes -emit-llvm -c "$W/sum.c" -o "$W/sum.bc" || no "clang-19"
# env NAME EXIT-CODE ARGUMENTS...: into $W/NAME.json and $W/NAME.err
env_() {
  local name=$1 code=$2 got=0
  shift 2
  "$BIN/hone" env "$@" --json > "$W/$name.json" 2> "$W/$name.err" || got=$?
  [ $got = "$code" ] || no "$name: exit code $got, not $code: $(cat "$W/$name.err" "$W/$name.json")"
}
value() { jq -r "$2" "$W/$1.json"; }

env_ list 0 list
[ "$(value list '.actions | length')" -gt 100 ] || no "fewer than 101 actions"
[ "$(value list '.actions[] | select(.name == "licm") | .pipeline')" = "function(loop-mssa(licm))" ] || no "licm's pipeline"

env_ plain 0 run "$W/sum.bc" --observe IrInstructionCount --observe Autophase
[ "$(value plain '.observations.Autophase | length')" = 56 ] || no "Autophase has not 56 numbers"
env_ stepped 0 run "$W/sum.bc" --action sroa --action=-simplifycfg --action=-barrier --observe IrInstructionCount \
  --reward IrInstructionCount --write "$W/stepped.bc"
before=$(value plain .observations.IrInstructionCount) after=$(value stepped .observations.IrInstructionCount)
[ "$after" -lt "$before" ] || no "sroa left $after of $before instructions"
[ "$(value stepped .rewards.IrInstructionCount)" = "$((before - after))" ] ||
  [ "$(value stepped '.rewards.IrInstructionCount | floor')" = "$((before - after))" ] || no "the reward is not the difference"
[ "$(value stepped .applied)" = 2 ] || no "barrier is no pass of LLVM 19, two are: $(cat "$W/stepped.json")"
grep -q barrier "$W/stepped.err" || no "nothing is said of -barrier"
# What was written is what opt makes of the same passes.
opt-19 -passes='function(sroa),function(simplifycfg)' "$W/sum.bc" -S -o - 2> /dev/null | grep -c '^  ' > "$W/opt.lines"
opt-19 -passes=verify "$W/stepped.bc" -S -o - | grep -c '^  ' > "$W/hone.lines" || no "no bitcode was written"
cmp -s "$W/opt.lines" "$W/hone.lines" || no "opt-19 makes another program of the same passes"

env_ unsafe 2 run "$W/sum.bc" --action=-strip
env_ unknown 2 run "$W/sum.bc" --action 'function(no-such-pass)'
env_ noprogram 4 run "$W/none.bc"
env_ notext 2 run "$W/sum.c"

env_ found 0 search "$W/sum.bc" --search greedy --evaluations 400
[ "$(value found .cost)" -le "$(value found .Oz)" ] 2> /dev/null ||
  jq -e '.cost <= .Oz' "$W/found.json" > /dev/null || no "greedy found nothing as good as -Oz: $(cat "$W/found.json")"
for kind in random hill-climb genetic; do
  env_ "first-$kind" 0 search "$W/sum.bc" --search $kind --evaluations 60 --log "$W/$kind.log" --seed 3
  env_ "again-$kind" 0 search "$W/sum.bc" --search $kind --evaluations 90 --log "$W/$kind.log" --seed 3
  [ "$(value "again-$kind" .remembered)" -ge 60 ] || no "$kind evaluated again what its log knows"
  jq -e --slurpfile first "$W/first-$kind.json" '.cost <= $first[0].cost' "$W/again-$kind.json" > /dev/null ||
    no "$kind is worse with more evaluations"
done
env_ other 5 search "$W/stepped.bc" --search random --log "$W/random.log"
env_ kind 2 search "$W/sum.bc" --search annealing
finish
