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
  HONE_TARGET=${HONE_POLICY_TARGET:-$3} CI_TOKEN_FILE=$W/ci.token python3 "$ROOT/tests/integration/ci_steps.py" \
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

# A coordinator that is away, from the beginning or from some step on, turns no build red, and the builds are made. What
# else goes wrong is told by the exit code of the command that failed, and not by one that missed its file.
mkdir "$W/broken"
cat > "$W/broken/hone" <<SH
#!/bin/sh
case "\$1 \$2" in
  "\$BREAK") echo "hone: broken by the test" >&2; exit "\$BREAK_WITH" ;;
esac
exec "$BIN/hone" "\$@"
SH
chmod 755 "$W/broken/hone"
# broken SYSTEM:FILE NAME COMMAND CODE EXPECTED: a run in which `hone COMMAND` ends with CODE.
broken() {
  local system=${1%%:*}
  cp -r "$W/probe" "$W/probe-$2"
  PATH=$W/broken:$PATH BREAK=$3 BREAK_WITH=$4 HONE_POLICY_TARGET=probe pipeline "$system" "${1#*:}" "probe-$2"
  [ $ended = "$5" ] || no "$system: \`hone $3\` ends with $4, the pipeline with $ended: $(tail -n 20 "$out/log")"
  [ -x "$out/checkout/build/probe" ] || no "$system, $2: nothing was built: $(tail -n 20 "$out/log")"
  ! grep -q 'not JSON\|is empty' "$out/log" || no "$system, $2: a file that is not there is blamed: $(tail -n 20 "$out/log")"
}
for run in github:github/hone.yml gitlab:gitlab/.gitlab-ci.yml jenkins:jenkins/Jenkinsfile; do
  system=${run%%:*}
  HONE_URL=http://127.0.0.1:9 broken "$run" "away-$system" none 0 0
  grep -q 'did not measure this commit' "$out/log" || no "$system: nothing is said: $(tail -n 20 "$out/log")"
  broken "$run" "lost-$system" 'job submit' 6 0
  broken "$run" "late-$system" 'job submit' 12 0
  broken "$run" "role-$system" 'job submit' 3 3
  broken "$run" "target-$system" 'target add' 2 2
  broken "$run" "full-$system" 'report push' 1 1
  echo "$system: away, lost, late, refused"
done

world_down
finish
