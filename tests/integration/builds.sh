#!/usr/bin/env bash
# What further builds of a product show: what they take (metric compile_time), and with sanitizers, what no
# output shows. In a worker's sandbox, with the users of its slots.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
probe=$ROOT/tests/integration/probe

# product NAME MODE [LINES OF benchmark...]
product() {
  local name=$1 mode=$2
  shift 2
  mkdir -p "$W/products"
  cp -r "$probe" "$W/products/$name"
  echo 3000000 > "$W/products/$name/rounds.txt"
  cat > "$W/products/$name/hone.yaml" <<YAML
name: $name
build:
  cmake: {options: [-DPROBE_MODE=$mode]}
  binaries: [probe]
  timeout_seconds: 60
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  links: 1
  memory_mib: 256   # far below the address space that a sanitizer reserves
YAML
  printf '  %s\n' "$@" >> "$W/products/$name/hone.yaml"
  "$BIN/hone" target add "$W/products/$name" > "$W/$name.add" 2>&1 || no "$name: $(cat "$W/$name.add")"
}
# ends NAME STAGE PIPELINE OUTCOME
ends() {
  "$BIN/hone" job submit "$1" --stage "$2" --wait --json --pipeline "$3" > "$W/$1.json" 2> "$W/$1.err"
  "$BIN/hone" job show "$(json "$W/$1.json" id)" --samples --json > "$W/$1.samples"
  [ "$(json "$W/$1.json" outcome)" = "$4" ] ||
    no "$1: $(json "$W/$1.json" outcome), not $4: $(json "$W/$1.json" reason) $(cat "$W/$1.err")"
  printf '%-8s %s %s %s %s\n' "$1" "$(json "$W/$1.json" outcome)" "$(json "$W/$1.json" verdict)" \
    "$(json "$W/$1.json" reward value)" "$(json "$W/$1.json" reason | sed -n 1,3p)"
}
world_up

# 80 loops that -O3 spends its time on.
product cheap agree 'metric: {metric: compile_time}'
{
  echo 'double loops(double* restrict a, const double* restrict b, int n) { double s = 0;'
  for i in $(seq 80); do echo "for (int i = 0; i < n; ++i) { a[i] = a[i] * $i + b[i]; if (b[i] > $i) s += a[i]; }"; done
  echo 'return s; }'
} >> "$W/products/cheap/work.c"
"$BIN/hone" target add "$W/products/cheap" > /dev/null || no "cheap: not added again"
more=$(printf ',dse%.0s' $(seq 60))   # finds nothing to do after -O3, which takes its time
for case in 'function(sroa) faster' "default<O3>,function(${more#,}) slower"; do
  ends cheap race "${case% *}" ok
  [ "$(json "$W/cheap.json" verdict)" = "${case##* }" ] || no "compile_time of ${case% *}: $(cat "$W/cheap.json")"
  python3 - "$W/cheap.samples" <<'PYTHON' || no "compile_time: samples are not right"
import json, math, statistics, sys
job = json.load(open(sys.argv[1]))
samples = job["result"]["samples"]
assert job["metric"] == "compile_time" and {s["metric"] for s in samples} == {"compile_time"}, job["metric"]
assert all(s["input"] is None for s in samples) and job["result"]["links"] == 1, samples[0]
half = {r: statistics.median(s["value"] for s in samples if s["role"] == r) for r in ("baseline", "candidate")}
assert min(half.values()) > 0.05, half     # real compiles: an object cache answers in a tenth of it
assert abs(math.log(half["baseline"] / half["candidate"]) - job["reward"]["value"]) < 0.1, (half, job["reward"])
print("compile_time", half)
PYTHON
done
"$BIN/hone" bench --metric compile_time --baseline true --candidate true > "$W/bench" 2>&1
[ $? = 2 ] && grep -q 'compile_time.*hone bench --baseline' "$W/bench" || no "hone bench: $(cat "$W/bench")"

if [ "$(clang-19 -print-file-name=libclang_rt.asan-x86_64.a)" != libclang_rt.asan-x86_64.a ]; then
  sanitize='sanitize: [address, undefined]'
  product overrun overrun "$sanitize"
  ends overrun confirm 'function(sroa)' miscompiled
  grep -q 'AddressSanitizer: heap-buffer-overflow' "$W/overrun.json" || no "overrun: $(json "$W/overrun.json" reason)"
  ends overrun race 'function(sroa)' ok
  product both both "$sanitize"
  ends both confirm 'function(sroa)' ok
  grep -q 'could not tell.*the baseline.*heap-buffer-overflow' "$W/both.samples" || no "both: $(cat "$W/both.samples")"
  product sound agree "$sanitize"
  ends sound confirm 'function(sroa)' ok
  grep -q 'could not tell' "$W/sound.samples" && no "sound: $(cat "$W/sound.samples")"
  mkdir -p "$W/products/odd" && sed 's/sanitize:.*/sanitize: [thread]/' "$W/products/overrun/hone.yaml" > "$W/products/odd/hone.yaml"
  "$BIN/hone" target add "$W/products/odd" > "$W/odd" 2>&1 && no "sanitize: [thread] was taken"
  grep -q '"thread" is not one of address, undefined' "$W/odd" || no "the refusal: $(cat "$W/odd")"
else
  echo "NOT TESTED: sanitizers (no libclang-rt-19-dev)"
fi
world_down
finish
