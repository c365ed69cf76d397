#!/usr/bin/env bash
# False alarms: 300 comparisons of a program with itself by `hone bench`, in each of four cells: CPU time
# and a number that the program prints, on the machine as it is and with a hog on every processor. The
# two metrics are measured at once, as two slots of a worker would. A verdict `faster` or `slower` is a
# false call.
#
#   staging_aa.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the comparisons that are there, go on with the rest (about an hour in all)
#   --out DIR   results and programs [build/staging_aa]
#   --bin DIR   folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#
# HONE_AA_COMPARISONS sets another number than 300, for trying the script out. Prints a line a cell, the
# share of false calls over all last. Exit 1 if a cell has more than 29 of 300, or all together more than
# 6.5 %.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/support/staging/arguments.sh"
read_arguments staging_aa "$@"
make_programs
# Half of the other measurements' length: short runs have more noise to be taken for a difference.
for kind in $kinds; do rounds[$kind]=$((rounds[$kind] / 2)); done
comparisons=${HONE_AA_COMPARISONS:-300}
children=()
trap 'kill "${children[@]}" 2> /dev/null || true' EXIT

comparisons_of() { # LOAD METRIC
  local options=("${by_cpu_time[@]}") list=($kinds) i kind
  [ "$2" = cpu ] || options=("${printed[@]}")
  for ((i = 1; i <= comparisons; i++)); do
    kind=${list[(i - 1) % 3]}
    compare "$1-$2/$i" "$work $kind ${rounds[$kind]}" "$work $kind ${rounds[$kind]}" "${options[@]}"
  done
}

for load in found hogs; do
  if [ $load = hogs ]; then
    for ((i = 0; i < $(nproc); i++)); do
      "$work" hash 100000000000 > /dev/null &
      children+=($!)
    done
  fi
  measuring=()
  for metric in cpu printed; do
    comparisons_of $load $metric &
    measuring+=($!) children+=($!)
  done
  for child in "${measuring[@]}"; do wait "$child"; done
done

echo
worst=0 all=0
for load in found hogs; do
  for metric in cpu printed; do
    false_calls=$(called "$load-$metric/*.json")
    printf '%-6s %-8s %3d false calls of %d; verdicts: %s; pairs: %s on average\n' $load $metric \
      "$false_calls" "$comparisons" "$(verdicts "$load-$metric/*.json" | tr '\n' ',')" \
      "$(cd "$out/results/$load-$metric" && jq .reward.pairs ./*.json | awk '{ s += $1 } END { printf "%.1f", s / NR }')"
    all=$((all + false_calls))
    [ "$false_calls" -le "$worst" ] || worst=$false_calls
  done
done
echo "most false calls in a cell: $worst of $comparisons (at most 29 of 300)"
awk -v all="$all" -v n="$((4 * comparisons))" -v worst="$worst" -v one="$comparisons" 'BEGIN {
  printf "false calls over all: %d of %d, %.1f %% (at most 6.5 %%)\n", all, n, 100 * all / n
  exit !(all <= 0.065 * n && worst <= 29 * one / 300)
}'
