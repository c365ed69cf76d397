#!/usr/bin/env bash
# honed as its operator sees it: settings by file, environment and flags; a log that names requests, jobs and traces
# and holds no secret; metrics that Prometheus takes; what `hone up` says when honed dies.
. "$(dirname "${BASH_SOURCE[0]}")/../support/world.sh"
command -v curl python3 jq > /dev/null || { echo "SKIP: curl, python3 or jq is missing"; exit 77; }
unset HONED_CONFIG HONED_LOG_LEVEL HONED_LOG_FORMAT HONE_DATABASE

# --- settings
cat > "$W/honed.yaml" <<YAML
# what this test sets
data: $W/data
listen: 127.0.0.1:0
log_level: debug
lease_seconds: 30
YAML
HONED_LEASE_SECONDS=20 "$BIN/honed" --config "$W/honed.yaml" --lease-seconds 10 --print-config > "$W/config" || no "no --print-config"
grep -Eq '^lease_seconds: 10 +# flag --lease-seconds$' "$W/config" || no "a flag does not win: $(cat "$W/config")"
grep -Eq "^log_level: \"debug\" +# $W/honed.yaml line 4$" "$W/config" || no "the file's place is not told"
HONE_DATABASE=postgresql://u:hunter2@h/d "$BIN/honed" --print-config | grep -q hunter2 && no "--print-config shows a password"
echo 'leese_seconds: 3' > "$W/bad.yaml"
"$BIN/honed" --config "$W/bad.yaml" 2> "$W/err"
[ $? = 2 ] || no "a bad file does not end with 2"
grep -q "$W/bad.yaml line 1: honed has no such setting; did you mean lease_seconds?" "$W/err" || no "$(cat "$W/err")"

