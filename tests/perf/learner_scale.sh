#!/usr/bin/env bash
# How fast the learner reads its replay buffer, and how long a model of a million experiences takes.
#
#   learner_scale.sh [--only stream|train] [--rows N] [--bin DIR] [--work DIR]
#
#   --only    one half of it
#   --rows    experiences in the buffer [HONE_ROWS, else 10,000,000: 20 GB of disk, and 10 to 40 minutes to make]
#   --bin     build folder [build/release if it has the programs, else build/dev]; the program learner_stream is
#             a target of its own there
#   --work    folder for it all; kept, and used again, if it is there [a fresh one, removed at the end]
#
# A honed of its own with a private PostgreSQL gets synthetic experiences (tests/perf/learner/scale_rows.sql: 2.5 KB a
# line on average, 4 % failures, all different). The learner's reader, held to one core, reads and parses them all
# through GET /v1/experiences. Then hone-learner trains on a million of them, held to 2 cores and 8 GiB.
# Exit 1 if the reader gets less than 50 MB/s by the clock or by its own CPU time, if any row is missing, or if
# training takes over 10 minutes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
only= bin= work= rows=${HONE_ROWS:-10000000} kept=1
while [ $# -gt 0 ]; do
  case $1 in
    --only) only=${2:?--only needs stream or train}; shift 2 ;;
    --rows) rows=${2:?--rows needs a number}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    --work) work=${2:?--work needs a folder}; shift 2 ;;
    *) sed -n '2,18s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
fail() { echo "learner_scale.sh: $*" >&2; exit 2; }
case $only in '' | stream | train) ;; *) fail "--only '$only' is neither stream nor train" ;; esac
[[ $rows =~ ^[1-9][0-9]{0,8}$ ]] || fail "--rows '$rows' is no number from 1 to 999999999"
for folder in "$root/build/dev" "$root/build/release"; do
  [ -n "$bin" ] || [ ! -x "$folder/tests/learner_stream" ] || found=$folder
done
bin=${bin:-${found:-$root/build/dev}}
for program in bin/honed bin/hone-learner tests/learner_stream; do
  [ -x "$bin/$program" ] || fail "no $bin/$program: build the targets honed, hone-learner and learner_stream"
done
if [ "$only" != stream ] && ! "$bin/bin/hone-learner" train --help > /dev/null 2>&1; then
  fail "this hone-learner has no command 'train'; --only stream measures the first half"
fi
[ -n "$work" ] || { work=$(mktemp -d /var/tmp/hone-scale.XXXXXX); kept=; }
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

# Rows that a run before made count; what is missing is made, 100,000 a transaction.
sql -f "$root/tests/perf/learner/scale_worlds.sql" > /dev/null 2>&1
there=$(sql -c "SELECT coalesce((SELECT number FROM experiences ORDER BY transaction DESC, number DESC LIMIT 1), 0)")
[ "$there" -le "$rows" ] || fail "$work has $there rows already, more than $rows"
began=$SECONDS
for ((first = there; first < rows; first += 100000)); do
  step=$((rows - first < 100000 ? rows - first : 100000))
  { echo "SET synchronous_commit = off;"; cat "$root/tests/perf/learner/scale_rows.sql"; } |
    sql -v first="$first" -v rows="$step" -f -
  [ $(((first + step) % 1000000)) != 0 ] || echo "made $((first + step)) rows in $((SECONDS - began)) s" >&2
done
sql -c "ANALYZE experiences" > /dev/null
echo "experiences: $rows rows, $(sql -c "SELECT pg_size_pretty(pg_total_relation_size('experiences'))") in PostgreSQL"

# CPU seconds of processes, their threads and the children they have waited for.
cpu_of() {
  local total=0 process
  for process in "$@"; do
    [ -r "/proc/$process/stat" ] || continue
    total=$((total + $(sed 's/.*) //' "/proc/$process/stat" | awk '{print $12 + $13 + $14 + $15}')))
  done
  awk -v ticks="$total" -v hertz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", ticks / hertz }'
}
# This cluster's processes: the postmaster waits for those of its children that end.
postgres() {
  local postmaster
  postmaster=$(head -1 "$work/data/postgres/data/postmaster.pid")
  echo "$postmaster" $(ps -o pid= --ppid "$postmaster")
}

status=0
if [ "$only" != train ]; then
  core=$(($(nproc) - 1))
  honed_before=$(cpu_of "$honed_pid") postgres_before=$(cpu_of $(postgres))
  taskset -c "$core" "$bin/tests/learner_stream" > "$work/stream.txt"
  honed_cpu=$(awk -v a="$honed_before" -v b="$(cpu_of "$honed_pid")" 'BEGIN { print b - a }')
  postgres_cpu=$(awk -v a="$postgres_before" -v b="$(cpu_of $(postgres))" 'BEGIN { print b - a }')
  awk -F= -v wanted="$rows" -v honed="$honed_cpu" -v postgres="$postgres_cpu" '
    { value[$1] = $2 }
    END {
      mb = value["bytes"] / 1e6
      reader = value["cpu_seconds"]
      printf "streamed: %d rows, %.1f GB (%d bytes a line, %.1f decisions), %d without a reward, in %.1f s\n",
        value["rows"], mb / 1000, value["bytes"] / value["rows"], value["decisions"] / value["rows"], value["failures"], value["seconds"]
      printf "CPU seconds: reader %.1f, honed %.1f, PostgreSQL %.1f\n", reader, honed, postgres
      printf "by the clock, reader on one core: %.0f MB/s, %d rows/s; by CPU time: reader %.0f MB/s, honed %.0f, PostgreSQL %.0f, all three together %.0f (at least 50 by the clock and of the reader)\n",
        mb / value["seconds"], value["rows"] / value["seconds"], mb / reader, mb / honed, mb / postgres, mb / (reader + honed + postgres)
      exit !(value["rows"] == wanted && mb / value["seconds"] >= 50 && mb / reader >= 50)
    }' "$work/stream.txt" || status=1
fi

# From the stream to the model: a million experiences exported, as rows, and trained on.
if [ "$only" != stream ]; then
  rm -rf "$work/train"
  began=$(date +%s.%N)
  (
    ulimit -v $((8 << 20))
    taskset -c 0,1 "$bin/bin/hone-learner" export --format rows --limit 1000000 --output "$work/train"
    taskset -c 0,1 "$bin/bin/hone-learner" train --kind trees --rows "$work/train/rows.ndjson" --threads 2 --output "$work/train/model"
  ) || status=1
  awk -v a="$began" -v b="$(date +%s.%N)" -v rows="$(wc -l < "$work/train/experiences.ndjson")" 'BEGIN {
    printf "a model of %d experiences, from the stream to its file: %.0f s on 2 cores and 8 GiB (at most 600)\n", rows, b - a
    exit !(b - a <= 600)
  }' || status=1
fi
exit $status
