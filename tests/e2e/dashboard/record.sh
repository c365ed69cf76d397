#!/usr/bin/env bash
# Records what the browser tests look at: small campaigns that really ran here, as a dump of the coordinator's tables.
#
#   record.sh [FILE]      default: recorded.sql.gz beside this script; HONE_BIN as in tests/support/world.sh
#
# In it: a campaign with a winner, its policy and one that was rolled back to; one without a winner; candidates that
# fail in different ways, with logs; a worker with self-checks; jobs by hand; the log of a few compile sessions. Nothing
# in it tells of this machine: paths, names and processor are replaced, tokens are revoked and their hashes random.
# restore.sh starts a honed on it. Takes some minutes.
. "$(dirname "${BASH_SOURCE[0]}")/../../support/world.sh"
here=$ROOT/tests/e2e/dashboard
out=$(realpath -m "${1:-$here/recorded.sql.gz}")
limit=300000
command -v psql pg_dump > /dev/null || { echo "SKIP: psql or pg_dump is missing"; exit 77; }

api() { # METHOD PATH [JSON] [HEADER]
  curl -sS -f -X "$1" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" ${4:+-H "$4"} \
    ${3:+-H 'Content-Type: application/json' -d "$3"} "$HONE_URL$2"
}
# product NAME METRIC ROUNDS [OPTION]
product() {
  mkdir -p "$W/products"
  cp -r "$here/product" "$W/products/$1"
  echo "$3" > "$W/products/$1/rounds.txt"
  cat > "$W/products/$1/hone.yaml" <<YAML
name: $1
build: {cmake: {options: [-DCMAKE_BUILD_TYPE=Release${4:+, $4}]}, binaries: [mix]}
benchmark:
  command: ["{build}/mix", "{input}"]
  inputs: [{name: rounds, file: rounds.txt}]
  metric: {metric: $2}
  timeout_seconds: 10
YAML
}

world_up
product small text_bytes 100
product quick cpu_time 4000
product fragile cpu_time 4000 -DFRAGILE=ON

echo "a campaign of sizes, which wins, and one of times"
"$BIN/hone" tune "$W/products/small" --budget 16 --seed 4 --output "$W" --json > "$W/small.out" 2> "$W/small.err"
case $? in 0 | 10) ;; *) cat "$W/small.err"; no "small was not tuned" ;; esac
"$BIN/hone" tune "$W/products/quick" --budget 8 --seed 2 --proposer seeded --output "$W" --json > "$W/quick.out" 2> "$W/quick.err"
case $? in 0 | 10) ;; *) cat "$W/quick.err"; no "quick was not tuned" ;; esac

echo "a campaign whose candidates fail"
"$BIN/hone" target add "$W/products/fragile" > "$W/add.out" 2>&1 || no "$(cat "$W/add.out")"
campaign=$(api POST /v1/campaigns '{"target": "fragile", "budget_candidates": 4}' | jq -r .id)
rule() { printf '{"origin": "%s", "note": "%s", "rules": [{"source": "%s", "pipeline": "%s", "knobs": {%s}}]}' "$@"; }
api POST "/v1/campaigns/$campaign/candidate-sets" "{\"generator\": \"record.sh\", \"candidates\": [
  $(rule o3-mutation 'no inliner' '*' 'function(sroa)' ''),
  $(rule knob '-unroll-count=4' 'mix.c' 'default<O3>' '"unroll-count": "4"'),
  $(rule o3-mutation 'no inliner in main.c' 'main.c' 'function(sroa,early-cse)' ''),
  $(rule knob '-inline-threshold=1000' '*' 'default<O3>' '"inline-threshold": "1000"')]}" > /dev/null || no "no candidates"
await 240 sh -c "curl -sS -H 'Authorization: Bearer $(cat "$HONE_TOKEN_FILE")' $HONE_URL/v1/campaigns/$campaign | jq -e .finished_at" ||
  no "fragile does not end"
"$BIN/hone" job submit small --stage confirm --wait --json --pipeline 'default<O3>' > "$W/again.json" 2> "$W/again.err"

version=$(api GET /v1/policies/small/versions | jq -r '.items[0].version')
[[ $version =~ ^[1-9] ]] || no "small has no policy"
api POST "/v1/policies/small/versions/$version/promote" > /dev/null || no "it is not promoted"
api POST "/v1/policies/small/versions/$version/rollback" > /dev/null || no "it is not rolled back to"

echo "compile sessions"
sha=$(sha256sum < "$here/program.ll" | cut -d' ' -f1)
curl -sS -f -X PUT -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" -H 'Content-Type: application/octet-stream' \
  --data-binary "@$here/program.ll" "$HONE_URL/v1/artifacts/$sha" > /dev/null || no "the program is not taken"
look='"observe": ["IrInstructionCount", "Autophase"], "rewards": ["IrInstructionCountOz", "IrInstructionCountNorm"]'
for way in 'function(sroa);function(early-cse);function(simplifycfg)' 'function(sroa);function(instcombine<no-verify-fixpoint>);function(gvn)' \
  'function(early-cse);function(mem2reg);function(adce)'; do
  session=$(api POST /v1/sessions "{\"program\": \"$sha\", \"log\": true, $look}" | jq -r .session)
  IFS=';' read -ra passes <<< "$way"
  for pass in "${passes[@]}"; do
    api POST "/v1/sessions/$session/step" "{\"pipelines\": [\"$pass\"], $look}" > /dev/null || no "$pass fails"
  done
  api POST "/v1/sessions/$session/undo" "{\"count\": 1, $look}" > /dev/null || no "no undo"
  api DELETE "/v1/sessions/$session" > /dev/null
done
sleep 3  # until the log is written

database=$W/data/postgres/run
sql() { psql -qAtX -v ON_ERROR_STOP=1 -h "$database" -U hone hone "$@"; }
sql -f "$here/anonymous.sql" > /dev/null || no "the records cannot be changed"
pg_dump -h "$database" -U hone --data-only --no-owner --no-privileges --exclude-table-data='schema_migrations' \
  --exclude-table-data='idempotency_keys' --exclude-table-data='result_summaries' \
  --exclude-table-data='history_hours' hone > "$W/dump.sql" 2> "$W/dump.err" || no "pg_dump: $(cat "$W/dump.err")"
sql -c "SELECT count(*) FROM schema_migrations" > "$W/migrations"
world_down

# Ways of this machine that stand in logs and notes.
sed -i -e "s#$W#/srv/hone#g" -e "s#$ROOT#/srv/source#g" -e "s#$BIN#/usr/bin#g" -e "s#$HOME/#/home/hone/#g" "$W/dump.sql"
if grep -nE "$W|$ROOT|/tmp/|/root/|$(hostname)" "$W/dump.sql" | cut -c1-200 | head -5 | grep .; then
  no "a path or the name of this machine is in the dump"
fi
{ printf -- '-- Recorded by record.sh; migrations: %s\n' "$(cat "$W/migrations")"; cat "$W/dump.sql"; } | gzip -9n > "$W/dump.gz"
size=$(stat -c %s "$W/dump.gz")
[ "$size" -le $limit ] || no "the dump has $size bytes, at most $limit are wanted"
[ $wrong != 0 ] || { cp "$W/dump.gz" "$out" && echo "$out: $size bytes"; }
finish
