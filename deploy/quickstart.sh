#!/bin/bash
# From a fresh Debian 12 machine to a table of measured rewards, in one command: installs what is missing,
# builds Hone, fetches two real products (lz4, a C library, and double-conversion, a C++ library) as
# Debian source packages, tunes both on this machine and verifies what was found.
#
#   deploy/quickstart.sh [--offline DIR] [--budget N] [--keep] [--data DIR]
#
#   --offline DIR   tune the source tree DIR, which holds a hone.yaml, instead of the two packages
#   --budget N      candidates for each product [16; with --offline 32]
#   --keep          keep the data folder (database, builds) at the end
#   --data DIR      use this data folder, and keep it
#
# Results (tables, policies, sources) are written to build/quickstart. Exit code 0 only if at least
# 20 of the 32 candidates got a reward (or that share of another number; one whose binary is the
# baseline's has none), 95 % of the compiles meant to be tuned were tuned, every reward has its
# interval and raw samples in the store, and a second measurement of the winner agrees with the first.
set -euo pipefail
self=$(readlink -f "${BASH_SOURCE[0]}")
here=$(cd "$(dirname "$self")/.." && pwd)

offline= budget= keep=no data=
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$self"; }
while [ $# -gt 0 ]; do
  case $1 in
    --offline) offline=$(cd "${2:?--offline needs a folder}" && pwd); shift 2 ;;
    --budget) budget=${2:?--budget needs a number}; shift 2 ;;
    --keep) keep=yes; shift ;;
    --data) data=$(realpath -m "${2:?--data needs a folder}"); keep=yes; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
: "${budget:=$([ -n "$offline" ] && echo 32 || echo 16)}"
case $budget in
  *[!0-9]* | "" | 0) echo "quickstart: --budget wants a number of candidates" >&2; exit 2 ;;
esac
if [ -n "$offline" ] && [ ! -f "$offline/hone.yaml" ]; then
  echo "quickstart: $offline has no hone.yaml (see deploy/examples/products)" >&2
  exit 2
fi

cd "$here"
started=$SECONDS
step() { printf '\n== %s  (%d:%02d)\n' "$1" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)); }

step "packages"
deploy/install_packages.sh

step "build"
bin=$here/build/release/bin
programs="honed hone-worker hone-cc hone-link hone hone-session hone-learner hone_pass-19"
mkdir -p build
{
  cmake --preset release &&
    cmake --build build/release --parallel "$(nproc)" --target $programs
} > build/quickstart-build.log 2>&1 || {
  tail -n 30 build/quickstart-build.log >&2
  echo "quickstart: the build failed, its log is build/quickstart-build.log" >&2
  exit 1
}
echo "programs are in $bin"

results=$here/build/quickstart
mkdir -p "$results"

fetched=0
if [ -n "$offline" ]; then
  products=("$offline")
else
  step "sources"
  fetch_start=$SECONDS
  deploy/debian_source.sh "$results/sources" lz4 double-conversion
  fetched=$((SECONDS - fetch_start))
  products=()
  for product in lz4 double-conversion; do
    cp -a "deploy/examples/products/$product/." "$results/sources/$product/"
    products+=("$results/sources/$product")
  done
fi

# The data folder is private, but builds run as another user below it: it may be passed through.
if [ -z "$data" ]; then
  data=$(mktemp -d /var/tmp/hone-quickstart.XXXXXX)
  chmod 711 "$data"
fi
mkdir -p -m 711 "$data"
data=$(cd "$data" && pwd)

