#!/usr/bin/env bash
# hone backup and hone restore, with a real honed: jobs, policies, tokens, artifacts and places in streams survive, those
# from after the backup, too; policies are numbered above what machines have seen, and what is in force is published again
# or it is said how; a backup that was cut short or spoiled is refused, a folder that is not empty or somebody else's too; a
# full disk and a kill leave no half backup and no half data folder that would be taken for a whole one.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v curl python3 jq > /dev/null || { echo "SKIP: curl, python3 or jq is missing"; exit 77; }
world_up --no-worker
auth="Authorization: Bearer $(cat "$HONE_TOKEN_FILE")"
ask() { curl -sS -f -H "$auth" "$@"; }

# --- something to keep
head -c 300000 /dev/urandom > "$W/artifact"
sha=$(sha256sum "$W/artifact" | cut -c1-64)
ask -o /dev/null -T "$W/artifact" -H 'Content-Type: application/octet-stream' "$HONE_URL/v1/artifacts/$sha" || no "no artifact"
register() {
  ask -o /dev/null -X PUT --json '{"name": "'"$1"'", "source": {"artifact": "'"$sha"'"}, "build": {"commands": [["make"]], "binaries": ["p"]},
    "benchmark": {"command": ["{build}/p"]}}' "$HONE_URL/v1/targets/$1" || no "no target $1"
}
register t
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
pull_signed() { "$BIN/hone" policy pull s --public-key "$W/key.pub" -o "$W/signed.policy" "$@" > "$W/out" 2>&1; }
# Signs the policy of target s with a number, and puts it in force.
sign() {
  jq --argjson n "$1" '.target = "s" | .sequence = $n' "$W/policy.json" > "$W/s.json" &&
    "$BIN/hone" policy sign "$W/s.json" --key "$W/key" > /dev/null && "$BIN/hone" policy push s "$W/s.json" --promote > "$W/out" 2>&1
}
ask -o /dev/null -X PUT --json '{"name": "w", "machine": {"host": "h"}, "labels": {}, "slots": 1, "version": "1"}' "$HONE_URL/v1/workers/w" || no "no worker"
echo '{"format": 1, "target": "t", "sequence": 1, "compiler": {"family": "clang", "major": 19}, "rules": []}' > "$W/policy.json"
[ "$(publish)" = 1 ] || no "no policy"
register s
"$BIN/hone" policy keygen "$W/key" > /dev/null || no "no key"
sign 5 || no "no signed policy: $(cat "$W/out")"

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
sign 6 || no "no later signed policy: $(cat "$W/out")"
pull_signed || no "the signed policy is not pulled: $(cat "$W/out")"
# --- a backup that is killed is none, leaves honed alone, and is made again under its name
"$BIN/honed" backup "$W/killed" --data "$W/data" > "$W/out" 2>&1 &
killed=$!
until [ -e "$W/killed.partial" ] || ! kill -0 $killed 2> /dev/null; do sleep 0.01; done
kill -9 $killed 2> /dev/null
wait $killed 2> /dev/null
if [ -e "$W/killed" ]; then
  echo "NOTE: the backup ended before it was killed"
else
  "$BIN/honed" verify-backup "$W/killed.partial" > "$W/out" 2>&1 && no "half a backup is good"
  ask -o /dev/null "$HONE_URL/v1/whoami" || no "honed ended with the backup"
  "$BIN/honed" backup "$W/killed" --data "$W/data" > "$W/out" 2>&1 || no "no backup after one that was killed: $(cat "$W/out")"
