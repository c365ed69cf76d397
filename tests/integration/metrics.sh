#!/usr/bin/env bash
# Metrics besides time: `hone bench` counts the instructions of real programs and takes their sizes, a
# counter that the machine lacks is refused with the reason, and jobs measure sizes of what they built.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
probe=$ROOT/tests/integration/probe

# check NAME EXPRESSION: what `hone bench --export json` said, as `b`, in the words of Python
check() {
  python3 - "$W/$1.json" "$2" <<'PYTHON' || no "$1: $2: $(cut -c1-600 "$W/$1.json") $(cat "$W/$1.err")"
import json, math, sys
b = json.load(open(sys.argv[1]))
by_role = {role: {s["value"] for s in b["samples"] if s["role"] == role} for role in ("baseline", "candidate")}
reward = b["reward"] or {}
exact = bool(reward) and reward["low"] == reward["value"] == reward["high"] and reward["noise"] == 0
sys.exit(not eval(sys.argv[2]))
PYTHON
}
# bench NAME EXIT-CODE [ARGUMENTS OF hone bench...]
bench() {
  local name=$1 code=$2
  shift 2
  "$BIN/hone" bench --export json "$@" > "$W/$name.json" 2> "$W/$name.err"
  local got=$?
  [ $got = "$code" ] || no "$name: exit code $got, not $code: $(cat "$W/$name.err")"
}

# Two builds of one program.
cat > "$W/sum.c" <<'C'
#include <stdio.h>
static unsigned step(unsigned x) { return x * 1664525u + 1013904223u; }
int main(void) {
  unsigned x = 1, sum = 0;
  for (int i = 0; i < 200000; ++i) { x = step(x); sum += x >> 16; }
  printf("%u\n", sum);
  return 0;
}
C
clang-19 -O0 "$W/sum.c" -o "$W/plain" && clang-19 -O2 "$W/sum.c" -o "$W/fast" || { echo "SKIP: no clang-19"; exit 77; }

if command -v valgrind > /dev/null; then
  bench instructions 0 --metric instructions --baseline "$W/plain" --candidate "$W/fast"
  check instructions 'b["outcome"] == "ok" and b["verdict"] == "faster" and exact and reward["pairs"] == 2'
  check instructions 'len(by_role["baseline"]) == 1 and min(by_role["baseline"]) > 200000 * 5'
  check instructions 'abs(reward["value"] - math.log(min(by_role["baseline"]) / min(by_role["candidate"]))) < 1e-9'
  # A whole process tree: two programs one after the other are twice as many.
  bench tree 10 --metric instructions --baseline "sh -c '$W/plain; :'" --candidate "sh -c '$W/plain; $W/plain; :'" --any-output
  check tree 'b["verdict"] == "slower" and -math.log(2.2) < reward["value"] < -math.log(1.6)'
  "$BIN/hone" bench --metric instructions --baseline "$W/plain" --candidate "$W/fast" > "$W/text"
  grep -q '^fewer by .* % (instructions, the same in every run)' "$W/text" || no "instructions: told as $(cat "$W/text")"
else
  bench instructions 2 --metric instructions --baseline "$W/plain" --candidate "$W/fast"
  grep -q 'package valgrind' "$W/instructions.err" || no "no valgrind: $(cat "$W/instructions.err")"
fi

# Sizes, against what binutils says.
code() {
  readelf -SW "$1" | python3 -c '
import re, sys
print(sum(int(m[1], 16) for m in re.finditer(r"\] \S+ +\S+ +[0-9a-f]{16} [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +[WMSILOGTCA]*X", sys.stdin.read())))'
}
bench text 0 --metric text_bytes --baseline "$W/plain" --candidate "$W/fast"
[ "$(code "$W/fast")" -lt "$(code "$W/plain")" ] || no "the probe of sizes is none"
check text "b['verdict'] == 'faster' and exact and by_role == {'baseline': {$(code "$W/plain")}, 'candidate': {$(code "$W/fast")}}"
"$BIN/hone" bench --metric text_bytes --baseline "$W/fast" --candidate "$W/plain" > "$W/text"
[ $? = 10 ] && grep -q '^larger by ' "$W/text" || no "text_bytes: told as $(cat "$W/text")"
bench file 10 --metric binary_bytes --baseline "$W/fast" --candidate "$W/fast"
check file "b['verdict'] == 'no_change' and exact and by_role['baseline'] == {$(stat -c %s "$W/fast")}"
# A smaller program that prints other things has no verdict.
bench wrong 11 --metric binary_bytes --baseline "$W/plain" --candidate true
check wrong 'b["outcome"] == "miscompiled" and b["reward"] is None'
printf '#!/bin/sh\nexec %s/fast\n' "$W" > "$W/script" && chmod 755 "$W/script"
bench script 2 --metric text_bytes --baseline "$W/plain" --candidate "$W/script"
grep -q "$W/script is no ELF file" "$W/script.err" || no "script: $(cat "$W/script.err")"

