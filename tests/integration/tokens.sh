#!/usr/bin/env bash
# Tokens by the command line: confined to targets, shown, granted, expiring, rotated, revoked; keys of
# policies; and the audit log that says who did all that.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
hone() { "$BIN/hone" "$@"; }
# status WANTED TOKEN-FILE PATH
status() {
  local got
  got=$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(cat "$2")" "$HONE_URL$3")
  [ "$got" = "$1" ] || no "$3 with $(basename "$2"): $got, not $1"
}
world_up --slots 1
for name in ours theirs; do
  python3 - "$name" > "$W/$name.json" <<'PYTHON'
import json, sys
print(json.dumps({"name": sys.argv[1], "source": {"git": {"url": "/srv/x", "commit": "a" * 40}},
                  "build": {"commands": [["make"]], "binaries": ["product"]},
                  "benchmark": {"command": ["{build}/product"]}}))
PYTHON
  curl -sf -X PUT -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" -H 'Content-Type: application/json' \
    -d "@$W/$name.json" "$HONE_URL/v1/targets/$name" > /dev/null || no "no target $name"
done

hone token create ci --role submitter --target ours:read,submit --expires 90d --output "$W/ci" > "$W/out" \
  || no "create: $(cat "$W/out")"
[ "$(stat -c %a "$W/ci")" = 600 ] || no "the token's file is open"
status 200 "$W/ci" /v1/targets/ours
status 404 "$W/ci" /v1/targets/theirs
status 403 "$W/ci" /v1/tokens
hone token show ci > "$W/shown" && grep -q 'ours (read, submit)' "$W/shown" || no "show: $(cat "$W/shown")"
grep -q expires_at "$W/shown" || no "show has no expiry: $(cat "$W/shown")"
hone token grant ci theirs:read > "$W/out" && grep -q 'theirs (read)' "$W/out" || no "grant: $(cat "$W/out")"
status 200 "$W/ci" /v1/targets/theirs
hone token revoke-grant ci theirs > "$W/out" || no "revoke-grant: $(cat "$W/out")"
status 404 "$W/ci" /v1/targets/theirs
hone token rotate ci --overlap 1h --output "$W/ci2" > "$W/out" || no "rotate: $(cat "$W/out")"
status 200 "$W/ci" /v1/targets/ours
status 200 "$W/ci2" /v1/targets/ours
hone token rotate ci --output "$W/ci3" > "$W/out" || no "rotate: $(cat "$W/out")"
status 401 "$W/ci2" /v1/targets/ours
hone token list > "$W/out" && grep -q 'ci .*submitter .*ours (read, submit)' "$W/out" || no "list: $(cat "$W/out")"
hone token create bad --role viewer --target ours:define > "$W/out" 2>&1 && no "a viewer may define: $(cat "$W/out")"
hone token create bad --role viewer --expires soon > "$W/out" 2>&1 && no "soon is no time: $(cat "$W/out")"
hone token revoke ci > "$W/out" || no "revoke: $(cat "$W/out")"
status 401 "$W/ci3" /v1/targets/ours

hone policy keygen "$W/key" > /dev/null
hone policy key add team --public-key "$W/key.pub" --target ours > "$W/out" || no "key add: $(cat "$W/out")"
hone policy key list > "$W/out" && grep -q 'team .*ours .*yes' "$W/out" || no "key list: $(cat "$W/out")"
hone policy key add secret --public-key "$W/key" > "$W/out" 2>&1 && no "a secret key was taken: $(cat "$W/out")"
hone policy require-signatures ours > /dev/null || no "require-signatures"
cat > "$W/policy.json" <<'JSON'
{"format": 1, "target": "ours", "sequence": 1, "compiler": {"family": "clang", "major": 19}, "rules": [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": "4"}}]}
JSON
hone policy push ours "$W/policy.json" > "$W/out" || no "push: $(cat "$W/out")"
hone policy promote ours 1 > "$W/out" 2>&1 && no "an unsigned policy is in force"
hone policy show ours --version 1 > "$W/published.json"
hone policy sign "$W/published.json" --key "$W/key" --detached > /dev/null || no "sign"
hone policy attach ours 1 "$W/published.json.sig" > "$W/out" || no "attach: $(cat "$W/out")"
hone policy promote ours 1 > "$W/out" || no "promote: $(cat "$W/out")"
hone policy pull ours -o "$W/index" --public-key "$W/key.pub" > "$W/out" || no "pull: $(cat "$W/out")"
hone policy key retire team > "$W/out" || no "retire: $(cat "$W/out")"

hone audit --json > "$W/audit.ndjson" || no "audit"
python3 - "$W/audit.ndjson" <<'PYTHON' || no "audit: $(cut -c1-2000 "$W/audit.ndjson")"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
seen = {row["action"] for row in rows}
wanted = {"token.create", "token.grant", "token.revoke_grant", "token.rotate", "token.revoke", "target.define",
          "policy_key.add", "policy.require_signatures", "policy.publish", "policy.sign", "policy.promote",
          "policy_key.retire"}
assert wanted <= seen, wanted - seen
first = rows[-1]
assert (first["action"], first["token_name"], first["after"]["name"]) == ("token.create", "honed", "admin"), first
assert [row["number"] for row in rows] == sorted((row["number"] for row in rows), reverse=True)
assert "hone_" not in open(sys.argv[1]).read()
PYTHON
hone audit --target ours --action policy.promote > "$W/out" && [ "$(wc -l < "$W/out")" = 2 ] || no "audit filter: $(cat "$W/out")"
world_down
finish