# What is printed is a file that says the same, whatever was set.
same_again() { # PROGRAM ARGUMENTS...
  local program=$1
  shift
  "$BIN/$program" "$@" --print-config > "$W/printed" || no "$program $*: no --print-config"
  "$BIN/$program" --config "$W/printed" --print-config > "$W/again" 2> "$W/err" || no "$program does not read what it printed: $(cat "$W/err")"
  diff <(sed 's/ *  # .*//' "$W/printed") <(sed 's/ *  # .*//' "$W/again") > "$W/diff" || no "$program reads back something else: $(cat "$W/diff")"
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=x -keyout "$W/x.key" -out "$W/x.pem" 2> /dev/null
same_again honed
same_again honed --config "$W/honed.yaml" --allow-host a.example --allow-host '[::1]:8' --min-free-bytes 5 --artifacts 's3://bucket/p?region=r' \
  --tls-cert "$W/x.pem" --tls-key "$W/x.key" --tls-client-ca "$W/x.pem" --require-worker-certificate --log-format text
same_again hone-worker
same_again hone-worker --label 'a=b # c' --cpus 0,1 --exit-when-idle 0 --build-jobs 3 --url http://a,http://b --once

# A mistake is told with its place, and nothing is made: neither with --print-config nor without.
refused() { # WORDS ARGUMENTS...
  local words=$1 code
  shift
  for more in --print-config --drain-seconds=0; do
    "$BIN/honed" --data "$W/nothing" "$@" "$more" > /dev/null 2> "$W/err"
    code=$?
    { [ $code = 2 ] && grep -qF -e "$words" "$W/err"; } || no "honed $* $more: exit code $code, $(cat "$W/err")"
    [ ! -e "$W/nothing" ] || no "honed $* $more made a data folder"
  done
}
printf 'not a certificate\n' > "$W/garbage.pem"
printf 'lease_seconds: 5\nlisten: localhost:1\n' > "$W/name.yaml"
printf 'database: foo\n' > "$W/foo.yaml"
refused "$W/name.yaml line 2: \"localhost\" is no numeric address" --config "$W/name.yaml"
refused "flag --listen: " --listen ':7'
refused "$W/foo.yaml line 1: must be postgresql://" --config "$W/foo.yaml"
refused "flag --database: must be postgresql://" --database mysql://u:hunter2@h/d
refused "flag --artifacts: artifacts are kept in a folder or in s3://" --artifacts gs://bucket
refused "flag --tls-cert: the certificate cannot be read: " --tls-cert "$W/missing.pem" --tls-key "$W/x.key"
refused "flag --tls-key: the key $W/garbage.pem cannot be used: it holds no line -----BEGIN PRIVATE KEY" --tls-cert "$W/x.pem" --tls-key "$W/garbage.pem"
refused "flag --tls-client-ca: the client CA $W/garbage.pem cannot be used" --tls-cert "$W/x.pem" --tls-key "$W/x.key" --tls-client-ca "$W/garbage.pem"
refused "flag --tls-key: a certificate and its key" --tls-key "$W/x.key"
grep -q hunter2 "$W/err" && no "a password is told"
HONED_LEASE_SECOND=5 "$BIN/honed" --print-config | grep -q '^# .*HONED_LEASE_SECOND .*did you mean HONED_LEASE_SECONDS?' || no "a variable that is none is not told"
"$BIN/hone-worker" --label nothing 2> "$W/err"
{ [ $? = 2 ] && grep -q 'flag --label: ' "$W/err"; } || no "hone-worker: $(cat "$W/err")"

# --- the same, running
HONED_LEASE_SECOND=5 "$BIN/honed" --config "$W/honed.yaml" > "$W/honed.out" 2> "$W/honed.log" &
up_pid=$!
await 60 test -s "$W/data/honed.address" || { cat "$W/honed.log"; echo "WRONG: honed does not start"; exit 1; }
HONE_URL=http://$(cat "$W/data/honed.address")
await 20 curl -fsS "$HONE_URL/readyz"
TOKEN=$(cat "$W/data/admin.token")
auth="Authorization: Bearer $TOKEN"

# --- ids
trace=4bf92f3577b34da6a3ce929d0e0e4736
curl -sS -D "$W/head" -o /dev/null -H "$auth" -H 'X-Request-Id: mine-1' "$HONE_URL/v1/targets"
grep -qi '^x-request-id: mine-1' "$W/head" || no "the request's id does not come back: $(cat "$W/head")"
curl -sS -D "$W/head" -o /dev/null -H "$auth" -H 'X-Request-Id: not one' "$HONE_URL/v1/targets"
grep -qiE '^x-request-id: [0-9a-f]{12}-[0-9]+' "$W/head" || no "no id is made: $(cat "$W/head")"
curl -sS -D "$W/head" -o /dev/null -H 'Authorization: Bearer hone_wrong' -H 'X-Request-Id: refused-1' "$HONE_URL/v1/targets"
grep -qi '^x-request-id: refused-1' "$W/head" || no "a refused request has no id"
curl -sS -o /dev/null -H "$auth" -H "X-Request-Id: $TOKEN" "$HONE_URL/v1/targets"
curl -sS -o /dev/null -H "$auth" "$HONE_URL/v1/targets?token=$TOKEN"

curl -sS -f -o /dev/null -X PUT -H "$auth" --json '{"name": "t", "source": {"git": {"url": "/srv/p", "commit": "'"$(printf 'a%.0s' {1..40})"'"}},
  "build": {"commands": [["make"]], "binaries": ["p"]}, "benchmark": {"command": ["{build}/p"]}}' "$HONE_URL/v1/targets/t" || no "no target"