# A counter that is not there. Where it is, it counts.
for metric in cycles hardware_instructions energy; do
  "$BIN/hone" bench --metric $metric --pairs 12 --baseline "$W/plain" --candidate "$W/fast" > "$W/$metric.out" 2> "$W/$metric.err"
  case $? in
    0 | 10) echo "this machine counts $metric" ;;
    2) grep -Eq "metric $metric: this machine cannot measure it: .*(virtual machines|perf_event_paranoid|only root)" "$W/$metric.err" ||
         no "$metric: $(cat "$W/$metric.err")"
       [ -s "$W/$metric.out" ] && no "$metric: something was measured" ;;
    *) no "$metric: $(cat "$W/$metric.out" "$W/$metric.err")" ;;
  esac
done

# Jobs, in a worker's sandbox.
# product NAME METRIC
product() {
  mkdir -p "$W/products"
  cp -r "$probe" "$W/products/$1"
  echo 300000 > "$W/products/$1/rounds.txt"   # a hundred times as slow under valgrind
  cat > "$W/products/$1/hone.yaml" <<YAML
name: $1
build:
  cmake: {options: [-DPROBE_MODE=agree]}
  binaries: [probe]
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  metric: {metric: $2}
  compare_stderr: true   # what counts prints nothing there
YAML
  "$BIN/hone" target add "$W/products/$1" > "$W/$1.add" 2>&1 || no "$1: $(cat "$W/$1.add")"
}
submit() {
  "$BIN/hone" job submit "$1" --stage race --wait --json --pipeline 'function(sroa)' > "$W/$1.json" 2> "$W/$1.err"
  "$BIN/hone" job show "$(json "$W/$1.json" id)" --samples --json > "$W/$1.samples"
  "$BIN/hone" job show "$(json "$W/$1.json" id)" > "$W/$1.show"
}
world_up
product sized text_bytes
submit sized
python3 - "$W/sized.samples" <<'PYTHON' || no "sized: $(cat "$W/sized.show")"
import json, math, sys
job = json.load(open(sys.argv[1]))
result, reward = job["result"], job["reward"]
assert job["outcome"] == "ok" and job["metric"] == "text_bytes", job
sizes = [result[side][0]["text_bytes"] for side in ("baseline_binaries", "binaries")]
assert [s["value"] for s in result["samples"]] == sizes, (result["samples"], sizes)
assert reward["low"] == reward["value"] == reward["high"], reward
assert abs(reward["value"] - math.log(sizes[0] / sizes[1])) < 1e-12, reward
assert job["verdict"] == ("faster" if sizes[1] < sizes[0] else "slower"), (job["verdict"], sizes)
assert result["links"] == 1 and not any("link" in w for w in result["warnings"]), result["warnings"]
print("text_bytes", sizes)
PYTHON
grep -Eq '^verdict  *(smaller|larger)$' "$W/sized.show" || no "sized: told as $(cat "$W/sized.show")"
if command -v valgrind > /dev/null; then
  product counted instructions
  submit counted
  python3 - "$W/counted.samples" <<'PYTHON' || no "counted: $(cat "$W/counted.show")"
import json, sys
job = json.load(open(sys.argv[1]))
values = {}
for sample in job["result"]["samples"]:
    values.setdefault(sample["role"], set()).add(sample["value"])
assert job["outcome"] == "ok", (job["outcome"], job["reason"])
assert all(len(v) == 1 for v in values.values()) and min(values["baseline"]) > 100000, values
fewer = min(values["candidate"]) < min(values["baseline"])
assert job["verdict"] == ("faster" if fewer else "slower"), job["verdict"]
print("instructions", values)
PYTHON
fi
if [ ! -e /sys/class/powercap/intel-rapl:0 ]; then
  product joules energy
  submit joules
  [ "$(json "$W/joules.json" outcome)" = benchmark_failed ] && grep -q 'metric energy: ' "$W/joules.show" ||
    no "joules: $(cat "$W/joules.show")"
fi
world_down
finish
