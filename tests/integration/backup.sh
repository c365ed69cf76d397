#!/usr/bin/env bash
# hone backup and hone restore, with a real honed: jobs, policies, tokens, artifacts and places in streams survive, those
# from after the backup, too; policies are numbered above what machines have seen; a
# backup that was cut short or spoiled is refused, a folder that is not empty too; a full disk leaves no half backup.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v curl python3 jq > /dev/null || { echo "SKIP: curl, python3 or jq is missing"; exit 77; }
world_up --no-worker
auth="Authorization: Bearer $(cat "$HONE_TOKEN_FILE")"
ask() { curl -sS -f -H "$auth" "$@"; }

# --- something to keep
head -c 300000 /dev/urandom > "$W/artifact"
sha=$(sha256sum "$W/artifact" | cut -c1-64)
ask -o /dev/null -T "$W/artifact" -H 'Content-Type: application/octet-stream' "$HONE_URL/v1/artifacts/$sha" || no "no artifact"
ask -o /dev/null -X PUT --json '{"name": "t", "source": {"artifact": "'"$sha"'"}, "build": {"commands": [["make"]], "binaries": ["p"]},
  "benchmark": {"command": ["{build}/p"]}}' "$HONE_URL/v1/targets/t" || no "no target"
batch='{"jobs": ['$(for i in $(seq 50); do printf '{"target": "t", "rules": [], "note": "n%s"},' "$i"; done | sed 's/,$//')']}'
ask -o /dev/null -H 'Idempotency-Key: a' --json "$batch" "$HONE_URL/v1/jobs" || no "no jobs"
"$BIN/hone" token create watcher --role viewer --output "$W/viewer.token" > /dev/null || no "no token"
last() { curl -sS -m 2 -H "$auth" -N "$1/v1/jobs/$2/events" 2>/dev/null | grep -m1 '^id:'; }
job=$(ask "$HONE_URL/v1/jobs?limit=1" | jq -r '.items[0].id')
place=$(last "$HONE_URL" "$job")
[ -n "$place" ] || no "no event"

# Measures one job, as a worker would.
result='{"outcome": "ok", "verdict": "inconclusive", "reward": {"value": 0, "low": -0.1, "high": 0.1, "confidence": 0.95, "pairs": 24,
  "detectable_effect": 0.1, "noise": 0.1}, "samples": [
    {"pair": 0, "position": 0, "block": 0, "layout": 0, "metric": "cpu_time", "role": "baseline", "value": 1.0},
    {"pair": 0, "position": 1, "block": 0, "layout": 0, "metric": "cpu_time", "role": "candidate", "value": 1.0}],
  "machine": {"host": "h"}, "log": "", "build_seconds": 0.1}'
take() { attempt=$(ask --json '{"version": 1, "worker": "w", "wait_seconds": 5}' "$HONE_URL/v1/leases" | jq -r .attempt); }
measure() {
  take
  ask -o /dev/null --json "$result" "$HONE_URL/v1/leases/$attempt/complete" || no "a result is not taken"
}
experiences() { ask "$HONE_URL/v1/experiences${1:+?after=$1}"; }
cancel() { ask -o /dev/null --json '{}' "$HONE_URL/v1/jobs/$1/cancel" || no "not cancelled"; }
# The cancellation of a job, to whoever goes on from a place.
cancelled_after() {
  curl -sS -m 5 -H "$auth" -H "Last-Event-ID: ${2#id: }" -N "$HONE_URL/v1/jobs/$1/events" 2> /dev/null | grep -c '"state":"cancelled"'
}
publish() { "$BIN/hone" policy push t "$W/policy.json" --promote | jq .sequence; }
pull() { "$BIN/hone" policy pull t --unsigned -o "$W/machine.policy" > "$W/out" 2>&1; }
ask -o /dev/null -X PUT --json '{"name": "w", "machine": {"host": "h"}, "labels": {}, "slots": 1, "version": "1"}' "$HONE_URL/v1/workers/w" || no "no worker"
echo '{"format": 1, "target": "t", "sequence": 1, "compiler": {"family": "clang", "major": 19}, "rules": []}' > "$W/policy.json"
[ "$(publish)" = 1 ] || no "no policy"

# --- a backup of it, running
"$BIN/hone" backup "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1 || no "hone backup: $(cat "$W/out")"
grep -q 'at least 50 jobs, .* 1 artifacts; .* every hash is right' "$W/out" || no "it says: $(cat "$W/out")"
[ "$(stat -c %a "$W/b1.tar")" = 600 ] || no "others may read the backup"
"$BIN/hone" backup "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1 && no "an earlier backup was written over"
"$BIN/hone" backup "$W/b2" --data "$W/data" > "$W/out" 2>&1 || no "hone backup to a folder: $(cat "$W/out")"
[ "$(stat -c %a "$W/b2")" = 700 ] || no "others may enter the backup"
ls "$W" | grep partial && no "something is left of a backup"
grep -rlF "$(cut -c1-40 "$HONE_TOKEN_FILE")" "$W/b1.tar" "$W/b2" && no "a backup holds a token"
"$BIN/honed" restore "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1
[ $? = 5 ] || no "a folder in use was restored into: $(cat "$W/out")"