submit() { # ID HEADER
  curl -sS -f -H "$auth" -H "Idempotency-Key: $1" -H "X-Request-Id: $1" -H "$2" --json '{"jobs": [{"target": "t", "rules": []}]}' "$HONE_URL/v1/jobs"
}
job=$(submit traced "traceparent: 00-$trace-00f067aa0ba902b7-01" | jq -r '.jobs[0].id')
[ "$(curl -sS -H "$auth" "$HONE_URL/v1/jobs/$job" | jq -r .trace_id)" = $trace ] || no "the job has not its trace"
plain=$(submit untraced "traceparent: 00-$trace-0000000000000000-01" | jq -r '.jobs[0].id')
[ "$(curl -sS -H "$auth" "$HONE_URL/v1/jobs/$plain" | jq -r .trace_id)" = null ] || no "a malformed traceparent was taken"
curl -sS -f -o /dev/null -X PUT -H "$auth" --json '{"name": "w", "machine": {"host": "h"}}' "$HONE_URL/v1/workers/w" || no "no worker"
curl -sS -f -H "$auth" --json '{"version": 1, "worker": "w", "wait_seconds": 0}' "$HONE_URL/v1/leases" > "$W/lease" || no "no lease"
sent=$(jq -r .traceparent "$W/lease")
[[ $sent =~ ^00-$trace-[0-9a-f]{16}-01$ && $sent != *00f067aa0ba902b7* ]] || no "the lease's trace: $sent"
attempt=$(jq -r .attempt "$W/lease")
curl -sS -f -o /dev/null -H "$auth" -H "traceparent: $sent" --json '{"reason": "enough", "count_attempt": false}' "$HONE_URL/v1/leases/$attempt/fail" || no "not handed back"

# --- the log
has() { jq -se "[.[] | select($1)] | length > 0" "$W/honed.log" > /dev/null || no "the log has no line with $1"; }
grep -v '^{' "$W/honed.log" | grep -q . && no "a line of the log is no JSON: $(grep -v '^{' "$W/honed.log" | head -1)"
has '.event == "request" and .request == "mine-1" and .status == 200'
has '.event == "request" and .request == "refused-1" and .status == 401'
has '.event == "jobs_submitted" and .request == "traced" and .trace_id == "'$trace'" and (.span_id | length) == 16'
has '.event == "unknown_variable" and .level == "warning" and (.reason | contains("HONED_LEASE_SECONDS"))'
has '.event == "request_refused" and .level == "warning" and .request == "refused-1" and .status == 401 and .address == "127.0.0.1" and .count == 1'
has '.event == "access_changed" and .level == "info" and .action == "token.create"'
has '.event == "lease_granted" and .job == "'"$job"'" and (.request | length) > 0'
has '.event == "lease_handed_back" and .attempt == "'"$attempt"'" and .trace_id == "'$trace'"'
jq -se '[.[] | select(.event == "request" and (.request // "") == "")] | length == 0' "$W/honed.log" > /dev/null || no "a request has no id"
grep -rqF "${TOKEN#hone_}" "$W/honed.log" && no "the token stands in the log"

