#!/usr/bin/env bash
# What a pipeline hears while nobody measures its job: why, each time that this changes, and an end to the waiting with
# an exit code of its own. And a worker that stops in order says good-bye: it is stopped, and no alert misses it.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v curl > /dev/null || { echo "SKIP: no curl"; exit 77; }
honed_up

api PUT /v1/targets/picky '{"name": "picky",
  "source": {"git": {"url": "/srv/picky", "commit": "1234567890123456789012345678901234567890"}},
  "build": {"commands": [["make"]], "binaries": ["picky"]}, "benchmark": {"command": ["{build}/picky"]},
  "requires": {"labels": {"rack": "z"}}}' > "$W/target.out" || { cat "$W/target.out"; no "the target is not taken"; }

# waits WORDS: a wait that ends by its --timeout says WORDS on standard error, and has the job on standard output.
waits() {
  "$BIN/hone" job wait "$id" --timeout 1s --json > "$W/wait.json" 2> "$W/wait.err"
  [ $? = 12 ] || no "no exit code of its own: $(cat "$W/wait.err")"
  grep -qF "job $id: queued: $1" "$W/wait.err" || no "'$1' is not said: $(cat "$W/wait.err")"
  grep -q "hone job cancel $id" "$W/wait.err" || no "what becomes of the job is not said: $(cat "$W/wait.err")"
  [ "$("$BIN/hone" report --from "$W/wait.json" --format junit | grep -c '<skipped type="queued"')" = 1 ] ||
    no "no report of a job that waits"
}
id=$("$BIN/hone" job submit picky --knob unroll-count=4) || no "submit fails"
waits 'no worker is connected'
"$BIN/hone" job show "$id" | grep -q '^waits .*no worker is connected' || no "job show does not say so"

"$BIN/hone" token create staging --role worker --output "$W/worker.token" > "$W/token.out" 2>&1 || no "token: $(cat "$W/token.out")"
"$BIN/hone-worker" --url "$HONE_URL" --token-file "$W/worker.token" --name staging-1 --work "$W/work" --slots 1 \
  > "$W/worker.log" 2>&1 &
worker=$!
await 60 sh -c '"$0" worker list | grep -q idle' "$BIN/hone" || no "no worker registers: $(tail -n 3 "$W/worker.log")"
waits 'none of the workers that take jobs fits (1 connected): no worker that takes jobs has labels {"rack":"z"}'
api POST /v1/workers/staging-1/drain > "$W/drain.out" || no "drain fails"
waits '1 worker connected, all of them drained'
api POST /v1/workers/staging-1/resume > "$W/resume.out" || no "resume fails"

# Whoever waits hears of the change.
"$BIN/hone" job wait "$id" --timeout 60s > "$W/wait.out" 2> "$W/wait.err" &
waiter=$!
await 20 grep -q 'none of the workers' "$W/wait.err" || no "nothing is said: $(cat "$W/wait.err")"
kill -TERM "$worker"
wait "$worker" || no "the worker ended with $?"
grep -q '"event":"worker_left"' "$W/worker.log" || no "no good-bye: $(tail -n 3 "$W/worker.log")"
tail -n 1 "$W/worker.log" | grep -q '"event":"stopped"' || no "its last line is another: $(tail -n 1 "$W/worker.log")"
await 20 grep -q 'no worker is connected' "$W/wait.err" || no "the change is not said: $(cat "$W/wait.err")"
"$BIN/hone" job cancel "$id" > "$W/cancel.out" || no "cancel fails"
wait "$waiter"
[ $? = 130 ] || no "a cancelled job's wait ended otherwise: $(cat "$W/wait.err")"

"$BIN/hone" worker list > "$W/list.out"
grep -q 'stopped' "$W/list.out" || no "it is not listed as stopped: $(cat "$W/list.out")"
"$BIN/hone" worker show staging-1 | grep -q 'stopped since' || no "nor shown"
metric() { curl -sS "$HONE_URL/metrics" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" | grep -F "$1"; }
left_is_counted() { [ "$(metric 'hone_workers{state="left"}')" = 'hone_workers{state="left"} 1' ]; }
await 30 left_is_counted || no "it is not counted as gone: $(metric hone_workers)"
[ "$(metric 'hone_workers{state="silent"}')" = 'hone_workers{state="silent"} 0' ] || no "it is missed: $(metric hone_workers)"

"$BIN/hone" job submit picky --knob unroll-count=4 --timeout 5m > "$W/out" 2>&1 && no "--timeout without --wait is taken"
"$BIN/hone" job wait "$id" --timeout soon > "$W/out" 2>&1
[ $? = 2 ] && grep -q -- '--timeout' "$W/out" || no "a wrong --timeout: $(cat "$W/out")"
honed_down
finish
