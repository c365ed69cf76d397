#!/usr/bin/env bash
# `hone env`: a program of clang's is stepped through passes, seen, rewarded and written; unsafe passes
# are refused, crashes are outcomes, searches find something better than -Oz and go on where they were.
# States go round through CompilerGym's CSV; programs come by URIs; the shell does all of it by hand.
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
echo text > "$W/sum.txt"
env_ notext 2 run "$W/sum.txt"
grep -q "must end in .bc, .ll, .c" "$W/notext.err" || no "a .txt is taken for a program"

env_ found 0 search "$W/sum.bc" --search greedy --evaluations 400
env_ passes 0 search "$W/sum.bc" --search greedy --evaluations 400 --passes-only
jq -e '.cost < .unoptimised and all(.best[]; test("^default<|inliner") | not)' "$W/passes.json" > /dev/null ||
  no "greedy's passes: $(cat "$W/passes.json")"
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

# States: what run and search write validates; what is wrong is told with its line, the rest goes on.
export XDG_CACHE_HOME=$W/cache
env_ state1 0 run "$W/sum.bc" --action=-sroa --action=-gvn --reward IrInstructionCountOz --write-state "$W/states.csv"
env_ state2 0 run "$W/sum.c" --action 'function(sroa,gvn<no-pre>)' --action globaldce \
  --reward IrInstructionCountOz --write-state "$W/states.csv"
env_ state3 0 search "$W/sum.bc" --search greedy --evaluations 200 --write-state "$W/states.csv"
[ "$(head -n 1 "$W/states.csv")" = benchmark,reward,walltime,commandline ] || no "the CSV has another header"
grep -q 'sum.bc,[0-9.e-]*,[0-9.e-]*,opt -sroa -gvn input.bc -o output.bc$' "$W/states.csv" ||
  no "CompilerGym's actions are written otherwise: $(cat "$W/states.csv")"
grep -q "opt -passes='function(sroa,gvn<no-pre>),globaldce' input.bc -o output.bc" "$W/states.csv" ||
  no "pipelines are written otherwise: $(cat "$W/states.csv")"
env_ valid 0 validate "$W/states.csv" --records "$W/records.jsonl"
[ "$(value valid .summary.validated)" = 3 ] || no "not three states are valid: $(cat "$W/valid.json")"
[ "$(jq -s 'map(select(.reward_validated and (.errors | length) == 0)) | length' "$W/records.jsonl")" = 3 ] ||
  no "no record of each state: $(cat "$W/records.jsonl")"
{
  cat "$W/states.csv"
  echo "file://$W/sum.bc,100,1,opt -sroa input.bc -o output.bc"
  echo "file://$W/sum.bc,much,1,opt -sroa input.bc -o output.bc"
  echo "file://$W/sum.bc,,1,opt -strip input.bc -o output.bc"
  echo "benchmark://cbench-v1/crc32,,1,opt -gvn input.bc -o output.bc"
  echo "file://$W/sum.bc,,1,opt -sroa input.bc -o output.bc"
} > "$W/bad.csv"
env_ invalid 2 validate - < "$W/bad.csv"
[ "$(value invalid '.summary | [.states, .validated, .failed, .unreadable] | @csv')" = 8,3,3,1 ] ||
  no "other counts: $(value invalid .summary)"
grep -q "line 6: column reward: 'much' must be" "$W/invalid.err" || no "line 6 is not told: $(cat "$W/invalid.err")"
grep -q "line 5: Expected reward 100 but received" "$W/invalid.err" || no "line 5 is not told: $(cat "$W/invalid.err")"
grep -q "line 7: column commandline: .*strip" "$W/invalid.err" || no "line 7 is not told: $(cat "$W/invalid.err")"
grep -q "line 8: column benchmark: .*cbench-v1" "$W/invalid.err" || no "line 8 is not told: $(cat "$W/invalid.err")"
head -n 5 "$W/bad.csv" > "$W/one-bad.csv"
env_ failed 11 validate < "$W/one-bad.csv"
"$BIN/hone" env validate --summary-only "$W/states.csv" | grep -q '^Number of validated results: 3 of 3$' ||
  no "no summary"

