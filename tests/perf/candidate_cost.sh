#!/bin/bash
# What tuning costs a build, measured on a real product (double-conversion from Debian's sources):
#
#   1. the product's build through hone-cc with a policy against the plain build, in alternating pairs
#   2. the build of a candidate by a worker (per-file and whole-product candidates in turn) against a
#      full plain rebuild (configure and build in an empty folder) right after it
#
#   candidate_cost.sh [--bin DIR] [--source DIR] [--pairs N]
#
#   --bin DIR      programs [build/release/bin, built if missing]
#   --source DIR   unpacked product with its recipe [fetched]
#   --pairs N      pairs of each kind [6]
#
# Prints the figures last; exit code 1 if a candidate costs more than a full rebuild.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$here/build/release/bin source= pairs=6
while [ $# -gt 0 ]; do
  case $1 in
    --bin) bin=$(cd "$2" && pwd); shift 2 ;;
    --source) source=$(cd "$2" && pwd); shift 2 ;;
    --pairs) pairs=$2; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
if [ ! -x "$bin/hone" ]; then
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$here/build/release" --parallel "$(nproc)" \
    --target honed hone-worker hone-cc hone hone_pass-19 > /dev/null
fi

work=$(mktemp -d /var/tmp/hone-cost.XXXXXX)
chmod 711 "$work"
up=
finish() {
  status=$?
  trap - EXIT
  if [ -n "$up" ]; then
    kill -TERM "$up" 2>/dev/null || true
    wait "$up" 2>/dev/null || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -z "$source" ]; then
  "$here/deploy/debian_source.sh" "$work/sources" double-conversion
  source=$work/sources/double-conversion
  cp -a "$here/deploy/examples/products/double-conversion/." "$source/"
fi
files="double-conversion/fast-dtoa.cc double-conversion/strtod.cc double-conversion/string-to-double.cc
  double-conversion/double-to-string.cc double-conversion/cached-powers.cc double-conversion/bignum.cc"

# A policy that tunes the product's hot files with one knob, at the value that -O3 has anyway: what is
# measured is the launcher and its plugin, not how long another optimisation takes.
{
  printf '{"format":1,"target":"double-conversion","sequence":1,'
  printf '"compiler":{"family":"clang","major":19},"rules":['
  comma=
  for file in $files; do
    printf '%s{"source":"%s","pipeline":"default<O3>","knobs":{"inline-threshold":"250"}}' "$comma" "$file"
    comma=,
  done
  printf ']}\n'
} > "$work/policy.json"
"$bin/hone" policy compile "$work/policy.json" --unsigned -o "$work/policy" > /dev/null

# Seconds (wall, user + system) of a configure and build from nothing.
configure() { # FOLDER [CMAKE OPTIONS...]
  cmake -G Ninja -S "$source/hone" -B "$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 \
    "${@:2}" > /dev/null
}
timed() { # OUTPUT COMMAND...
  local out=$1
  shift
  TIMEFORMAT='%R %U %S'
  { time "$@" > /dev/null 2> "$work/build.err"; } 2> "$out" || { cat "$work/build.err" >&2; return 1; }
}
build_timed() { # NAME [CMAKE OPTIONS...]
  rm -rf "$work/build"
  configure "$work/build" "${@:2}"
  timed "$work/$1.time" cmake --build "$work/build" --parallel "$(nproc)" --target round_trip
  cat "$work/$1.time" >> "$work/$1.times"
}
# A full rebuild is what a worker without a build tree of its own would do: configure and build.
rebuild() {
  configure "$work/build"
  cmake --build "$work/build" --parallel "$(nproc)" --target round_trip
}
rebuild_timed() {
  rm -rf "$work/build"
  timed "$work/rebuild.time" rebuild
}
plain() { build_timed plain; }
launched() {
  HONE_POLICY=$work/policy HONE_ROOT=$source HONE_STATE_DIR=$work/state \
    build_timed launched "-DCMAKE_CXX_COMPILER_LAUNCHER=$bin/hone-cc"
}