# --- what comes after it, and will be lost: as much as it takes to hide what comes after a restore
for i in $(seq 5); do measure; done
measured=$attempt
seen=$(experiences | tail -n 1 | jq -r .cursor)
[ -n "$seen" ] || no "no experience"
others=$(ask "$HONE_URL/v1/jobs?limit=30&state=queued" | jq -r --arg job "$job" '.items[].id | select(. != $job)')
for other in $others; do cancel "$other"; done
lost=$(curl -sS -m 2 -H "$auth" -N "$HONE_URL/v1/jobs/$other/events" 2> /dev/null | grep '^id:' | tail -n 1)
published=$(publish)
pull || no "the policy is not pulled: $(cat "$W/out")"
world_down

# --- of one that is stopped
"$BIN/honed" backup "$W/b3.tar" --data "$W/data" > "$W/out" 2>&1 || no "backup of a stopped honed: $(cat "$W/out")"

# --- what is refused
size=$(stat -c %s "$W/b1.tar")
for keep in 1000 $((size / 2)) $((size - 20000)); do
  head -c "$keep" "$W/b1.tar" > "$W/cut.tar"
  "$BIN/honed" restore "$W/cut.tar" --data "$W/cut" > "$W/out" 2>&1 && no "a backup cut to $keep bytes was restored"
  [ -e "$W/cut" ] && no "a refused backup made a data folder"
done
cp -r "$W/b2" "$W/b4" && file="$W/b4/artifacts/${sha:0:2}/$sha" && printf x | dd of="$file" bs=1 seek=1000 conv=notrunc status=none
"$BIN/honed" verify-backup "$W/b4" > "$W/out" 2>&1 && no "a spoiled artifact was not noticed"
grep -q "$sha has another content" "$W/out" || no "it says: $(cat "$W/out")"
rm "$file" && "$BIN/honed" verify-backup "$W/b4" > "$W/out" 2>&1 && no "a missing artifact was not noticed"
cp -r "$W/b2" "$W/b5" && echo more > "$W/b5/artifacts/${sha:0:2}/more"
"$BIN/honed" verify-backup "$W/b5" > "$W/out" 2>&1 && no "a file that is not in the manifest was not noticed"
grep -q 'not in its manifest' "$W/out" || no "it says: $(cat "$W/out")"
sed -i 's/"0020_operations.sql"/"9999_later.sql"/' "$W/b2/manifest.json"
"$BIN/honed" restore "$W/b2" --data "$W/later" > "$W/out" 2>&1 && no "a later Hone's backup was restored"
grep -q 9999_later.sql "$W/out" || no "it says: $(cat "$W/out")"
"$BIN/honed" restore "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1 && no "a folder that is not empty was restored into"
grep -q 'is not empty' "$W/out" || no "it says: $(cat "$W/out")"
HONE_DATABASE=postgresql://x/y "$BIN/honed" backup "$W/b9" --data "$W/data" > "$W/out" 2>&1 && no "a foreign database was backed up"
grep -q 'back it up as its operators do' "$W/out" || no "it says: $(cat "$W/out")"

# --- a full disk
if mkdir "$W/small" && unshare -m true 2> /dev/null; then
  unshare -m bash -c "mount -t tmpfs -o size=3m tmpfs '$W/small' && '$BIN/honed' backup '$W/small/b.tar' --data '$W/data'; echo \$? > '$W/code'; ls '$W/small' > '$W/left'" > "$W/out" 2>&1
  [ "$(cat "$W/code")" = 1 ] && [ ! -s "$W/left" ] || no "on a full disk: $(cat "$W/code" "$W/left" "$W/out")"
  grep -qiE 'full|no space' "$W/out" || no "a full disk is not named: $(cat "$W/out")"
  unshare -m bash -c "mount -t tmpfs -o size=3m tmpfs '$W/small' && '$BIN/honed' restore '$W/b1.tar' --data '$W/small'; echo \$? > '$W/code'; ls '$W/small' > '$W/left'" > "$W/out" 2>&1
  [ "$(cat "$W/code")" = 1 ] && ! grep -qvx honed.lock "$W/left" || no "restored to a full disk: $(cat "$W/code" "$W/left" "$W/out")"
else
  echo "NOTE: no mount namespaces: the full disk was not tried"
fi

# --- and back
mv "$W/data" "$W/old"
"$BIN/hone" restore "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1 || no "hone restore: $(cat "$W/out")"
cmp -s "$W/data/admin.token" "$W/old/admin.token" && no "the restored token is the old one"
world_up --no-worker
ask -o "$W/whoami" "$HONE_URL/v1/whoami" || no "the old admin's token does not work"
curl -sS -f -o /dev/null -H "Authorization: Bearer $(cat "$W/data/admin.token")" "$HONE_URL/v1/tokens" || no "the new admin's token does not work"
curl -sS -f -o /dev/null -H "Authorization: Bearer $(cat "$W/viewer.token")" "$HONE_URL/v1/targets" || no "a viewer's token does not work"
ask "$HONE_URL/v1/audit?action=token.create&limit=1" | jq -e '.items[0] | .token_name == "honed" and (.after.name | startswith("admin-restored-"))' > /dev/null ||
  no "the new admin's token is not in the audit log: $(ask "$HONE_URL/v1/audit?limit=1")"
