#!/usr/bin/env bash
# `hone-learner evaluate` on a real coordinator's replay buffer: a policy is published from logged decisions only if
# it surely beats the one in force there and on fresh pairs; a bad one with a lucky log stays a candidate.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
[ -x "$BIN/hone-learner" ] || { echo "SKIP: no $BIN/hone-learner"; exit 77; }
honed_up
python3 "$ROOT/tests/integration/evaluate.py" "$W" || { no "the log could not be made"; finish; }

# evaluate NAME EXIT-CODE EXPRESSION ARGUMENTS...: of the policy, and what must hold of its document `e`
evaluate() {
  local name=$1 code=$2 expression=$3 got=0
  shift 3
  "$BIN/hone-learner" evaluate --target lib --policy "$W/$name.json" --json "$@" > "$W/$name.out" 2> "$W/$name.err" || got=$?
  [ $got = "$code" ] || no "$name $*: exit code $got, not $code: $(cat "$W/$name.err" "$W/$name.out")"
  python3 -c 'import json, sys; e = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$W/$name.out" "$expression" ||
    no "$name $*: $expression: $(cat "$W/$name.out")"
}
# Against the compiler first, as no policy is in force.
evaluate current 0 'e["publish"] and e["against"] == "baseline" and e["version"] == 1' --publish
"$BIN/hone" policy promote lib 1 > /dev/null || no "the first policy is not promoted"

evaluate good 0 'e["publish"] and e["against"] == "promoted policy" and 0.01 < e["difference"]["value"] < 0.03'
evaluate good 0 'e["estimates"]["policy"]["effective_sample_size"] > 30 and e["fresh"]["low"] > 0 and e["version"] is None'
evaluate lucky 10 'e["difference"]["low"] > 0 and "did not hold" in e["reason"] and e["version"] is None' --publish
evaluate rare 10 'e["fresh"]["low"] > 0 and "fewer than 30" in e["reason"]' --publish
evaluate broken 10 'e["difference"]["low"] > 0 and e["fresh"]["low"] > 0 and "miscompiled: output differs" in e["reason"]' --publish
evaluate never 10 'e["estimates"]["policy"] is None and "no candidate with the rules of never.json" in e["reason"]' --publish
evaluate current 10 'abs(e["difference"]["value"]) < 1e-9 and "not surely more" in e["reason"]' --publish
[ "$("$BIN/hone" policy versions lib --json | jq length)" = 1 ] || no "one that stays a candidate was published"
evaluate good 0 'e["version"] == 2' --publish
"$BIN/hone" policy pull lib --version 2 --unsigned -o "$W/good.index" --json-output "$W/pulled.json" > "$W/pull.out" 2>&1 ||
  no "the published one cannot be had: $(cat "$W/pull.out")"
jq -e '.card.evaluation.publish and (.card.evaluation.reason | contains("fresh pairs")) and (.rules | length == 2)' \
  "$W/pulled.json" > /dev/null || no "its card does not say what it was let through by: $(cat "$W/pulled.json")"

# From an export, without a coordinator; and what cannot be asked.
"$BIN/hone-learner" export --output "$W/export" > /dev/null || no "export fails"
cp "$W/current.json" "$W/rival.json"
HONE_URL=http://127.0.0.1:1 evaluate good 0 'e["against"] == "rival.json"' --buffer "$W/export/experiences.ndjson" --against "$W/rival.json"
"$BIN/hone-learner" evaluate --target lib --policy "$W/good.json" --against baseline --buffer "$W/export/experiences.ndjson" > "$W/text" ||
  no "as text: $(cat "$W/text")"
grep -q '^good.json *doubly_robust *+0.0[23]' "$W/text" && grep -q '^fit to be published: gains' "$W/text" || no "as text: $(cat "$W/text")"
# refused EXIT-CODE TEXT ARGUMENTS...
refused() {
  local code=$1 text=$2 got=0
  shift 2
  "$BIN/hone-learner" evaluate "$@" > "$W/refused" 2>&1 || got=$?
  [ $got = "$code" ] && grep -q -- "$text" "$W/refused" || no "$*: $got: $(cat "$W/refused")"
}
refused 2 '--against must be' --target lib --policy "$W/good.json" --buffer "$W/export/experiences.ndjson"
refused 5 'not of "other"' --target other --policy "$W/good.json"
refused 2 'either a target' --policy "$W/good.json"
refused 4 '' --target lib --policy "$W/good.json" --against 99
honed_down
finish