# --- metrics
curl -sS -f -H "$auth" "$HONE_URL/metrics" > "$W/metrics" || no "no metrics"
for sample in 'hone_jobs{state="queued"} 2' 'hone_queued_jobs{priority="0"} 2' 'hone_workers{state="live"} 1' 'hone_leases 0' \
  'hone_campaigns{state="racing"} 0' 'hone_leases_ended_total{how="handed_back"} 1' 'hone_database_up 1' 'hone_claim_duration_seconds_count 1'; do
  grep -qF "$sample" "$W/metrics" || no "no $sample: $(grep -F "${sample%%[{ ]*}" "$W/metrics" | tail -3)"
done
grep -qE '^hone_http_request_duration_seconds_bucket\{route="/v1/jobs",status="201",le="' "$W/metrics" || no "no histogram by route and status"
grep -qE '^hone_build_info\{.*version="[0-9.]+".*\} 1' "$W/metrics" || no "no build info"
for name in process_cpu_seconds_total process_resident_memory_bytes process_open_fds hone_data_disk_free_bytes hone_database_bytes; do
  awk -v n=$name '$1 == n && $2 > 0 { ok = 1 } END { exit !ok }' "$W/metrics" || no "$name is not above 0"
done
python3 "$ROOT/tests/integration/prometheus_names.py" "$W/metrics" "$ROOT/deploy/prometheus" || no "alerts or dashboard name metrics that are not there"
if command -v promtool > /dev/null; then
  promtool check metrics < "$W/metrics" > "$W/lint" 2>&1 || no "promtool check metrics: $(cat "$W/lint")"
  promtool check rules "$ROOT/deploy/prometheus/hone-alerts.yml" > "$W/lint" 2>&1 || no "promtool check rules: $(cat "$W/lint")"
  (cd "$ROOT/deploy/prometheus" && promtool test rules hone-alerts-test.yml) > "$W/lint" 2>&1 || no "promtool test rules: $(cat "$W/lint")"
  (cd "$ROOT/deploy/prometheus" && promtool check config --syntax-only prometheus.yml) > "$W/lint" 2>&1 || no "promtool check config: $(cat "$W/lint")"
else
  echo "NOTE: no promtool (Debian's package prometheus): the alert rules were not run"
fi

# --- a port, and a folder, that are taken: told in the log, as its last line
address=$(cat "$W/data/honed.address")
for arguments in "--data $W/second --listen $address" "--data $W/data --listen 127.0.0.1:0"; do
  "$BIN/honed" $arguments > /dev/null 2> "$W/log"
  code=$?
  [ $code = 5 ] || no "honed $arguments: exit code $code"
  tail -n 1 "$W/log" | jq -e '.event == "ended" and .level == "error" and .exit_code == 5 and (.reason | length) > 0' > /dev/null || no "its last line: $(cat "$W/log")"
  grep -v '^{' "$W/log" | grep -q . && no "a line of the log is no JSON: $(cat "$W/log")"
done
[ ! -e "$W/second/postgres" ] || no "a database was made before the port was looked at"
"$BIN/hone" up --no-worker --data "$W/third" --listen "$address" > "$W/up" 2>&1
code=$?
{ [ $code = 5 ] && grep -q 'Address already in use' "$W/up"; } || no "hone up ends with $code: $(cat "$W/up")"

# --- who asks without a name: a load balancer's check
{ exec 9<> "/dev/tcp/${address%:*}/${address#*:}" && printf 'GET /readyz HTTP/1.0\r\n\r\n' >&9 && head -n 1 <&9; } > "$W/check"
exec 9>&-
grep -q ' 200 ' "$W/check" || no "HTTP/1.0 without Host: $(cat "$W/check")"
kill -TERM $up_pid && wait $up_pid || no "honed ended with $?"
up_pid=

# --- a trace from the command line to the worker and back
world_up
other=aaaabbbbccccddddeeeeffff00001111
TRACEPARENT=00-$other-00f067aa0ba902b7-01 "$BIN/hone" job submit t --knob unroll-count=4 --wait --json > "$W/job.json" 2> "$W/err"
grep -qF '"trace_id": "'$other'"' "$W/job.json" || no "the result has not the trace: $(cat "$W/err" "$W/job.json")"
jq -se '[.[] | select(.trace_id == "'$other'") | .event] | contains(["job_started", "result_accepted"]) or contains(["job_ended"])' "$W/data/logs/worker.log" > /dev/null ||
  no "the worker's log has not the trace: $(grep job_ "$W/data/logs/worker.log" | head -2)"
grep '"event":"attempt_completed"' "$W/data/logs/honed.log" | grep -qF "$other" || no "the completion is not in the trace"
world_down

# --- hone up, when honed dies: what it said last, and nothing that has nothing to do with it
printf 'not a cluster' > "$W/data/postgres/data/PG_VERSION"
"$BIN/hone" up --no-worker --data "$W/data" --listen 127.0.0.1:0 > "$W/up" 2>&1
grep -q 'honed ended: .*holds a cluster of PostgreSQL not a cluster' "$W/up" || no "hone up says: $(cat "$W/up")"
echo 15 > "$W/data/postgres/data/PG_VERSION"
world_up --no-worker
kill -9 "$(cat "$W/data/honed.lock")"
wait $up_pid && no "hone up is content without honed"
up_pid=
grep -q 'honed ended: killed by signal 9' "$W/up.out" || no "hone up says: $(cat "$W/up.out")"
tail -n 2 "$W/up.out" | grep -q '"event"' && no "hone up shows an unrelated line: $(tail -n 2 "$W/up.out")"
finish