# Processes that have to do with the data folder: by what they run on or where they stand. Those that
# were there before (a sudo that names the folder, a shell standing in it) are not ours.
processes() {
  local process pid
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$pid" != $$ ] && [ "$pid" != "$BASHPID" ] || continue
    case "$(readlink "$process/cwd" 2>/dev/null)/" in
      "$data"/*) echo "$pid"; continue ;;
    esac
    if { tr '\0' ' ' < "$process/cmdline"; } 2>/dev/null | grep -qF -- "$data"; then
      echo "$pid"
    fi
  done
}

up= tunes=()
stop_all() {
  local pid
  for pid in "${tunes[@]}"; do
    kill -INT "$pid" 2>/dev/null || true
  done
  if [ -n "$up" ]; then
    kill -TERM "$up" 2>/dev/null || true
    wait "$up" 2>/dev/null || true
    up=
  fi
}
finish() {
  local status=$?
  trap - EXIT INT TERM
  stop_all
  if [ "$keep" = yes ]; then
    echo "data folder: $data"
  else
    rm -rf "$data"
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

others=$(processes)

step "coordinator and worker"
"$bin/hone" up --data "$data" --listen 127.0.0.1:0 --json > "$data/up.json" 2> "$data/up.err" &
up=$!
until grep -qs '"ready"' "$data/up.json"; do
  kill -0 "$up" 2>/dev/null || { cat "$data/up.err" >&2; exit 1; }
  sleep 0.2
done
export HONE_URL HONE_TOKEN_FILE
HONE_URL=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$data/up.json")
HONE_TOKEN_FILE=$data/admin.token
slots=$(sed -n 's/.*"slots":\([0-9]*\).*/\1/p' "$data/up.json")
echo "$HONE_URL, $slots benchmark(s) at a time"

step "tuning (${#products[@]} product(s), $budget candidates each)"
# Exit code 0: a gain was confirmed; 10: nothing found, an honest end. Everything else is a failure.
tune() { # FOLDER
  local name status=0
  name=$(basename "$1")
  "$bin/hone" tune "$1" --budget "$budget" --output "$results/$name" > "$results/$name.tune.txt" || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 10 ] || {
    cat "$results/$name.tune.txt" >&2
    echo "quickstart: tuning $name ended with exit code $status" >&2
    return 1
  }
}
failed=no
if [ "$slots" -ge 2 ]; then
  for product in "${products[@]}"; do
    tune "$product" &
    tunes+=($!)
  done
  for pid in "${tunes[@]}"; do
    wait "$pid" || failed=yes
  done
  tunes=()
else
  for product in "${products[@]}"; do
    tune "$product" || failed=yes
  done
fi
[ "$failed" = no ] || exit 1

# Numbers out of the JSON report: sorted keys, two spaces a level.
number() { sed -n "s/^$2\"$3\": \([0-9]*\),\{0,1\}\$/\1/p" "$1" | head -n 1; }

rewarded=0 with_samples=0 meant=0 tuned=0 agree=yes
summary=()
for product in "${products[@]}"; do
  name=$(basename "$product")
  target=$(sed -n 's/^name:[ "'\'']*\([a-z0-9._-]*\).*/\1/p' "$product/hone.yaml" | head -n 1)
  step "$name"
  campaign=$(sed -n 's/.*, campaign \([0-9a-f-]*\)$/\1/p' "$results/$name.tune.txt" | head -n 1)
  "$bin/hone" report "$campaign" --json > "$results/$name.report.json"
  "$bin/hone" report "$campaign" | tee "$results/$name.report.txt"
  if [ -f "$results/$name/$target.policy" ]; then
    # The lines that use the policy, as `hone tune` printed them.
    printf '\n'
    sed -n '/^Policy: /,$p' "$results/$name.tune.txt"
  fi
  status=0
  printf '\n'
  "$bin/hone" report "$campaign" --verify || status=$?
  case $status in
    0) summary+=("$name: a second measurement agrees with the confirmed one") ;;
    10) summary+=("$name: nothing was confirmed, so nothing was verified") ;;
    *) summary+=("$name: the second measurement does NOT agree (exit code $status)"); agree=no ;;
  esac
  file=$results/$name.report.json
  rewarded=$((rewarded + $(number "$file" "  " rewarded)))
  with_samples=$((with_samples + $(number "$file" "  " rewarded_with_samples)))
  meant=$((meant + $(number "$file" "    " meant)))
  tuned=$((tuned + $(number "$file" "    " tuned)))
done

step "stopping"
up_pid=$up
stop_all
left=$(processes)
left=$(grep -vxF -- "${others:-none}" <<< "$left" | grep . || true)
if [ -n "$left" ]; then
  summary+=("processes left running:" $left)
fi
echo "coordinator and worker (process $up_pid) have stopped"

step "result"
total=$((budget * ${#products[@]}))
need=$((total * 20 / 32))
printf '%s\n' "${summary[@]}"
echo "candidates with a reward: $rewarded of $total (at least $need wanted), with interval and raw samples: $with_samples"
echo "compiles tuned: $tuned of $meant that were meant to be"
echo "tables and policies: $results"
took=$((SECONDS - started - fetched))
echo "time: $((took / 60)) min $((took % 60)) s beside the download of sources"
if [ "$rewarded" -lt "$need" ] || [ "$with_samples" -ne "$rewarded" ] || [ "$meant" -eq 0 ] ||
  [ $((tuned * 100)) -lt $((meant * 95)) ] || [ "$agree" = no ] || [ -n "$left" ]; then
  echo "quickstart: NOT as promised, see above" >&2
  exit 1
fi
