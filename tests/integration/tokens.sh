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
# A grant adds to what is there, and says what that was; rights are taken back one by one, or all.
hone token grant ci theirs:submit > "$W/out" 2>&1 && grep -q 'read, submit (before: read)' "$W/out" ||
  no "a second grant: $(cat "$W/out")"
hone token grant ci theirs:define > "$W/out" 2>&1 && grep -q 'theirs (read, submit, define)' "$W/out" ||
  no "a third grant: $(cat "$W/out")"
hone token revoke-grant ci theirs:submit > "$W/out" 2>&1 && grep -q 'theirs (read, define)' "$W/out" ||
  no "revoke-grant of a right: $(cat "$W/out")"
hone token revoke-grant ci theirs:submit > "$W/out" 2>&1
[ $? = 4 ] || no "a right that is not there was taken back: $(cat "$W/out")"
status 200 "$W/ci" /v1/targets/theirs
hone token revoke-grant ci theirs > "$W/out" || no "revoke-grant: $(cat "$W/out")"
status 404 "$W/ci" /v1/targets/theirs
# A file that cannot be made costs no token, and no other file.
hone token create lost --role viewer --output "$W/none/lost" > "$W/out" 2>&1 && no "a folder that is not there was written to"
hone token create lost --role viewer --output "$W/ci" > "$W/out" 2>&1
[ $? = 5 ] || no "another token's file: $(cat "$W/out")"
status 200 "$W/ci" /v1/targets/ours
hone token rotate ci --output "$W/ci" > "$W/out" 2>&1 && no "rotate overwrote a file"
status 200 "$W/ci" /v1/targets/ours
hone token create ci --role viewer --output "$W/twice" > "$W/out" 2>&1 && no "the name is in use: $(cat "$W/out")"
[ ! -e "$W/twice" ] || no "a file is left of a token that was not made"
hone token list | grep -q lost && no "a token was made that nobody has"
hone policy keygen "$W/k" "$W/none/k.pub" > "$W/out" 2>&1 && no "keygen: $(cat "$W/out")"
[ ! -e "$W/k" ] || no "keygen left half a pair"
# Who holds a token that is over is told so.
hone token create brief --role viewer --expires 1s --output "$W/brief" > "$W/out" 2>&1 || no "brief: $(cat "$W/out")"
told_that_it_expired() {
  hone --token-file "$W/brief" target list > "$W/out" 2>&1
  grep -q "'brief' expired at .*$W/brief" "$W/out"
}
await 30 told_that_it_expired || no "expired: $(cat "$W/out")"
hone token rotate brief > "$W/out" 2>&1
[ $? = 5 ] || no "a token that is over was given another secret: $(cat "$W/out")"
hone token revoke brief > /dev/null
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
hone policy require-signatures theirs > "$W/out" && grep -q 'No key in use is for theirs' "$W/out" || no "require-signatures: $(cat "$W/out")"
hone policy require-signatures ours > "$W/out" && ! grep -q 'No key' "$W/out" || no "require-signatures: $(cat "$W/out")"
cat > "$W/policy.json" <<'JSON'
{"format": 1, "target": "ours", "sequence": 1, "compiler": {"family": "clang", "major": 19}, "rules": [{"source": "*", "pipeline": "default<O3>", "knobs": {"unroll-count": "4"}}]}
JSON
hone policy push ours "$W/policy.json" --promote > "$W/out" 2>&1
[ $? = 5 ] && grep -q 'version 1 is published, but not in force: .*hone policy promote ours 1' "$W/out" || no "push: $(cat "$W/out")"
hone policy promote ours 1 > "$W/out" 2>&1 && no "an unsigned policy is in force"
hone policy show ours --version 1 > "$W/published.json"
hone policy sign "$W/published.json" --key "$W/key.pub" > "$W/out" 2>&1
[ $? = 2 ] && grep -q 'is a public key' "$W/out" || no "a public key signed: $(cat "$W/out")"
# A signature of another document than the published one is told as that.
sed 's/"sequence": 1/"sequence": 9/' "$W/policy.json" > "$W/mine.json"
hone policy sign "$W/mine.json" --key "$W/key" --detached > /dev/null || no "sign"
hone policy attach ours 1 "$W/mine.json.sig" > "$W/out" 2>&1
[ $? = 5 ] && grep -q 'of another document than version 1 of ours (sequence 9, published is 1)' "$W/out" || no "attach: $(cat "$W/out")"
hone policy sign "$W/published.json" --key "$W/key" --detached > /dev/null || no "sign"
hone policy attach ours 1 "$W/published.json.sig" > "$W/out" || no "attach: $(cat "$W/out")"
hone policy promote ours 1 > "$W/out" || no "promote: $(cat "$W/out")"
hone policy pull ours -o "$W/index" --public-key "$W/key.pub" > "$W/out" || no "pull: $(cat "$W/out")"
hone policy pull ours -o "$W/index" --public-key "$W/key.pub" --public-key "$W/missing.pub" > "$W/out" 2>&1 &&
  grep -q "warning: .*missing.pub" "$W/out" || no "a pinned key that is missing: $(cat "$W/out")"
