#!/usr/bin/env bash
# Where code lies in memory makes a program faster or slower although it is the same. Twenty
# comparisons of links of equal objects: each side a fresh pool of eight links in random order, by
# `hone bench --links 8`; beside them the same with a single link on each side, which shows what would
# have been claimed without.
#
#   staging_layout.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the comparisons that are there, go on with the rest
#   --out DIR   results and programs [build/staging_layout]
#   --bin DIR   folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#
# Prints a table; last the number of pools that were called different. Exit 1 if more than 3 of 20.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/support/staging/arguments.sh"
read_arguments staging_layout "$@"
make_programs
comparisons=20
for ((i = 1; i <= comparisons; i++)); do
  set -- $kinds
  shift $(((i - 1) % 3))
  kind=$1
  folder=$out/links/$i
  if [ ! -s "$out/results/single-$i.json" ]; then
    rm -rf "$folder" && mkdir -p "$folder"
    for ((k = 0; k < 8; k++)); do
      link_of "a-$i-$k" "$folder/a$k"
      link_of "b-$i-$k" "$folder/b$k"
    done
    arguments="$kind ${rounds[$kind]}"
    compare "pool-$i" "$folder/a{link} $arguments" "$folder/b{link} $arguments" --links 8 "${by_cpu_time[@]}"
    compare "single-$i" "$folder/a0 $arguments" "$folder/b0 $arguments" "${by_cpu_time[@]}"
    rm -rf "$folder"
  fi
  for way in pool single; do
    printf '%-7s %2d %-7s %-13s %s pairs  %+.2f %% [%+.2f, %+.2f]\n' $way "$i" "$kind" \
      "$(field "$way-$i" .verdict)" "$(field "$way-$i" .reward.pairs)" \
      $(field "$way-$i" '.reward | .value * 100, .low * 100, .high * 100')
  done
done
echo
for kind in $kinds; do
  echo "links of $kind differ by (standard deviation, from pools): $(
    for ((i = 1; i <= comparisons; i++)); do
      set -- $kinds; shift $(((i - 1) % 3)); [ "$1" = "$kind" ] && field "pool-$i" '.layout_sigma * 100' || true
    done | sort -n | awk '{ v[NR] = $1 } END { printf "median %.2f %%, largest %.2f %%", v[int((NR + 1) / 2)], v[NR] }')"
done
echo "single links called different: $(called 'single-*.json') of $comparisons"
different=$(called 'pool-*.json')
echo "pools of 8 links called different: $different of $comparisons (at most 3)"
[ "$different" -le 3 ]