fi
ls "$W" | grep partial && no "something is left of a backup that was killed"
rm -rf "$W/killed"
flock "$W/twice.partial.lock" "$BIN/honed" backup "$W/twice" --data "$W/data" > "$W/out" 2>&1
[ $? = 5 ] && grep -q 'twice is being made by another process' "$W/out" || no "a backup that is being made is made once more: $(cat "$W/out")"
rm "$W/twice.partial.lock"
"$BIN/honed" backup "$W/data/b.tar" --data "$W/data" > "$W/out" 2>&1
[ $? = 2 ] && grep -q 'would lie in the data folder' "$W/out" || no "a backup within what it is of: $(cat "$W/out")"
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
rm "$W/b5/artifacts/${sha:0:2}/more" && sed -i 's/"postgresql":"15/"postgresql":"16/' "$W/b5/manifest.json"
"$BIN/honed" restore "$W/b5" --data "$W/later" > "$W/out" 2>&1 && no "a backup of another PostgreSQL was restored"
grep -q 'is of PostgreSQL 16.*and Hone runs 15' "$W/out" || no "it says: $(cat "$W/out")"
"$BIN/honed" restore "$W/b1.tar" --data "$W/later" --artifacts s3://bucket/prefix > "$W/out" 2>&1
[ $? = 2 ] && grep -q '`artifacts` is s3://bucket/prefix' "$W/out" || no "artifacts that lie elsewhere: $(cat "$W/out")"
"$BIN/honed" restore "$W/b1.tar" --data "$W/later" --database postgresql://x/y > "$W/out" 2>&1
[ $? = 2 ] && grep -q '`database` is set' "$W/out" || no "a foreign database: $(cat "$W/out")"
[ -e "$W/later" ] && no "what was refused made a data folder"
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

# --- somebody else's: root leaves it as it is, and others are told who should do it
if [ "$(id -u)" = 0 ]; then
  as_nobody() { (cd / && HOME=/ setpriv --reuid 65534 --regid 65534 --clear-groups "$@"); }
  mkdir "$W/theirs" && cp "$W/b1.tar" "$W/theirs/b.tar" && mkdir "$W/theirs/data" && chown -R 65534:65534 "$W/theirs"
  "$BIN/honed" restore "$W/b1.tar" --data "$W/theirs/data" > "$W/out" 2>&1
  [ $? = 3 ] && grep -q "theirs/data belongs to user 'nobody'" "$W/out" || no "root restores into another's folder: $(cat "$W/out")"
  [ -z "$(ls -A "$W/theirs/data")" ] || no "root left something in another's folder"
  as_nobody "$BIN/honed" restore "$W/theirs/b.tar" --data "$W/theirs/data" > "$W/out" 2>&1 || no "restored by another user: $(cat "$W/out")"
  owners=$(find "$W/theirs" -printf '%U %p\n' | sort)
  "$BIN/honed" backup "$W/b6.tar" --data "$W/theirs/data" > "$W/out" 2>&1
  [ $? = 3 ] && grep -q "belongs to user 'nobody', and as root PostgreSQL runs as user" "$W/out" || no "root backs up another's: $(cat "$W/out")"
  [ "$(find "$W/theirs" -printf '%U %p\n' | sort)" = "$owners" ] || no "root's try changed whose the files are"
  as_nobody "$BIN/honed" backup "$W/theirs/again.tar" --data "$W/theirs/data" > "$W/out" 2>&1 || no "backed up by another user: $(cat "$W/out")"
  as_nobody "$BIN/honed" backup "$W/theirs/roots.tar" --data "$W/data" > "$W/out" 2>&1
  [ $? = 3 ] && grep -q "'nobody' may not look into $W/data/postgres" "$W/out" || no "another user backs up root's: $(cat "$W/out")"
else
  echo "NOTE: not root: other users' folders were not tried"
fi

# --- and back; at the second try, since the first is killed
mv "$W/data" "$W/old"
"$BIN/honed" restore "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1 &
killed=$!
until [ -e "$W/data/restore.unfinished" ] || ! kill -0 $killed 2> /dev/null; do sleep 0.01; done
kill -9 $killed 2> /dev/null
wait $killed 2> /dev/null
if [ -e "$W/data/restore.unfinished" ]; then
  "$BIN/honed" --data "$W/data" --listen 127.0.0.1:0 > "$W/out" 2>&1 && no "honed starts on a restore that was killed"
  grep -q 'was cut short' "$W/out" || no "it says: $(cat "$W/out")"
  "$BIN/honed" restore "$W/b1.tar" --data "$W/data" > "$W/out" 2>&1
  [ $? = 5 ] || no "restored into half a restore: $(cat "$W/out")"
