#!/usr/bin/env bash
# Whether the dashboard stays quick: what the server takes for each view with a million measurements stored, and how
# soon a browser can use it.
#
#   dashboard_load.sh [--only server|browser] [--bin DIR] [--work DIR] [--measurements N]
#
#   --only           one half of it
#   --bin            build folder [build/release if it has honed, else build/dev]
#   --work           folder for it all; kept, and its database used again, if it is there [a fresh one, removed]
#   --measurements   rows of measurements [1,000,000]
#
# A honed of its own with a private PostgreSQL gets a year of results by SQL (tests/perf/dashboard/load.sql: one
# target's series of N/10 results, a campaign of 10,000 candidates among them). Then every request of every view is
# made 15 times, one after the other; the median counts, the slowest is shown. Exit 1 if one takes over 100 ms, or the
# browser's part falls short; 77 if there is no psql.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
only= bin= work= kept=1 measurements=1000000 bound=100
while [ $# -gt 0 ]; do
  case $1 in
    --only) only=${2:?--only needs server or browser}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    --work) work=${2:?--work needs a folder}; shift 2 ;;
    --measurements) measurements=${2:?--measurements needs a number}; shift 2 ;;
    *) sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
fail() { echo "dashboard_load.sh: $*" >&2; exit 2; }
case $only in '' | server | browser) ;; *) fail "--only '$only' is neither server nor browser" ;; esac
[[ $measurements =~ ^[1-9][0-9]{5,7}$ ]] || fail "--measurements '$measurements' is no number from 100000 to 99999999"
command -v psql curl python3 > /dev/null || { echo "SKIP: psql, curl or python3 is missing"; exit 77; }
for folder in "$root/build/dev" "$root/build/release"; do
  [ -n "$bin" ] || [ ! -x "$folder/bin/honed" ] || found=$folder
done
bin=${bin:-${found:-$root/build/dev}}
[ -x "$bin/bin/honed" ] || fail "no $bin/bin/honed: build it"
[ -n "$work" ] || { work=$(mktemp -d /var/tmp/hone-dashboard.XXXXXX); kept=; }
mkdir -p "$work" && chmod 711 "$work"
honed_pid=
cleanup() {
  [ -z "$honed_pid" ] || { kill "$honed_pid" 2> /dev/null; wait "$honed_pid" 2> /dev/null; }
  [ -n "$kept" ] || rm -rf "$work"
}
trap cleanup EXIT

rm -f "$work/data/honed.address"
"$bin/bin/honed" --data "$work/data" --listen 127.0.0.1:0 > "$work/honed.out" 2> "$work/honed.err" &
honed_pid=$!
until [ -s "$work/data/honed.address" ]; do
  kill -0 "$honed_pid" 2> /dev/null || { cat "$work/honed.err" >&2; fail "honed does not start"; }
  sleep 0.2
done
HONE_URL=http://$(cat "$work/data/honed.address")
HONE_TOKEN_FILE=$work/data/admin.token
export HONE_URL HONE_TOKEN_FILE
sql() { psql -qAtX -v ON_ERROR_STOP=1 -h "$work/data/postgres/run" -U hone hone "$@"; }

# Five pairs a result; failures of the campaign have none, so a little more results make up for them.
wanted=$((measurements / 10 + 400))
if [ "$(sql -c "SELECT count(*) FROM results")" = 0 ]; then
  began=$SECONDS
  sql -v results=$wanted -v pairs=5 -f "$root/tests/perf/dashboard/load.sql" > /dev/null
  echo "made in $((SECONDS - began)) s" >&2
fi
# The workers were seen just now, as they would be.
sql -c "UPDATE workers SET last_seen_at = now()"
stored=$(sql -c "SELECT count(*) FROM measurements")
echo "stored: $stored measurements of $(sql -c "SELECT count(*) FROM results") results, $(sql -c "SELECT pg_size_pretty(pg_database_size('hone'))")"
[ "$stored" -ge "$measurements" ] || fail "$work has $stored measurements only: remove it, or ask for fewer"

campaign=$(sql -c "SELECT id FROM campaigns WHERE number = 1")
candidate=$(sql -c "SELECT id FROM candidates WHERE campaign = 1 AND set = 9 ORDER BY number LIMIT 1")
job=$(sql -c "SELECT id FROM jobs ORDER BY number DESC OFFSET 60 LIMIT 1")
day=$(sql -c "SELECT (date_part('epoch', max(at) - interval '3 days') * 1000)::bigint FROM result_summaries")
# What each view asks for (the page makes no other requests to show it).
requests() {
  cat << END
whoami /v1/whoami
overview /v1/views/overview
campaign /v1/views/campaigns/$campaign
campaign, what is new /v1/views/campaigns/$campaign?since=$(date +%s)000
candidate /v1/views/candidates/$candidate
job /v1/views/jobs/$job
history, in buckets /v1/views/targets/big/history
history, 100,000 points at once /v1/views/targets/big/history?points=100000
history, three days /v1/views/targets/big/history?from=$day
fleet /v1/views/fleet
policies /v1/views/policies
policy /v1/views/policies/big
policy, what differs /v1/views/policies/big?from=58&to=59
explorer /v1/views/explorer
explorer, a program /v1/views/explorer?program=$(printf 'a%.0s' {1..64})
targets /v1/targets
campaigns /v1/campaigns?limit=50
jobs /v1/jobs?limit=100
END
}

status=0
if [ "$only" != browser ]; then
  requests | python3 "$root/tests/perf/dashboard/request_times.py" "$bound" "$honed_pid" \
    "$(head -1 "$work/data/postgres/data/postmaster.pid")" || status=1
fi
if [ "$only" != server ]; then
  page=$root/tests/perf/dashboard/run_browser.sh
  if [ -x "$page" ]; then
    "$page" "$bin" "$HONE_URL" "$HONE_TOKEN_FILE" || { result=$?; [ $result = 77 ] || status=1; }
  else
    echo "SKIP: there is no browser part here ($page)"
  fi
fi
exit $status
