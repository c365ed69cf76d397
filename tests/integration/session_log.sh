#!/usr/bin/env bash
# The log of compile sessions: honed keeps what was asked of a session that wants it, also when it is
# stopped right afterwards; `hone env log export` writes it, goes on where it was, and says what is in it.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
[ -x "$BIN/hone-session" ] || exit 77

serve() {
  rm -f "$W/data/honed.address"
  "$BIN/honed" --data "$W/data" --listen 127.0.0.1:0 "$@" > "$W/honed.out" 2> "$W/honed.err" &
  up_pid=$!
  await 60 test -s "$W/data/honed.address" || { cat "$W/honed.err"; echo "WRONG: honed does not start"; exit 1; }
  HONE_URL=http://$(cat "$W/data/honed.address")
  HONE_TOKEN_FILE=$W/data/admin.token
  export HONE_URL HONE_TOKEN_FILE
}
# api METHOD PATH [BODY]
api() {
  curl -sS -X "$1" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" ${3:+-H 'Content-Type: application/json' -d "$3"} \
    "$HONE_URL$2"
}
# log NAME EXIT-CODE ARGUMENTS...
log() {
  local name=$1 code=$2 got=0
  shift 2
  "$BIN/hone" env log export "$@" --json > "$W/$name.json" 2> "$W/$name.err" || got=$?
  [ $got = "$code" ] || no "$name: exit code $got, not $code: $(cat "$W/$name.err" "$W/$name.json")"
}

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
serve
curl -sS -f -X PUT -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" -H 'Content-Type: application/octet-stream' \
  --data-binary "@$W/sum.ll" "$HONE_URL/v1/artifacts/$sha" > /dev/null || no "the program is not taken"

one=$(api POST /v1/sessions "{\"program\": \"$sha\", \"log\": true}" | jq -r .session)
api POST "/v1/sessions/$one/step" '{"pipelines": ["function(sroa)"], "log_propensities": [-1.5], "observe": ["InstCount"],
  "rewards": ["IrInstructionCountOz"]}' > /dev/null
api DELETE "/v1/sessions/$one" > /dev/null
log nothing 0 "$W/log.ndjson"
await 10 sh -c "'$BIN/hone' env log export '$W/log.ndjson' && [ \$(wc -l < '$W/log.ndjson') = 3 ]" ||
  no "the log has $(wc -l < "$W/log.ndjson") lines, not 3"
jq -se '.[1] | .outcome == "ok" and .log_propensities == [-1.5] and (.features.InstCount | length) == 70
  and .rewards.IrInstructionCountOz == 1 and (.compiler | startswith("LLVM 19."))' "$W/log.ndjson" > /dev/null ||
  no "the step: $(sed -n 2p "$W/log.ndjson")"

# What is asked right before the end is not lost, and an episode that was under way ends there.
two=$(api POST /v1/sessions "{\"program\": \"$sha\", \"log\": true}" | jq -r .session)
api POST "/v1/sessions/$two/step" '{"pipelines": ["globaldce"]}' > /dev/null
world_down
grep -q '"event":"stopped"' "$W/honed.err" || no "honed did not stop in order: $(tail -3 "$W/honed.err")"
serve
log again 0 "$W/log.ndjson" --card "$W/card.md"
jq -se 'length == 6 and .[5].reason == "honed stopped" and .[5].entries == 3 and ([.[].episode] | unique | length) == 2' \
  "$W/log.ndjson" > /dev/null || no "after a stop: $(cat "$W/log.ndjson")"
[ "$(jq .new_lines "$W/again.json")" = 3 ] || no "not what came since alone: $(cat "$W/again.json")"
for row in 'lines | 6' 'programs | 1' 'episodes that are complete | 2' 'steps | 2'; do
  grep -qF "| $row |" "$W/card.md" || no "the card lacks '$row': $(cat "$W/card.md")"
done
grep -qE "$W|/tmp" "$W/card.md" && no "the card names this machine"
[ -s "$W/log.card.md" ] || no "without --card none was written"

echo mine > "$W/mine.ndjson"
log other 5 "$W/mine.ndjson"
grep -q 'mine.ndjson.cursor is not beside it' "$W/other.err" || no "another file: $(cat "$W/other.err")"
log same 2 "$W/log.ndjson" --card "$W/log.ndjson"

world_down
finish