[ "$(ask "$HONE_URL/v1/jobs?limit=200&state=queued" | jq '.items | length')" = 50 ] || no "not all jobs are back"
ask -o "$W/again" "$HONE_URL/v1/artifacts/$sha" && cmp -s "$W/artifact" "$W/again" || no "the artifact is another"
[ "$(last "$HONE_URL" "$job")" = "$place" ] || no "a place in the stream of events is lost: $place"
# Places of what comes now lie behind those from before the backup, and from after it.
[ -z "$(experiences "$seen")" ] || no "something came before anything was measured"
# A worker that measured an equal binary refers to what is lost: it is told which part is wrong, and gives the job back.
take
curl -sS -H "$auth" --json "$(jq --arg it "$measured" '.reused_attempt = $it | .samples = []' <<< "$result")" "$HONE_URL/v1/leases/$attempt/complete" |
  jq -e '.status == 400 and [.errors[].pointer] == ["/reused_attempt"]' > /dev/null || no "an attempt that is lost is reused"
ask -o /dev/null --json '{"reason": "measured again", "count_attempt": false}' "$HONE_URL/v1/leases/$attempt/fail" || no "not handed back"
measure
[ "$(experiences "$seen" | wc -l)" = 1 ] || no "a reader who saw experiences that were lost misses what comes now"
[ "$(experiences | wc -l)" = 1 ] || no "not the experiences that are there"
again=$(experiences | jq -r .cursor)
cancel "$job"
[ "$(cancelled_after "$job" "$place")" = 1 ] || no "a reader who goes on from before the backup misses what came after it"
[ "$(cancelled_after "$job" "$lost")" = 1 ] || no "a reader who saw events that were lost misses what comes now"
# Policies: what is in force is older than what machines saw, until it is published anew.
pull && no "a machine takes an older policy"
grep -q 'was seen before' "$W/out" || no "it says: $(cat "$W/out")"
"$BIN/hone" policy rollback t 1 > "$W/out" 2>&1 || no "no rollback: $(cat "$W/out")"
pull || no "a policy from after the restore is not taken: $(cat "$W/out")"
republished=$(publish)
[ "$republished" -gt $((published + 1000000)) ] || no "a policy has number $republished, and $published was published before"
pull || no "the next one is not taken: $(cat "$W/out")"

# --- the database is as PostgreSQL wants it
as_owner() { (cd / && setpriv --reuid "$(stat -c %u "$W/data/postgres/data")" --regid "$(stat -c %g "$W/data/postgres/data")" --clear-groups "$@"); }
[ "$(id -u)" = 0 ] || as_owner() { "$@"; }
tools=/usr/lib/postgresql/15/bin
sql() { as_owner "$tools/psql" -h "$W/data/postgres/run" -U hone -d hone -XAtqc "$1"; }
if sql 'CREATE EXTENSION amcheck' 2> "$W/out"; then
  as_owner "$tools/pg_amcheck" -h "$W/data/postgres/run" -U hone -d hone --heapallindexed --parent-check --rootdescend > "$W/out" 2>&1 ||
    no "pg_amcheck: $(cat "$W/out")"
  sql 'VACUUM (FREEZE, ANALYZE)' > "$W/out" 2>&1 || no "vacuum: $(cat "$W/out")"
  as_owner "$tools/pg_amcheck" -h "$W/data/postgres/run" -U hone -d hone --heapallindexed --parent-check > "$W/out" 2>&1 ||
    no "pg_amcheck after a vacuum: $(cat "$W/out")"
else
  no "no amcheck: $(cat "$W/out")"
fi
world_down

# --- the same backup once more: what was given out since the first time is lost as well
mv "$W/data" "$W/first"
"$BIN/hone" restore "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1 || no "hone restore, again: $(cat "$W/out")"
world_up --no-worker
measure
for cursor in "$seen" "$again"; do
  [ "$(experiences "$cursor" | wc -l)" = 1 ] || no "after another restore a reader of $cursor misses what comes"
done
[ "$(publish)" -gt "$republished" ] || no "policies are numbered as after the restore before"
pull || no "a policy from after the other restore is not taken: $(cat "$W/out")"

# --- a restore that was cut short is no data folder
world_down
mkdir "$W/half" && touch "$W/half/restore.unfinished"
"$BIN/honed" --data "$W/half" --listen 127.0.0.1:0 > "$W/out" 2>&1 && no "honed starts on half a restore"
grep -q 'was cut short' "$W/out" || no "it says: $(cat "$W/out")"
finish