# Programs: a product's units with their own flags, a data set of one's own that runs, generators.
cat > "$W/compile_commands.json" <<JSON
[{"directory": "$W", "file": "sum.c", "command": "cc -Dunused=used -O2 -c sum.c -o sum.o"}]
JSON
env_ unit 0 run "compdb://$W/compile_commands.json#sum.c" --observe Ir
value unit .observations.Ir | grep -q '@used' || no "a unit is not compiled with its own flags"
env_ units 0 list programs "compdb://$W/compile_commands.json"
[ "$(value units '.programs[0]')" = "compdb://$W/compile_commands.json#sum.c" ] || no "no units are listed"
cat > "$W/main.c" <<'C'
#include <stdio.h>
int main(int argc, char** argv) {
  int a, b;
  if (scanf("%d %d", &a, &b) != 2) return 1;
  printf("%s %d\n", argv[argc - 1], a + b);
  return 0;
}
C
cat > "$W/mine.yaml" <<YAML
name: mine-v0
programs:
  - name: adds
    sources: [main.c]
    runs:
      - {arguments: [sum], input: "1 2", output: "sum 3\n"}
      - {arguments: [sum], input_file: numbers, seconds: 5}
  - name: wrong
    sources: [main.c]
    runs:
      - {arguments: [sum], input: "1 2", output: "sum 4\n"}
YAML
echo 20 22 > "$W/numbers"
{
  echo benchmark,reward,walltime,commandline
  echo 'mine-v0/adds,,0,opt -sroa -instcombine -simplifycfg input.bc -o output.bc'
  echo 'benchmark://mine-v0/wrong,,0,opt -sroa input.bc -o output.bc'
} > "$W/mine.csv"
env_ runs 11 validate "$W/mine.csv" --dataset "$W/mine.yaml"
[ "$(value runs '.results[0] | .benchmark_semantics_validated and (.benchmark_semantics_validation_failed | not)')" = true ] ||
  no "the program was not run: $(cat "$W/runs.json")"
[ "$(value runs '.results[1].errors[0].type')" = "Gold standard: Wrong output" ] ||
  no "another output is right: $(cat "$W/runs.json")"
# Several at once tell the same in the same order, and so does a row in between that can not be read.
sed -i '2i mine-v0/adds,much,0,opt -sroa input.bc -o output.bc' "$W/mine.csv"
env_ jobs 2 validate "$W/mine.csv" --dataset "$W/mine.yaml" --jobs 3
[ "$(jq -c '[.results[] | del(.walltime) | del(.errors[].data)]' "$W/jobs.json")" = \
  "$(jq -c '[.results[] | del(.walltime) | del(.errors[].data)]' "$W/runs.json")" ] ||
  no "--jobs changes what is told: $(cat "$W/jobs.json")"
grep -q "line 2: column reward" "$W/jobs.err" || no "line 2 is not told: $(cat "$W/jobs.err")"
sed -i 2d "$W/mine.csv"
env_ sanitize-word 2 validate "$W/mine.csv" --sanitize address,thread
grep -q "'thread' must be one of address, undefined" "$W/sanitize-word.err" || no "$(cat "$W/sanitize-word.err")"
# What the linked program is and how it runs, seen here; a session alone refuses it.
adds="manifest://$W/mine.yaml#adds"
env_ linked 0 run "$adds" --action=-sroa --observe TextSizeBytes --observe Runtime --observe Buildtime \
  --reward TextSizeBytes --reward TextSizeOz --reward Runtime --reward RuntimeLog --runtime-count 3
jq -e '(.observations | (.TextSizeBytes > 100) and (.Runtime | length == 3 and all(. > 0 and . < 5)) and
  (.Buildtime | length == 1) and (has("Bitcode") | not)) and (.rewards | length == 4)' "$W/linked.json" > /dev/null ||
  no "what is seen of the linked program: $(cat "$W/linked.json")"
env_ nolink 2 run "$W/sum.bc" --observe TextSizeBytes
grep -q "can not be linked.*main" "$W/nolink.err" || tr '\n' ' ' < "$W/nolink.err" | grep -q "can not be linked.*main" ||
  no "a program without main is linked: $(cat "$W/nolink.err")"
# Passes that break a program are an outcome; here its manifest expects what it never prints.
printf '{"name": "off-v0", "programs": [{"name": "main", "sources": ["main.c"], "runs": [{"output": "never"}]}]}' > "$W/never.json"
env_ off 11 run "manifest://$W/never.json#main" --reward Runtime
grep -q 'does not do what it must: .*was expected' "$W/off.err" || no "a wrong run is not told: $(cat "$W/off.err")"
env_ seed 2 shell "$W/sum.bc" --seed -1 < /dev/null
grep -q -- '-1 not in range 0 to 9007199254740991' "$W/seed.err" || no "a seed below 0: $(cat "$W/seed.err")"
env_ noruns 2 run "$W/main.c" --reward Runtime
grep -q "how it is run is not known" "$W/noruns.err" || no "a program without runs is run: $(cat "$W/noruns.err")"
env_ textsize 0 search "$adds" --search random --cost TextSizeBytes --evaluations 8 --length 3
jq -e '.unoptimised > 0 and .O3 > 0 and .Oz > 0 and .cost > 0' "$W/textsize.json" > /dev/null || no "$(cat "$W/textsize.json")"
env_ runtime 0 search "$adds" --search random --cost Runtime --evaluations 2 --length 2 --runtime-count 2 --width 2
jq -e '.cost > 0 and .cost < 5' "$W/runtime.json" > /dev/null || no "$(cat "$W/runtime.json")"
env_ varies 2 validate "$W/mine.csv" --reward Runtime
env_ textstate 0 run "$adds" --action=-sroa --action=-gvn --reward TextSizeOz --write-state "$W/text.csv"
env_ textvalid 0 validate "$W/text.csv" --reward TextSizeOz
printf '%s\n' 'set_default_reward TextSizeBytes' 'action sroa' 'observation Runtime' 'reward TextSizeOz' \
  'set_default_observation TextSizeBytes' 'action simplifycfg' stack > "$W/linked.in"