mkdir -p "$work/state"
plain # warms the file cache; not counted
launched
rm -f "$work"/*.times
for ((i = 0; i < pairs; i++)); do
  if ((i % 2 == 0)); then plain; launched; else launched; plain; fi
done
tuned=$(grep -c '"compiled":"tuned"' "$work/state/compiles.ndjson" || true)
[ "$tuned" -ge $((6 * (pairs + 1))) ] || {
  echo "candidate_cost: the launcher tuned $tuned compiles instead of $((6 * (pairs + 1)))" >&2
  exit 1
}

# Candidates as a worker builds them.
"$bin/hone" up --data "$work/data" --listen 127.0.0.1:0 --slots 1 --json > "$work/up.json" 2> "$work/up.err" &
up=$!
until grep -qs '"ready"' "$work/up.json"; do
  kill -0 "$up" 2>/dev/null || { cat "$work/up.err" >&2; exit 1; }
  sleep 0.2
done
HONE_URL=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/up.json")
HONE_TOKEN_FILE=$work/data/admin.token
export HONE_URL HONE_TOKEN_FILE
"$bin/hone" target add "$source" > /dev/null

# build_seconds of a race job with one knob on the files that match a pattern.
candidate() { # PATTERN KNOB
  local id
  id=$("$bin/hone" job submit double-conversion --stage race --source "$1" --knob "$2")
  "$bin/hone" job wait "$id" --json > "$work/job.json" || [ $? -eq 10 ] || {
    "$bin/hone" job show "$id" >&2
    return 1
  }
  sed -n 's/^    "build_seconds": \([0-9.e+-]*\),\{0,1\}$/\1/p' "$work/job.json"
}
candidate '*' unroll-count=2 > /dev/null # prepares the baseline; not counted
for ((i = 0; i < pairs; i++)); do
  one=$(candidate double-conversion/fast-dtoa.cc "inline-threshold=$((300 + 25 * i))")
  rebuild_timed
  echo "$one $(cut -d' ' -f1 "$work/rebuild.time")" >> "$work/per_file.pairs"
  all=$(candidate '*' "inline-threshold=$((310 + 25 * i))")
  rebuild_timed
  echo "$all $(cut -d' ' -f1 "$work/rebuild.time")" >> "$work/whole.pairs"
done

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
ratio() { median < <(paste -d' ' "$work/launched.times" "$work/plain.times" | awk "{ print $1 }"); }
wall=$(ratio '$1 / $4')
cpu=$(ratio '($2 + $3) / ($5 + $6)')
one=$(cut -d' ' -f1 "$work/per_file.pairs" | median)
whole=$(cut -d' ' -f1 "$work/whole.pairs" | median)
full=$(cat "$work/per_file.pairs" "$work/whole.pairs" | cut -d' ' -f2 | median)
one_ratio=$(awk '{ print $1 / $2 }' "$work/per_file.pairs" | median)
whole_ratio=$(awk '{ print $1 / $2 }' "$work/whole.pairs" | median)
printf 'double-conversion, %s pairs each, %s processors\n' "$pairs" "$(nproc)"
printf 'build through hone-cc against plain: %.3f wall, %.3f CPU time (median of the pairs'"'"' ratios)\n' "$wall" "$cpu"
printf 'candidate for one file: %.2f s, for the whole product: %.2f s, full rebuild: %.2f s\n' "$one" "$whole" "$full"
printf 'candidate against full rebuild: %.2f for one file, %.2f for the whole product\n' "$one_ratio" "$whole_ratio"
awk -v a="$one_ratio" -v b="$whole_ratio" 'BEGIN { exit !(a <= 1 && b <= 1) }' || {
  echo "candidate_cost: a candidate costs more than a full rebuild" >&2
  exit 1
}
