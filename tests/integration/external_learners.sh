#!/usr/bin/env bash
# Learners of others on Hone's data, with their real libraries: the exports are loaded by Ray's JsonReader, pyarrow and
# Minari, Ray RLlib trains on them, and Optuna and Nevergrad drive campaigns over REST (deploy/examples/learners).
#
# Needs PyPI: SKIPPED without it. Ray and PyTorch take some 7 GB of disk for the virtual environment; without these two
# the others are run all the same, and the whole is then SKIPPED, saying what held. HONE_LEARNERS_VENV names a folder that
# keeps the environment from run to run.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
skip() { echo "SKIPPED: $*"; exit 77; }
[ -x "$BIN/hone-learner" ] && [ -x "$BIN/hone-session" ] || skip "no $BIN/hone-learner or hone-session"
examples=$ROOT/deploy/examples/learners
venv=${HONE_LEARNERS_VENV:-$W/venv}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv" > "$W/venv.log" 2>&1 || skip "python3 makes no virtual environment: $(tail -1 "$W/venv.log")"
fi
# A copy: setuptools writes beside what it builds.
cp -r "$examples" "$W/learners"
install() { # EXTRAS
  timeout 1500 "$venv/bin/python" -m pip install -q "$W/learners[$1]" > "$W/pip.log" 2>&1
}
why_not() { grep -m1 "^ *ERROR" "$W/pip.log" || tail -1 "$W/pip.log"; }
install minari,nevergrad,optuna || skip "PyPI does not give the libraries: $(why_not)"
without_ray=
if ! "$venv/bin/python" -c 'import ray, torch' 2> "$W/pip.log" &&
   [ "$(df -Pk "$venv" | awk 'NR == 2 { print int($4 / 1048576) }')" -lt 10 ]; then
  without_ray="less than 10 GB of disk for $venv"
elif ! install parquet,rllib; then
  without_ray="PyPI does not give Ray and PyTorch: $(why_not)"
fi
run_with_ray() { [ -n "$without_ray" ] || run "$@"; }
run() {
  local name=$1 limit=$2
  shift 2
  timeout "$limit" "$venv/bin/python" "$@" > "$W/$name.out" 2> "$W/$name.err" ||
    no "$name: exit code $?: $(tail -5 "$W/$name.out") $(grep -v INFO "$W/$name.err" | tail -15)"
}

