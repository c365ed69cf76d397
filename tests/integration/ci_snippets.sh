#!/usr/bin/env bash
# The pipelines of build_integration/ci, step by step, against a real Hone: each builds tuned with the
# policy in force, measures it and posts the verdict that honed has; a policy that miscompiles fails the
# pipeline and is posted as such.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
python3 -c 'import yaml' 2> /dev/null || { echo "SKIP: no python3-yaml"; exit 77; }
ci=$ROOT/build_integration/ci
export PATH=$BIN:$PATH

# product NAME MODE: a probe product with a policy of its own in force, signed by the key it knows.
product() {
  local name=$1 mode=$2
  mkdir -p "$W/$name/ci"
  cp "$ROOT"/tests/integration/probe/* "$W/$name"
  cp "$W/hone.pub" "$W/$name/ci"
  printf 'enable_testing()\nadd_test(NAME runs COMMAND probe)\n' >> "$W/$name/CMakeLists.txt"
  cat > "$W/$name/hone.yaml" <<YAML
name: $name
build:
  cmake: {options: [-DPROBE_MODE=$mode]}
  binaries: [probe]
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
YAML
  cat > "$W/$name.json" <<JSON
{"format": 1, "target": "$name", "sequence": 1, "compiler": {"family": "clang", "major": 19},
 "rules": [{"source": "*", "pipeline": "function(sroa)"}]}
JSON
  { "$BIN/hone" target add "$W/$name" && "$BIN/hone" policy sign "$W/$name.json" --key "$W/hone.key" &&
    "$BIN/hone" policy push "$name" "$W/$name.json" --promote; } > "$W/$name.add" 2>&1 ||
    no "$name: $(cat "$W/$name.add")"
}

# pipeline SYSTEM FILE PRODUCT: runs it in a fresh checkout; its exit code is in $ended.
pipeline() {
  out=$W/$1-$3
  mkdir -p "$out"
  cp -r "$W/$3" "$out/checkout"
  HONE_TARGET=$3 CI_TOKEN_FILE=$W/ci.token python3 "$ROOT/tests/integration/ci_steps.py" \
    "$1" "$ci/$2" "$out/checkout" "$out" > "$out/steps" 2>&1
  ended=$?
  [ ! -s "$out/steps" ] || no "$1: $(tail -n 5 "$out/steps")"
}

# posted SYSTEM TEXT: what the pipeline shows to people holds TEXT.
posted() {
  local where=$out/log
  [ "$1" != github ] || where=$out/summary
  grep -qF -- "$2" <(tr -d '\\' < "$where") || no "$1: '$2' was not posted: $(tail -n 5 "$where")"
  [ "$1" = github ] || grep -qF -- "$2" "$out/checkout/verdict.xml" ||
    no "$1: '$2' is not in the report: $(cat "$out/checkout/verdict.xml")"
}

"$BIN/hone" policy keygen "$W/hone.key" "$W/hone.pub" > "$W/keygen" 2>&1 || no "keygen: $(cat "$W/keygen")"
world_up
"$BIN/hone" token create pipeline --role submitter --output "$W/ci.token" > "$W/token" 2>&1 || no "token: $(cat "$W/token")"
product probe agree
product faulty differ
unset HONE_TOKEN_FILE

for run in github:github/hone.yml gitlab:gitlab/.gitlab-ci.yml jenkins:jenkins/Jenkinsfile; do
  system=${run%%:*}
  pipeline "$system" "${run#*:}" probe
  [ $ended = 0 ] || no "$system: exit code $ended: $(tail -n 20 "$out/log")"
  tuned=$(grep -c '"compiled":"tuned"' "$out/checkout/build/hone/compiles.ndjson")
  [ "$tuned" = 2 ] || no "$system: $tuned of 2 objects tuned in the pipeline's own build"
  # What honed has, in other words than the script's.
  job=$(json "$out/checkout/verdict.json" id)
  HONE_TOKEN_FILE=$W/ci.token "$BIN/hone" job show "$job" --json > "$out/job.json" || no "$system: no job '$job'"
  [ "$(json "$out/job.json" outcome)" = ok ] || no "$system: $(cat "$out/job.json")"
  posted "$system" "$(json "$out/job.json" verdict): "
  posted "$system" " on $(json "$out/job.json" reward pairs) pairs"
  posted "$system" "$(python3 -c 'import math, sys
gain = round(100 * (math.exp(float(sys.argv[1])) - 1), 1)
print("%s%.1f %%" % ("+" if gain > 0 else "" if gain == 0 else "\u2212", abs(gain)))' "$(json "$out/job.json" reward value)")"
  echo "$system: $(json "$out/job.json" verdict), exit code $ended"
done

for run in github:github/hone.yml jenkins:jenkins/Jenkinsfile; do
  system=${run%%:*}
  pipeline "$system" "${run#*:}" faulty
  [ $ended = 11 ] || no "$system: exit code $ended for a policy that miscompiles"
  posted "$system" 'miscompiled: '
done
grep -q 'failures="1"' "$out/checkout/verdict.xml" || no "no failure in $(cat "$out/checkout/verdict.xml")"

world_down
finish