# Signed anew under a higher number an older version is in force again; pushed again it is the same one.
hone policy rollback ours 1 > "$W/out" 2>&1
[ $? = 5 ] && grep -q 'hone policy sign FILE --key KEY --sequence' "$W/out" || no "rollback: $(cat "$W/out")"
hone policy show ours --version 1 > "$W/again.json" && hone policy sign "$W/again.json" --key "$W/key" --sequence 12 > /dev/null &&
  hone policy push ours "$W/again.json" --promote > "$W/out" 2>&1 && grep -q '"sequence": 12' "$W/out" || no "a higher number: $(cat "$W/out")"
hone policy push ours "$W/again.json" > "$W/out" 2>&1 && [ "$(json "$W/out" version)" = 2 ] || no "pushed again: $(cat "$W/out")"
# What was published unsigned is signed by pushing the signed file.
hone policy push ours "$W/policy.json" > "$W/out" 2> "$W/err" && grep -q 'published as sequence 13, not 1' "$W/err" || no "renumbered: $(cat "$W/err")"
hone policy show ours --version 3 > "$W/third.json" && hone policy sign "$W/third.json" --key "$W/key" > /dev/null &&
  hone policy push ours "$W/third.json" --promote > "$W/out" 2>&1 && [ "$(json "$W/out" version)" = 3 ] || no "signed later: $(cat "$W/out")"
hone policy key retire team > "$W/out" 2>&1
[ $? = 5 ] || no "the last key went: $(cat "$W/out")"
hone policy key retire team --force > "$W/out" || no "retire: $(cat "$W/out")"

# What cannot be measured as it is meant is refused when it is submitted.
sed 's/"ours"/"theirs"/' "$W/policy.json" > "$W/other.json"
hone job submit ours --policy "$W/other.json" > "$W/out" 2>&1
[ $? = 2 ] && grep -q 'a policy of target theirs, not of ours' "$W/out" || no "another target's policy: $(cat "$W/out")"
sed 's/"major": 19/"major": 16/' "$W/policy.json" > "$W/old.json"
hone job submit ours --policy "$W/old.json" > "$W/out" 2>&1
[ $? = 2 ] && grep -q 'for clang 16, and no worker compiles with that' "$W/out" || no "another compiler's policy: $(cat "$W/out")"
hone job submit nobody --knob unroll-count=2 > "$W/out" 2>&1
[ $? = 4 ] || no "an unknown target: $(cat "$W/out")"
hone worker drain local > "$W/out" 2>&1 && hone worker show local | grep -q 'takes no more jobs' || no "drain: $(cat "$W/out")"
hone worker resume local > "$W/out" 2>&1 && ! hone worker show local | grep -q 'takes no more jobs' || no "resume: $(cat "$W/out")"
hone frobnicate > "$W/out" 2>&1
[ $? = 2 ] && grep -q '"frobnicate" is no command of' "$W/out" || no "an unknown command: $(cat "$W/out")"
hone completion zsh > "$W/out" 2>&1
[ $? = 2 ] && grep -q '"zsh" is no command of' "$W/out" || no "an unknown shell: $(cat "$W/out")"
hone policy knobs > "$W/out" && grep -q '^unroll-count ' "$W/out" || no "knobs: $(cat "$W/out")"

# Secrets stay out of what is uploaded.
mkdir -p "$W/product"
printf 'name: packed\nbuild:\n  commands: [["true"]]\n  binaries: [tiny]\nbenchmark:\n  command: ["{build}/tiny"]\n' > "$W/product/hone.yaml"
cp "$W/key" "$W/product/hone.key" && cp "$HONE_TOKEN_FILE" "$W/product/hone.token"
hone target add "$W/product" > "$W/out" 2>&1 && grep -q 'hone.key was left out' "$W/out" && grep -q 'hone.token was left out' "$W/out" ||
  no "target add: $(cat "$W/out")"
hone target show packed > "$W/packed.json"
curl -sf -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" "$HONE_URL/v1/artifacts/$(json "$W/packed.json" spec source artifact)" > "$W/source.tar.zst" ||
  curl -sf -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" "$HONE_URL/v1/artifacts/$(json "$W/packed.json" source artifact)" > "$W/source.tar.zst" ||
  no "no source: $(cat "$W/packed.json")"
tar --zstd -tf "$W/source.tar.zst" > "$W/out" 2>&1
[ "$(cat "$W/out")" = hone.yaml ] || no "packed: $(cat "$W/out")"

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
hone audit --target ours --action policy.promote > "$W/out" && [ "$(wc -l < "$W/out")" = 4 ] || no "audit filter: $(cat "$W/out")"
world_down
finish