env_ linkedshell 0 shell "$adds" --runtime-count 2 < "$W/linked.in"
for expected in '^sroa: reward TextSizeBytes ' '^reward TextSizeOz: ' '^TextSizeBytes: [0-9]' '^0.0[0-9e.-]* 0.0'; do
  grep -q -- "$expected" "$W/linkedshell.json" || no "the shell does not say $expected: $(cat "$W/linkedshell.json")"
done
sed -i 's/seconds: 5/second: 5/' "$W/mine.yaml"
env_ strict 2 validate "$W/mine.csv" --dataset "$W/mine.yaml"
grep -q '/programs/0/runs/1/second' "$W/strict.err" || no "a slip in a manifest is not named: $(cat "$W/strict.err")"
env_ seed 2 run generator://csmith-v0/-1
if command -v csmith > /dev/null && [ -e /usr/include/csmith/csmith.h ]; then
  env_ csmith 0 run generator://csmith-v0/7 --action=-sroa --action=-gvn --reward IrInstructionCountOz \
    --write-state "$W/csmith.csv"
  env_ checksum 0 validate "$W/csmith.csv"
fi
env_ stress 0 run generator://llvm-stress-v0/7 --action=-sroa --observe IrInstructionCount
env_ sets 0 list datasets

# The shell: what is wrong in a line is told, and the next one is read.
cat > "$W/shell.in" <<'SHELL'
action -sroa - gvn
undo 2
stack
fork before
action simplifycfg
switch before
commandline
actoin sroa
action sora
action -strip
observation IrInstructonCount
reward IrInstructionCountLog
greedy 2
try 3
hill-climb 3
simplify_stack
validate
reset
reward
SHELL
echo "write $W/shell.bc" >> "$W/shell.in"
env_ shell 2 shell "$W/sum.bc" --seed 1 < "$W/shell.in"
cp "$W/shell.json" "$W/shell.out"
for expected in '^-sroa: reward IrInstructionCountOz' '^opt -sroa input.bc -o output.bc$' '^reward IrInstructionCountLog: 0' \
  '✅ .*sum.bc' '^reward IrInstructionCountOz: 0$'; do
  grep -q -- "$expected" "$W/shell.out" || no "the shell does not say $expected: $(cat "$W/shell.out")"
done
for expected in "unknown command 'actoin': did you mean action?" "unknown action 'sora': did you mean " \
  "CompilerGym's action 'strip'" "unknown observation 'IrInstructonCount': did you mean IrInstructionCount?"; do
  grep -qF -- "$expected" "$W/shell.err" || no "the shell does not say $expected: $(cat "$W/shell.err")"
done
[ -s "$W/shell.bc" ] || no "the shell wrote no bitcode"
# On a terminal: a command and an action are completed by Tab.
if command -v script > /dev/null; then
  { sleep 1; printf 'acti\tsro\t\n'; sleep 1; printf 'comma\t\n'; sleep 1; printf 'exit\n'; sleep 0.3; } |
    TERM=xterm XDG_STATE_HOME=$W/state script -qec "$BIN/hone env shell $W/sum.bc" /dev/null > "$W/terminal.out" 2>&1
  grep -q 'sroa: reward' "$W/terminal.out" || no "Tab completes no action: $(cat "$W/terminal.out")"
  grep -q 'opt -sroa input.bc' "$W/terminal.out" || no "Tab completes no command: $(cat "$W/terminal.out")"
  [ "$(stat -c %a "$W/state/hone/history")" = 600 ] || no "others read the history"
  # Another shell has its lines: the third last one, by the arrow upwards.
  { sleep 1; printf '\033[A\033[A\033[A\n'; sleep 1; printf 'exit\n'; sleep 0.3; } |
    TERM=xterm XDG_STATE_HOME=$W/state script -qec "$BIN/hone env shell $W/sum.bc" /dev/null > "$W/again.out" 2>&1
  grep -q 'sroa: reward' "$W/again.out" || no "no history of an earlier shell: $(cat "$W/again.out")"
fi
finish
