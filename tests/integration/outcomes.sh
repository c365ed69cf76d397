#!/usr/bin/env bash
# Every way a candidate can end, on a real product with the real programs: the outcome is its own, the
# reason can be read in `hone job show`, and only `ok` has a reward.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
probe=$ROOT/tests/integration/probe

# product NAME MODE [LINES OF benchmark...]: a variant of the probe product as a target of its own
product() {
  local name=$1 mode=$2
  shift 2
  mkdir -p "$W/products"
  cp -r "$probe" "$W/products/$name"
  cat > "$W/products/$name/hone.yaml" <<YAML
name: $name
build:
  cmake: {options: [-DPROBE_MODE=$mode]}
  binaries: [probe]
  timeout_seconds: 60
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  timeout_seconds: 5
YAML
  printf '%s\n' "$@" >> "$W/products/$name/hone.yaml"
  "$BIN/hone" target add "$W/products/$name" > "$W/$name.add" 2>&1 || no "$name: $(cat "$W/$name.add")"
}

# ends NAME OUTCOME REASON-PATTERN [ARGUMENTS OF hone job submit...]
ends() {
  local name=$1 outcome=$2 pattern=$3 job
  shift 3
  "$BIN/hone" job submit "$name" --stage race --wait --json "$@" > "$W/$name.json" 2> "$W/$name.err"
  local got
  got=$(json "$W/$name.json" outcome)
  [ "$got" = "$outcome" ] || no "$name: outcome '$got' ($(json "$W/$name.json" reason)), not $outcome: $(cat "$W/$name.err")"
  job=$(json "$W/$name.json" id)
  "$BIN/hone" job show "$job" > "$W/$name.show" || no "$name: cannot be shown"
  grep -q "$outcome" "$W/$name.show" || no "$name: the outcome is not shown: $(cat "$W/$name.show")"
  if [ "$outcome" = ok ]; then
    [ -n "$(json "$W/$name.json" reward value)" ] || no "$name: no reward: $(cat "$W/$name.show")"
  else
    [ -z "$(json "$W/$name.json" reward)" ] || no "$name: a reward for $outcome"
    grep -qiE "$pattern" "$W/$name.show" || no "$name: no reason like '$pattern': $(cat "$W/$name.show")"
  fi
  printf '%-12s %s: %s\n' "$name" "$got" "$(json "$W/$name.json" reason | sed -n 1p)"
}

weak='function(sroa)'   # no inliner: the probe misbehaves as its mode says
world_up

product agree agree
ends agree ok '' --pipeline "$weak"
# Raw samples: a run of each side for every pair, with the interval around the estimate.
"$BIN/hone" job show "$(json "$W/agree.json" id)" --samples --json > "$W/samples.json"
python3 - "$W/samples.json" <<'PYTHON' || no "agree: samples or interval are not right"
import json, sys
job = json.load(open(sys.argv[1]))
reward, samples = job["reward"], job["result"]["samples"]
cpu = [s for s in samples if s["metric"] == "cpu_time"]
pairs = {s["pair"] for s in cpu}
assert reward["low"] <= reward["value"] <= reward["high"], reward
assert reward["pairs"] == len(pairs) >= 12, (reward, len(pairs))
for pair in pairs:
    assert sorted(s["role"] for s in cpu if s["pair"] == pair) == ["baseline", "candidate"], pair
assert all(s["value"] > 0 for s in cpu)
PYTHON

product same agree
"$BIN/hone" job submit same --stage race --wait --json --pipeline 'default<O3>' \
  > "$W/same.json" 2> "$W/same.err"
[ "$(json "$W/same.json" verdict)" = no_change ] && [ -z "$(json "$W/same.json" reward)" ] ||
  no "an identical binary: $(cat "$W/same.json")"

product differ differ
ends differ miscompiled 'output' --pipeline "$weak"
product crash crash
ends crash miscompiled 'signal|abort|crash' --pipeline "$weak"
product hang hang
ends hang timed_out 'time limit|5 s' --pipeline "$weak"
product nolink nolink
ends nolink build_failed 'defined_nowhere|link' --pipeline "$weak"
product broken broken
ends broken baseline_failed 'probe.c|error' --pipeline "$weak"
product unsteady unsteady
ends unsteady nondeterministic 'output' --pipeline "$weak"
product silent agree '  metric: {metric: printed, pattern: "speed ([0-9]+)"}'
ends silent benchmark_failed 'speed|pattern|metric|number' --pipeline "$weak"

# Something that is no candidate at all: refused before it becomes a job.
"$BIN/hone" job submit agree --pipeline 'function(no-such-pass)' > "$W/refused" 2>&1 &&
  no "an unknown pass was taken"
grep -q 'no-such-pass' "$W/refused" || no "the refusal does not name the pass: $(cat "$W/refused")"
"$BIN/hone" job submit nobody --knob unroll-count=4 > "$W/refused" 2>&1
[ $? = 4 ] || no "an unknown target: $(cat "$W/refused")"

world_down

# A pass that crashes on one file: the launcher of this worker loads, for that file, a plugin that aborts.
faulty=$(dirname "$BIN")/tests/faulty
if [ -d "$faulty" ]; then
  mkdir -p "$W/launcher"
  printf '#!/bin/sh\ncase "$*" in *work.c*) export HONE_TEST_FAULT=crash HONE_PLUGIN_DIR=%s ;; esac\nexec %s "$@"\n' \
    "$faulty" "$BIN/hone-cc" > "$W/launcher/hone-cc"
  chmod 755 "$W/launcher/hone-cc"
  world_up --no-worker
  "$BIN/hone" token create faulty-worker --role worker --json > "$W/token.json" || no "no worker token"
  (umask 077 && json "$W/token.json" token > "$W/worker.token")
  "$BIN/hone-worker" --token-file "$W/worker.token" --name faulty --work "$W/work" --slots 1 \
    --launcher "$W/launcher/hone-cc" --share "$(dirname "$BIN")" > "$W/worker.log" 2>&1 &
  worker=$!
  ends agree compiler_crashed 'work.c' --pipeline "$weak"
  kill -TERM $worker
  wait $worker || no "the worker ended with $?: $(tail -3 "$W/worker.log")"
  world_down
else
  no "no plugin that fails on demand in $faulty"
fi
finish
