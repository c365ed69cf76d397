#!/usr/bin/env bash
# What 2,000 idle workers cost honed, and how soon one of them has a job.
#
#   workers_2000.sh [--workers N] [--jobs N] [--seconds N] [--bin DIR] [--work DIR]
#
#   --workers  connections in long poll, of 20 s each [2,000]
#   --jobs     submitted one by one; the time from the submission to the worker's answer counts [300]
#   --seconds  of quiet, in which honed's processor time is counted [40]
#   --bin      build folder [build/release if it has queue_load, else build/dev]
#   --work     folder for it all, kept [a fresh one, removed]
#
# A honed with a private PostgreSQL, fsync on; memory and processor time are honed's own, from /proc. Exit 1 if a
# worker takes more than 64 KiB, all of them more than 5 % of a processor, or one job of a hundred more than 50 ms; 77
# if something needed is missing.
set -euo pipefail
workers=2000 jobs=300 seconds=40
. "$(dirname "${BASH_SOURCE[0]}")/queue/coordinator.sh"
while [ $# -gt 0 ]; do
  case $1 in
    --workers) workers=${2:-}; shift 2 || usage ;;
    --jobs) jobs=${2:-}; shift 2 || usage ;;
    --seconds) seconds=${2:-}; shift 2 || usage ;;
    --bin) bin=${2:-}; shift 2 || usage ;;
    --work) work=${2:-}; shift 2 || usage ;;
    *) usage ;;
  esac
done
is_number "$workers" && is_number "$jobs" && is_number "$seconds" || usage
[ "$workers" -le 4000 ] || fail "--workers $workers: at most 4000"
find_programs
start_honed
load_said
"$load" idle "$port" "$token" load "$workers" "$jobs" "$pid" "$seconds" > "$work/idle.out"
load_said
awk -v workers="$workers" '
  {value[$1] = $2}
  END {
    short = 0
    if (value["kib_per_worker"] > 64) short = 1
    if (value["idle_share"] > 0.05) short = 1
    if (value["p99_ms"] > 50) short = 1
    printf "%d workers: %.1f KiB each (at most 64), %.1f %% of a processor idle (at most 5), " \
           "a job is there after %.1f ms, p99 %.1f ms (at most 50)\n",
           workers, value["kib_per_worker"], 100 * value["idle_share"], value["p50_ms"], value["p99_ms"]
    exit short}' "$work/idle.out"
