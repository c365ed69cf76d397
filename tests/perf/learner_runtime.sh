#!/usr/bin/env bash
# Run time: what campaigns find, by pipelines and settings alone, in benchmarks of real products, against
# their own -O3. Each product's source is Debian's, its benchmark and the files that candidates may touch
# stand in tests/perf/learner/products, written down before anything was tuned. (lz4 and double-conversion
# are not among them: the settings that are tried first were found there.)
#
#   learner_runtime.sh [--collect] [--verify] [--out DIR] [--bin DIR] [--budget N] [PRODUCT...]
#
#   --collect     keep the results that are there, go on with the rest (half an hour a product at 100)
#   --verify      only measure the winners that are there again, on fresh pairs
#   --out DIR     results, sources and the coordinator's data [build/learner_runtime]
#   --bin DIR     programs [build/release/bin if they are there, else build/dev/bin]
#   --budget N    staging evaluations a product, at most 100 [100]
#
# A gain is what the confirmation on fresh pairs says; a product without a confirmed winner keeps its -O3
# and counts as 1. Prints a line a product, then the geometric mean, last. Exit 1 if it is below 1.02, if
# fewer than 10 products were measured (with PRODUCTs: any of them was not), or if a winner is below 0.99.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
recipes=$root/tests/perf/learner/products
out=$root/build/learner_runtime
bin= collect=0 verify=0 budget=100 products=()
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=1; shift ;;
    --verify) verify=1; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=$(cd "${2:?--bin needs a folder}" && pwd); shift 2 ;;
    --budget) budget=${2:?--budget needs a number}; shift 2 ;;
    -*) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    *) [ -f "$recipes/$1/hone.yaml" ] || { echo "learner_runtime.sh: no product '$1' in $recipes" >&2; exit 2; }
       products+=("$1"); shift ;;
  esac
done
case $budget in '' | *[!0-9]* | 0) echo "learner_runtime.sh: --budget '$budget' is no number of 1 to 100" >&2; exit 2 ;; esac
[ "$budget" -le 100 ] || { echo "learner_runtime.sh: --budget $budget is more than 100 evaluations" >&2; exit 2; }
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/hone" ] || bin=$folder
done
for program in hone honed hone-worker hone-cc hone-learner; do
  [ -x "$bin/$program" ] || { echo "learner_runtime.sh: no $program in '$bin': build it first" >&2; exit 2; }
done
least=${#products[@]}
if [ "$least" = 0 ]; then
  mapfile -t products < <(cd "$recipes" && ls -d */ | tr -d /)
  least=10
fi
mkdir -p "$out/results"
out=$(cd "$out" && pwd)
[ $((collect + verify)) != 0 ] || rm -rf "$out/results"/*.json "$out/data"

up=
stop() {
  local status=$?
  trap - EXIT
  if [ -n "$up" ]; then
    kill -TERM "$up" 2>/dev/null || true
    wait "$up" 2>/dev/null || true
  fi
  exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p -m 711 "$out/data"
rm -f "$out/up.json"
"$bin/hone" up --data "$out/data" --listen 127.0.0.1:0 --slots 1 --json > "$out/up.json" 2> "$out/up.err" &
up=$!
until grep -qs '"ready"' "$out/up.json"; do
  kill -0 "$up" 2>/dev/null || { cat "$out/up.err" >&2; exit 1; }
  sleep 0.2
done
export HONE_TOKEN_FILE=$out/data/admin.token
HONE_URL=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$out/up.json")
export HONE_URL

# A source as Debian has it, its recipe laid over it.
prepare() { # PRODUCT
  [ -d "$out/sources/$1" ] || "$root/deploy/debian_source.sh" "$out/sources" "$1" > "$out/fetch.log" 2>&1 ||
    { cat "$out/fetch.log" >&2; return 1; }
  cp -a "$recipes/$1/." "$out/sources/$1/"
  mkdir -p "$out/sources/$1/hone"
  cp "$recipes/make_inputs.py" "$out/sources/$1/hone/"
}
result() { printf '%s/results/%s.json' "$out" "$1"; }
# campaign, confirmed reward and its interval of a result; null where nothing won.
fields() { jq -r '.campaign | [.id, (.confirmed.value // "null"), (.confirmed.low // "null"), (.confirmed.high // "null"), (.confirmed.pairs // 0), .finished, .failed] | @tsv' "$(result "$1")"; }

if [ $verify = 1 ]; then
  wrong=0
  for product in "${products[@]}"; do
    [ -s "$(result "$product")" ] || continue
    campaign=$(jq -r '.campaign.id' "$(result "$product")")
    status=0
    "$bin/hone" report "$campaign" --verify > "$out/results/$product.verify.txt" 2>&1 || status=$?
    echo "$product: $(tail -n 1 "$out/results/$product.verify.txt")"
    [ "$status" = 0 ] || [ "$status" = 10 ] || wrong=$((wrong + 1))
  done
  echo "winners that did not hold: $wrong (none)"
  exit $((wrong != 0))
fi

for product in "${products[@]}"; do
  [ ! -s "$(result "$product")" ] || continue
  prepare "$product" || { echo "learner_runtime.sh: no source of $product" >&2; continue; }
  status=0
  "$bin/hone" tune "$out/sources/$product" --budget "$budget" --seed 1 --output "$out/results/$product" --json \
    > "$out/results/$product.events" 2> "$out/results/$product.err" || status=$?
  if [ "$status" = 0 ] || [ "$status" = 10 ]; then
    tail -n 1 "$out/results/$product.events" > "$(result "$product").part"
    mv "$(result "$product").part" "$(result "$product")"
  else
    echo "learner_runtime.sh: tuning $product ended with exit code $status: $(tail -n 1 "$out/results/$product.err")" >&2
  fi
done

echo "machine: $(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
printf '%-14s %9s %6s   %s\n' product evaluated failed 'confirmed on fresh pairs, -O3 / ours'
for product in "${products[@]}"; do
  [ -s "$(result "$product")" ] || continue
  fields "$product" | awk -v product="$product" -F'\t' '{
    text = "1.000  no winner"
    if ($2 != "null") text = sprintf("%.3f  [%.3f, %.3f] on %d pairs", exp($2), exp($3), exp($4), $5)
    printf "%-14s %9d %6d   %s\n", product, $6, $7, text }'
done
echo
for product in "${products[@]}"; do
  [ ! -s "$(result "$product")" ] || jq '.campaign.confirmed.value // 0' "$(result "$product")"
done | awk -v least="$least" '
  { sum += $1; ++count; if ($1 < lowest) lowest = $1 }
  END {
    mean = count ? exp(sum / count) : 0
    printf "products measured: %d (at least %d)\n", count, least
    printf "lowest: %.3f (at least 0.99)\n", exp(lowest)
    printf "geometric mean over -O3: %.4f (at least 1.02, goal 1.05)\n", mean
    exit !(count >= least && exp(lowest) >= 0.99 && mean >= 1.02) }'