else
  echo "NOTE: the restore ended before it was killed"
fi
rm -rf "$W/data"
"$BIN/hone" restore "$W/b1.tar" --data "$W/data" > "$W/restored" 2>&1 || no "hone restore: $(cat "$W/restored")"
grep -q '^1 policies in force were published again' "$W/restored" || no "it says of the policy: $(cat "$W/restored")"
grep -q 'revoked since then are good again' "$W/restored" || no "it says of tokens: $(cat "$W/restored")"
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
# Policies: what honed numbers is in force again under a number that every machine takes, ...
pull || no "a policy in force in the backup is not taken: $(cat "$W/out")"
[ "$(jq .sequence "$W/machine.policy.json")" -gt $((published + 1000000)) ] || no "it has a number that may have been published: $(cat "$W/out")"
# ... and of what is signed a machine keeps what it has, until what the restore said is done.
pull_signed || no "an older policy breaks a build: $(cat "$W/out")"
grep -q 'sequence 5, and 6 was seen before' "$W/out" && grep -q 'is kept' "$W/out" || no "it says: $(cat "$W/out")"
[ "$(jq .policy.sequence "$W/signed.policy.json")" = 6 ] || no "an older policy was taken"
pull_signed --required
[ $? = 5 ] || no "an older policy is enough where a newer one is required: $(cat "$W/out")"
sign 7 && no "a signed number that may have been published is taken"
grep -q 'may have published numbers up to' "$W/out" || no "it says: $(cat "$W/out")"
grep '^  hone policy' "$W/restored" > "$W/todo"
[ "$(grep -c . "$W/todo")" = 3 ] || no "it does not say what to do: $(cat "$W/restored")"
(cd "$W" && PATH=$BIN:$PATH && sed 's/ SECRET/ key/' "$W/todo" > "$W/todo.sh" && bash -e "$W/todo.sh" > "$W/out" 2>&1) || no "what the restore says does not work: $(cat "$W/todo" "$W/out")"
pull_signed --required || no "a policy that was signed anew is not taken: $(cat "$W/out")"
[ "$(jq .policy.sequence "$W/signed.policy.json")" -gt 1000006 ] || no "the signed policy is the old one"
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
pull || no "a policy in force is not taken after the other restore: $(cat "$W/out")"
pull_signed || no "an older policy breaks a build: $(cat "$W/out")"
grep -q 'was seen before' "$W/out" || no "it says: $(cat "$W/out")"
measure
for cursor in "$seen" "$again"; do
  [ "$(experiences "$cursor" | wc -l)" = 1 ] || no "after another restore a reader of $cursor misses what comes"
done
[ "$(publish)" -gt "$republished" ] || no "policies are numbered as after the restore before"
pull || no "a policy from after the other restore is not taken: $(cat "$W/out")"

# --- names with blanks and an apostrophe
world_down
mkdir "$W/it's 2 words"
"$BIN/hone" backup "$W/it's 2 words/b 7.tar" --data "$W/data" > "$W/out" 2>&1 || no "a backup to a name with blanks: $(cat "$W/out")"
"$BIN/hone" restore "$W/it's 2 words/b 7.tar" --data "$W/it's 2 words/data" > "$W/out" 2>&1 || no "a restore to a name with blanks: $(cat "$W/out")"
"$BIN/hone" backup "$W/it's 2 words/b8" --data "$W/it's 2 words/data" > "$W/out" 2>&1 || no "a backup of a name with blanks: $(cat "$W/out")"

# --- a restore that was cut short is no data folder
mkdir "$W/half" && touch "$W/half/restore.unfinished"
"$BIN/honed" --data "$W/half" --listen 127.0.0.1:0 > "$W/out" 2>&1 && no "honed starts on half a restore"
grep -q 'was cut short' "$W/out" || no "it says: $(cat "$W/out")"
finish
