#!/usr/bin/env bash
# Whether a claim takes as long with a long history as with none.
#
#   queue_flat.sh [--queued N] [--finished N] [--claims N] [--rounds N] [--bin DIR] [--work DIR]
#
#   --queued    jobs in the large queue [1,000,000]; the small one has 1,000
#   --finished  jobs that were done before, with their attempts and results [10,000,000]; the small one has 1,000
#   --claims    a round, one after the other, by 16 workers [900]
#   --rounds    of each, in turn; medians of their p99 count [5]
#   --bin       build folder [build/release if it has queue_load, else build/dev]
#   --work      folder for it all, kept [a fresh one, removed]; the full size takes 12 GB
#
# Two honeds, each with a private PostgreSQL of its own, fsync on. The history is written by SQL past the triggers,
# in the order in which it would have come. What is timed is POST /v1/leases, from the request's first byte to the
# answer's last. Before each round the leases of the last one end, and the small queue is filled again. Exit 1 if the p99 of the large one is more than
# 1.5 times that of the small one; 77 if something needed is missing.
set -euo pipefail
queued=1000000 finished=10000000 claims=900 rounds=5
. "$(dirname "${BASH_SOURCE[0]}")/queue/coordinator.sh"
while [ $# -gt 0 ]; do
  case $1 in
    --queued) queued=${2:-}; shift 2 || usage ;;
    --finished) finished=${2:-}; shift 2 || usage ;;
    --claims) claims=${2:-}; shift 2 || usage ;;
    --rounds) rounds=${2:-}; shift 2 || usage ;;
    --bin) bin=${2:-}; shift 2 || usage ;;
    --work) work=${2:-}; shift 2 || usage ;;
    *) usage ;;
  esac
done
is_number "$queued" && is_number "$finished" && is_number "$claims" && is_number "$rounds" || usage
[ "$claims" -le 1000 ] || fail "--claims $claims: at most 1000, as many as the small queue has"
[ "$queued" -ge $((claims * (rounds + 1))) ] || fail "--queued $queued: not enough for $rounds rounds of $claims claims"
find_programs
base=$work
declare -A pids ports tokens
cleanup() {
  for each in "${pids[@]}"; do kill -CONT "$each" 2> /dev/null; kill "$each" 2> /dev/null && wait "$each" 2> /dev/null || true; done
  [ -n "$kept" ] || rm -rf "$base"
}
of() { psql -qAtX -v ON_ERROR_STOP=1 -h "$base/$1/data/postgres/run" -U hone hone "${@:2}"; }

for size in small large; do
  work=$base/$size
  mkdir -p "$work" && chmod 711 "$work"
  start_honed
  pids[$size]=$pid ports[$size]=$port tokens[$size]=$token
  n_queued=1000 n_finished=1000
  [ $size = small ] || n_queued=$queued n_finished=$finished
  if [ "$(of $size -c "SELECT count(*) FROM (SELECT FROM jobs LIMIT 1) AS any_job")" = 0 ]; then
    "$load" claim "$port" "$token" 16 0 > /dev/null  # its workers register
    # Its indexes are gone meanwhile: nobody should look for jobs.
    kill -STOP "$pid"
    of $size -v finished="$n_finished" -v queued="$n_queued" -f "$here/history.sql" > "$work/history.out"
    kill -CONT "$pid"
  fi
  echo "$size: $(of $size -c "SELECT string_agg(count || ' ' || state, ', ' ORDER BY state) FROM job_counts"), \
$(of $size -c "SELECT pg_size_pretty(pg_database_size('hone'))")"
done

percentile() { sort -n "$1" | awk '{v[NR] = $1} END {i = int(NR * 0.99); print v[i < NR ? i + 1 : NR]}'; }
median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }
claim() {  # SIZE -> p99 in milliseconds
  of "$1" -v queued=1000 -f "$here/refill.sql" > "$base/refill.out"
  "$load" claim "${ports[$1]}" "${tokens[$1]}" 16 "$claims" > "$base/$1.times"
  percentile "$base/$1.times"
}
load_said
for size in small large; do claim $size > /dev/null; done  # warm
for ((round = 1; round <= rounds; ++round)); do
  for size in small large; do claim $size >> "$base/$size.p99"; done
  echo "round $round: small $(tail -n1 "$base/small.p99") ms, large $(tail -n1 "$base/large.p99") ms; $(load_said)"
done
small=$(median < "$base/small.p99") large=$(median < "$base/large.p99")
awk -v small="$small" -v large="$large" -v queued="$queued" -v finished="$finished" 'BEGIN {
  printf "p99 of a claim: %.2f ms with 1,000 jobs, %.2f ms with %d queued and %d finished: %.2f times (at most 1.50)\n",
         small, large, queued, finished, large / small
  exit large > 1.5 * small}'
