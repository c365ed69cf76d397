#!/usr/bin/env bash
# How many jobs a second go through submit, lease and complete over REST, against raw SQL.
#
#   queue_rate.sh [--jobs N] [--rounds N] [--workers N] [--bin DIR] [--work DIR]
#
#   --jobs     a round [6,400]
#   --rounds   of each, in turn; medians count [3]
#   --workers  connections that lease and complete [128]
#   --bin      build folder [build/release if it has queue_load, else build/dev]
#   --work     folder for it all, kept [a fresh one, removed]
#
# A honed with a private PostgreSQL, fsync on. The statements that it sends are taken from PostgreSQL's log and given
# to pgbench, 64 jobs a batch as honed does at most: one transaction that submits 64 jobs, one statement that claims
# 64, one transaction that counts 64 results of 24 samples, 4 decisions and 2 binaries each. pgbench runs with 1, 2 and
# 4 clients; the best counts. Exit 1 if honed reaches less than half of that; 77 if pgbench or psql is missing.
set -euo pipefail
jobs=6400 rounds=3 workers=128
. "$(dirname "${BASH_SOURCE[0]}")/queue/coordinator.sh"
while [ $# -gt 0 ]; do
  case $1 in
    --jobs) jobs=${2:-}; shift 2 || usage ;;
    --rounds) rounds=${2:-}; shift 2 || usage ;;
    --workers) workers=${2:-}; shift 2 || usage ;;
    --bin) bin=${2:-}; shift 2 || usage ;;
    --work) work=${2:-}; shift 2 || usage ;;
    *) usage ;;
  esac
done
is_number "$jobs" && is_number "$rounds" && is_number "$workers" || usage
[ "$jobs" -ge 640 ] || fail "--jobs $jobs: at least 640"
pgbench=$(command -v pgbench || ls /usr/lib/postgresql/*/bin/pgbench 2> /dev/null | tail -1) || true
[ -n "$pgbench" ] || skip "no pgbench"
find_programs
start_honed

# Its statements, as the server logs them, of a few hundred jobs.
sql -c "ALTER SYSTEM SET log_statement = 'all'" -c "ALTER SYSTEM SET log_parameter_max_length = 0" \
  -c "SELECT pg_reload_conf()" > /dev/null
python3 "$here/raw_sql.py" result > "$work/result.json"
sleep 1
"$load" rate "$port" "$token" load "$work/result.json" 64 640 64 > "$work/first.out"
sql -c "ALTER SYSTEM RESET log_statement" -c "SELECT pg_reload_conf()" > /dev/null
sleep 1
token_id=$(sql -c "SELECT id FROM tokens WHERE name = 'admin' AND revoked_at IS NULL")
python3 "$here/raw_sql.py" script "$work/data/postgres/postgres.log" "$token_id" "$work"
defines=()
while IFS= read -r -d '' define; do defines+=(-D "$define"); done < "$work/defines"

# So many jobs lie there in every round, so that no claim runs dry.
fill() {
  local left
  left=$(sql -c "SELECT count(*) FROM jobs WHERE state = 'queued'")
  while [ "$left" -lt 2048 ]; do
    sql -f "$work/fill.sql" > /dev/null
    left=$((left + 64))
  done
  sql -c "VACUUM ANALYZE jobs, attempts" > /dev/null
}
raw() {  # CLIENTS -> jobs/s
  local transactions=$((jobs / 64 / $1))
  fill
  "$pgbench" -n -M prepared "${defines[@]}" -c "$1" -j 1 -t "$transactions" -f "$work/raw.sql" \
    -h "$work/data/postgres/run" -U hone hone > "$work/pgbench.out" 2> "$work/pgbench.err" ||
    { tail -5 "$work/pgbench.err" >&2; fail "pgbench failed"; }
  grep -q 'number of failed transactions: 0' "$work/pgbench.out" || { cat "$work/pgbench.out" >&2; fail "transactions failed"; }
  awk '/^tps/ {printf "%.0f\n", $3 * 64}' "$work/pgbench.out"
}
rest() {
  fill
  "$load" rate "$port" "$token" load "$work/result.json" "$workers" "$jobs" 64 > "$work/rest.out"
  awk '{sub(/.*: /, ""); print $1}' "$work/rest.out"
}
median() { sort -n | awk '{v[NR] = $1} END {print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

load_said
raw 2 > /dev/null  # both sides begin warm
rest > /dev/null
for ((round = 1; round <= rounds; ++round)); do
  for clients in 1 2 4; do raw $clients >> "$work/raw.$clients"; done
  rest >> "$work/rest.rate"
  echo "round $round: raw SQL $(tail -qn1 "$work"/raw.1 "$work"/raw.2 "$work"/raw.4 | xargs) jobs/s with 1 2 4 clients," \
    "REST $(tail -n1 "$work/rest.rate") jobs/s; $(load_said)"
done
best=$(for clients in 1 2 4; do median < "$work/raw.$clients"; done | sort -n | tail -1)
ours=$(median < "$work/rest.rate")
counted=$(sql -c "SELECT count(*) = count(DISTINCT job) FROM results")
[ "$counted" = t ] || fail "a job was counted twice"
awk -v ours="$ours" -v best="$best" 'BEGIN {
  share = ours / best
  printf "REST %d jobs/s, raw SQL %d jobs/s: %.2f of it (at least 0.50)\n", ours, best, share
  exit share < 0.5}'
