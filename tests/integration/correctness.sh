#!/usr/bin/env bash
# A wrong candidate is found by whatever the target compares: output files, standard error, inputs and
# commands that are checked and never timed; a last digit passes where a tolerance says so, a file that
# varies is the benchmark's fault. The same for two programs by `hone bench`.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
probe=$ROOT/tests/integration/probe

# product NAME MODE [LINES OF benchmark...]: a variant of the probe product as a target of its own
product() {
  local name=$1 mode=$2
  shift 2
  mkdir -p "$W/products"
  cp -r "$probe" "$W/products/$name"
  echo 100 > "$W/products/$name/small.txt"
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
  timeout_seconds: 5
YAML
  printf '  %s\n' "$@" >> "$W/products/$name/hone.yaml"
  "$BIN/hone" target add "$W/products/$name" > "$W/$name.add" 2>&1 || no "$name: $(cat "$W/$name.add")"
}

# ends NAME OUTCOME REASON-PATTERN: the job of a candidate without an inliner, which the probe notices
ends() {
  local name=$1 outcome=$2 pattern=$3
  "$BIN/hone" job submit "$name" --stage race --wait --json --pipeline 'function(sroa)' \
    > "$W/$name.json" 2> "$W/$name.err"
  local got reason
  got=$(json "$W/$name.json" outcome)
  reason=$(json "$W/$name.json" reason)
  [ "$got" = "$outcome" ] || no "$name: outcome '$got' ($reason), not $outcome: $(cat "$W/$name.err")"
  grep -qE "$pattern" <<< "$reason" || no "$name: no reason like '$pattern': $reason"
  if [ "$outcome" != ok ] && [ -n "$(json "$W/$name.json" reward)" ]; then
    no "$name: a reward for $outcome"
  fi
  printf '%-12s %s: %s\n' "$name" "$got" "$(sed -n 1p <<< "$reason")"
}

world_up

product file-unseen file
ends file-unseen ok ''
product file-seen file 'outputs: [probe.txt]'
ends file-seen miscompiled "file 'probe.txt' on input 'rounds' differs.*line 2 .*'result [0-9]+', not 'result [0-9]+'"
product never-written file 'outputs: [prob.txt]'
ends never-written benchmark_failed "writes no file 'prob.txt'"
product varies log 'outputs: [probe.txt]'
ends varies nondeterministic "two runs of the baseline .*file 'probe.txt', line 2"
product trick trick 'outputs: [probe.txt]'
ends trick miscompiled "wrote 'probe.txt' as a FIFO"
product trick-link trick 'outputs: ["*.t?t"]'
ends trick-link miscompiled "wrote 'link.txt' as a symbolic link"

product errors-seen errors 'compare_stderr: true'
ends errors-seen miscompiled "standard error on input 'rounds' differs"

product digit-exact digit
ends digit-exact miscompiled "standard output .*line 1 .*'mean "
product digit-near digit 'tolerance: {relative: 1e-9}'
ends digit-near ok ''
product digit-far digit 'tolerance: {relative: 1e-15}'
ends digit-far miscompiled "line 1"

product check-input small 'checks: [{name: hundred, file: small.txt}]'
ends check-input miscompiled "standard output in check 'hundred' differs"
product check-own tests 'checks: [{name: tests, command: ["{build}/probe", "--test"]}]'
ends check-own miscompiled "in check 'tests': exit code 1"
product check-good agree 'checks: [{name: tests, command: ["{build}/probe", "--test"]}, {name: hundred, file: small.txt}]' \
  'outputs: []'
ends check-good ok ''
# Checks are no samples.
"$BIN/hone" job show "$(json "$W/check-good.json" id)" --samples --json > "$W/samples.json"
python3 - "$W/samples.json" <<'PYTHON' || no "check-good: a check was timed"
import json, sys
samples = json.load(open(sys.argv[1]))["result"]["samples"]
assert samples and {s["input"] for s in samples} == {"rounds"}, {s["input"] for s in samples}
PYTHON
world_down

# --- Two programs --------------------------------------------------------------------------------------
mkdir "$W/here" && cd "$W/here" || exit 1
program() { # NAME FILE-CONTENT OUTPUT STDERR
  printf '#!/bin/sh\ni=0; while [ $i -lt 5000 ]; do i=$((i+1)); done\n' > "$1"
  printf 'if [ "$1" = other ]; then echo %s; exit; fi\necho %s > sum.txt\necho %s\necho %s >&2\n' \
    "$5" "$2" "$3" "$4" >> "$1"
  chmod +x "$1"
}
program a 1 'mean 0.1234567891' fine same
program b 1 'mean 0.1234567891' fine same
program file 2 'mean 0.1234567891' fine same
program digit 1 'mean 0.1234567892' fine same
program error 1 'mean 0.1234567891' warning same
program other 1 'mean 0.1234567891' fine another
# bench CANDIDATE PATTERN [OPTIONS...]: an outcome other than ok, with such a reason; none: ok
bench() {
  local candidate=$1 pattern=$2 code=0
  shift 2
  rm -f sum.txt
  "$BIN/hone" bench --baseline ./a --candidate "./$candidate" --pairs 12 "$@" > "$W/bench" 2>&1 || code=$?
  if [ -z "$pattern" ]; then
    [ $code = 0 ] || [ $code = 10 ] || no "bench $candidate $*: exit code $code: $(cat "$W/bench")"
  else
    [ $code = 11 ] || no "bench $candidate $*: exit code $code: $(cat "$W/bench")"
    grep -qE "$pattern" "$W/bench" || no "bench $candidate $*: not '$pattern': $(cat "$W/bench")"
  fi
}
bench file ''
bench file "miscompiled: .*file 'sum.txt'.*'2', not '1'" --output sum.txt
[ ! -e sum.txt ] || no "bench leaves what the programs wrote"
bench b '' --output 'sum.*' --compare-stderr --check other --tolerance 1e-9
bench digit 'standard output' --output sum.txt
bench digit '' --tolerance 1e-8
bench error 'standard error' --compare-stderr
bench other "in check 'other'" --check other
# What is there already is the user's.
echo precious > sum.txt
code=0
"$BIN/hone" bench --baseline ./a --candidate ./b --output sum.txt > "$W/bench" 2>&1 || code=$?
[ $code = 2 ] || no "bench over the user's file: exit code $code: $(cat "$W/bench")"
[ "$(cat sum.txt)" = precious ] || no "bench touched the user's file"
rm sum.txt
# A race has the same gate.
code=0
"$BIN/hone" bench --baseline ./a --candidate ./file --candidate ./b --candidate ./other --pairs 12 \
  --output sum.txt --check other > "$W/bench" 2>&1 || code=$?
[ $code = 0 ] || [ $code = 10 ] || no "bench of three: exit code $code: $(cat "$W/bench")"
[ "$(grep -c miscompiled "$W/bench")" = 2 ] ||
  no "bench of three: not two that are miscompiled: $(cat "$W/bench")"
cd "$ROOT" || exit 1
finish