# A product whose size is measured, so that a candidate takes no run but those that check it.
mkdir -p "$W/small"
cp "$ROOT/tests/integration/probe"/* "$W/small/"
cat > "$W/small/hone.yaml" <<'YAML'
name: small
build:
  cmake: {options: [-DPROBE_MODE=agree]}
  binaries: [probe]
benchmark:
  command: ["{build}/probe", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  metric: {metric: text_bytes}
  links: 1
YAML
sed 's/^name: small/name: wrong/; s/=agree/=differ/' "$W/small/hone.yaml" > "$W/wrong.yaml"
cp -r "$W/small" "$W/wrong"
mv "$W/wrong.yaml" "$W/wrong/hone.yaml"
world_up
for product in small wrong; do
  "$BIN/hone" target add "$W/$product" > "$W/$product.add" 2>&1 || no "$product: $(cat "$W/$product.add")"
done
"$BIN/hone" job submit wrong --stage race --wait --pipeline 'function(sroa)' > "$W/wrong.out" 2>&1
grep -q miscompiled "$W/wrong.out" || no "the planted failure: $(cat "$W/wrong.out")"

run optuna 400 -m hone_learners.optuna_campaign small --generations 2 --candidates 3
grep -q '^optuna: finished, winner .*; 6 trials$' "$W/optuna.out" || no "Optuna: $(cat "$W/optuna.out")"
run nevergrad 400 -m hone_learners.nevergrad_campaign small --generations 2 --candidates 3
grep -q '^nevergrad: finished, winner .* [1-6] rewards told$' "$W/nevergrad.out" || no "Nevergrad: $(cat "$W/nevergrad.out")"

# Three sessions of four steps, the last one left open.
cat > "$W/sum.ll" <<'LL'
target triple = "x86_64-pc-linux-gnu"
define i32 @sum(i32 %a) {
  %s = alloca i32
  store i32 %a, ptr %s
  %x = load i32, ptr %s
  %y = add i32 %x, %x
  ret i32 %y
}
LL
sha=$(sha256sum < "$W/sum.ll" | cut -d' ' -f1)
header="Authorization: Bearer $(cat "$HONE_TOKEN_FILE")"
curl -sSf -X PUT -H "$header" -H 'Content-Type: application/octet-stream' --data-binary "@$W/sum.ll" \
  "$HONE_URL/v1/artifacts/$sha" > /dev/null || no "the program is not taken"
api() { curl -sSf -X "$1" -H "$header" ${3:+-H 'Content-Type: application/json' -d "$3"} "$HONE_URL$2"; }
for round in 1 2 3; do
  session=$(api POST /v1/sessions "{\"program\": \"$sha\", \"log\": true, \"observe\": [\"Autophase\"]}" | jq -r .session)
  for pass in 'function(sroa)' 'function(instcombine<no-verify-fixpoint>)' 'globaldce' 'function(gvn)'; do
    propensity=$([ "$round" = 1 ] && echo ', "log_propensities": [-1.5]')
    api POST "/v1/sessions/$session/step" "{\"pipelines\": [\"$pass\"], \"observe\": [\"Autophase\"],
      \"rewards\": [\"IrInstructionCountOz\"]$propensity}" > /dev/null || no "the step $pass"
  done
  [ "$round" = 3 ] || api DELETE "/v1/sessions/$session" > /dev/null
done
# 3 begins, 12 steps, 2 ends.
await 20 sh -c "[ \$(curl -sf -H '$header' $HONE_URL/v1/transitions | wc -l) = 17 ]" || no "the log of sessions is not whole"

"$BIN/hone-learner" export --format rllib --output "$W/export" > "$W/export.out" 2>&1 || no "export: $(cat "$W/export.out")"
"$BIN/hone-learner" export --format rllib --stream transitions --output "$W/export" > "$W/export2.out" 2>&1 ||
  no "export of transitions: $(cat "$W/export2.out")"
"$BIN/hone-learner" export --output "$W/export" | grep -q ': 0 new lines' || no "a second export has new lines"
grep -q '^| miscompiled | 1 |' "$W/export/experiences.card.md" || no "the data card: $(cat "$W/export/experiences.card.md")"

run rest 100 "$ROOT/tests/integration/external_learners.py" rest "$W/export"
run_with_ray load 300 "$ROOT/tests/integration/external_learners.py" rllib "$W/export"
for stream in experiences transitions; do
  run_with_ray "parquet-$stream" 300 -m hone_learners.parquet_episodes "$W/export/rllib-$stream" "$W/$stream.parquet"
  MINARI_DATASETS_PATH=$W/minari run "minari-$stream" 300 -m hone_learners.minari_dataset \
    "$W/export/rllib-$stream" "hone/$stream-v0"
done
run_with_ray parquet 300 "$ROOT/tests/integration/external_learners.py" parquet "$W"
MINARI_DATASETS_PATH=$W/minari run minari 300 "$ROOT/tests/integration/external_learners.py" minari "$W"
cat > "$W/states.csv" <<CSV
benchmark,reward,walltime,commandline
benchmark://cbench-v1/crc32,0.25,1.5,opt -sroa -gvn input.bc -o output.bc
benchmark://cbench-v1/sha,much,1.5,opt -sroa input.bc -o output.bc
CSV
"$BIN/hone-learner" import-states "$W/states.csv" --output "$W/states.ndjson" > "$W/states.out" 2> "$W/states.err"
[ $? = 2 ] && [ "$(wc -l < "$W/states.ndjson")" = 1 ] && grep -q "line 3: .*reward: 'much'" "$W/states.err" ||
  no "import-states: $(cat "$W/states.out" "$W/states.err")"
run_with_ray known 300 -m hone_learners.parquet_episodes "$W/export/rllib-transitions" "$W/known.parquet" --known-only
trained=
if [ -z "$without_ray" ]; then
  for algorithm in BC MARWIL; do
    run $algorithm 400 -m hone_learners.rllib_offline "$W/export/rllib-transitions" "$W/known.parquet" --batch-size 4 \
      --algorithm $algorithm
    grep -q "^$algorithm: iteration 1: loss " "$W/$algorithm.out" || no "RLlib did not train $algorithm: $(cat "$W/$algorithm.out")"
    trained="$trained $algorithm"
  done
fi

for output in optuna nevergrad $trained; do cat "$W/$output.out"; done
world_down
if [ -n "$without_ray" ] && [ $wrong = 0 ]; then
  skip "$without_ray. What needs neither held: REST, Optuna, Nevergrad, Minari, states"
fi
finish
