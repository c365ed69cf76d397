#!/usr/bin/env bash
# honed stops in order, and within its grace, whatever a compile session is at: here its server does not answer any
# more, or its PostgreSQL does not. A second signal ends the grace. Before all that it may drain. Signals that have daemons
# read their files again end nobody.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
[ -x "$BIN/hone-session" ] || exit 77

# api METHOD PATH TYPE FILE
api() {
  curl -sS -X "$1" -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" -H "Content-Type: $3" --data-binary "@$4" \
    "$HONE_URL$2"
}
# A honed with a step under way that never ends: its process is $up_pid, who waits for the answer $asker.
up_with_a_stuck_step() {
  honed_up
  api PUT "/v1/artifacts/$sha" application/octet-stream "$W/f.ll" > /dev/null
  local session
  session=$(api POST /v1/sessions application/json "$W/open.json" | jq -r .session)
  session_server=$(pgrep -P "$up_pid" -x hone-session)
  kill -STOP "$session_server" || no "no session server"
  api POST "/v1/sessions/$session/step" application/json "$W/step.json" > /dev/null 2>&1 &
  asker=$!
  # Its request is under way: it is counted until it is answered.
  await 10 sh -c "curl -sS '$HONE_URL/metrics' -H 'Authorization: Bearer $(cat "$HONE_TOKEN_FILE")' |
    grep -qE '^hone_http_connections [2-9]'" || no "the step does not begin"
}
# Or is left for us to wait for.
has_ended() { ! [ -e "/proc/$1" ] || grep -q "^State:.Z" "/proc/$1/status"; }
stopped_in_order() {
  if ! await 40 has_ended "$up_pid"; then
    no "$1: honed still runs"
    kill -CONT "$session_server"
    kill -KILL "$up_pid"
  fi
  wait "$up_pid" || no "$1: honed ended with $?"
  up_pid=
  wait "$asker"
  grep -q '"event":"stopped"' "$W/honed.log" || no "$1: not in order: $(tail -n 3 "$W/honed.log")"
  ! [ -e "$W/data/postgres/postmaster.pid" ] || no "$1: PostgreSQL was not ended"
  ! kill -0 "$session_server" 2>/dev/null || no "$1: the session server is left"
}

printf 'target triple = "x86_64-pc-linux-gnu"\ndefine i32 @f(i32 %%a) {\n  ret i32 %%a\n}\n' > "$W/f.ll"
sha=$(sha256sum < "$W/f.ll" | cut -d' ' -f1)
echo "{\"program\": \"$sha\"}" > "$W/open.json"
echo '{"pipelines": ["globaldce"]}' > "$W/step.json"

up_with_a_stuck_step
kill -TERM "$up_pid"
await 10 grep -q '"event":"stopping"' "$W/honed.log" || no "the signal is not taken"
kill -TERM "$up_pid"
stopped_in_order "two signals"

up_with_a_stuck_step
kill -TERM "$up_pid"
stopped_in_order "one signal"

# A PostgreSQL that hangs, and a request that waits for it. (Unbounded, it was 55 s and more.)
honed_up
postmaster=$(head -n 1 "$W/data/postgres/data/postmaster.pid")
hung="$postmaster $(pgrep -P "$postmaster" | tr '\n' ' ')"
kill -STOP $hung
curl -sS -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" "$HONE_URL/v1/jobs" > /dev/null 2>&1 &
asker=$!
kill -TERM "$up_pid"
await 35 has_ended "$up_pid" || { no "a PostgreSQL that hangs: honed still runs"; kill -CONT $hung; kill -KILL "$up_pid"; }
wait "$up_pid" || no "a PostgreSQL that hangs: honed ended with $?"
up_pid=
wait "$asker"
grep -q '"event":"database_hangs"' "$W/honed.log" || no "a PostgreSQL that hangs is not told: $(tail -n 3 "$W/honed.log")"
for process in $hung; do
  has_ended "$process" || no "process $process of the PostgreSQL that hung is left"
done

# With --drain-seconds it says that it is not ready and goes on serving, until the time is over or somebody insists.
honed_up --drain-seconds 3600
status() { curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(cat "$HONE_TOKEN_FILE")" "$HONE_URL$1"; }
is_not_ready() { [ "$(status /readyz)" = 503 ]; }
[ "$(status /readyz)" = 200 ] || no "it is not ready before it is stopped"
for signal in HUP USR1 USR2; do
  kill -$signal "$up_pid"
done
ignored() { [ "$(grep -c '"event":"signal_ignored"' "$W/honed.log")" = 3 ]; }
await 10 ignored || no "signals are not ignored: $(tail -n 3 "$W/honed.log")"
[ "$(status /readyz)" = 200 ] || no "a signal has ended it"
kill -TERM "$up_pid"
await 20 is_not_ready || no "it does not say that it is stopping"
[ "$(status /v1/targets)" = 200 ] || no "it does not go on serving: $(status /v1/targets)"
[ "$(status /healthz)" = 200 ] || no "it is not alive any more"
kill -TERM "$up_pid"
await 40 has_ended "$up_pid" || { no "a second signal does not end the drain"; kill -KILL "$up_pid"; }
wait "$up_pid" || no "draining: honed ended with $?"
up_pid=
grep -q '"event":"stopped"' "$W/honed.log" || no "draining: not in order: $(tail -n 3 "$W/honed.log")"

"$BIN/hone-worker" --url http://127.0.0.1:1 --token-file "$HONE_TOKEN_FILE" --slots 1 --work "$W/worker" > "$W/worker.log" 2>&1 &
worker=$!
await 20 grep -q '"event":"slot"' "$W/worker.log" || no "hone-worker does not start: $(tail -n 3 "$W/worker.log")"
for signal in HUP USR1 USR2; do
  kill -$signal "$worker"
done
worker_ignored() { [ "$(grep -c '"event":"signal_ignored"' "$W/worker.log")" = 3 ]; }
await 10 worker_ignored || no "hone-worker does not ignore signals: $(tail -n 3 "$W/worker.log")"
kill -TERM "$worker"
await 40 has_ended "$worker" || { no "hone-worker does not end"; kill -KILL "$worker"; }
wait "$worker"

finish
