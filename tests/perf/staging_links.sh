#!/usr/bin/env bash
# What the links that hone-link makes differ by, and what they cost. Each of three programs is the
# same code eight times: the plain link and seven with padding. Such a set is compared with itself
# (one link drawn per run, `hone bench --links 8`), and the plain link with each of the others alone,
# which shows what a job that measures one link of each program would have claimed.
#
#   staging_links.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the comparisons that are there, go on with the rest
#   --out DIR   results and programs [build/staging_links]
#   --bin DIR   folder of `hone` and `hone-link` [build/release/bin if it is there, else build/dev/bin]
#
# Prints a table; last the number of sets that were called different from themselves. Exit 1 if more
# than 2 of 9.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/support/staging/arguments.sh"
read_arguments staging_links "$@"
make_programs
[ $collect = yes ] || rm -rf "$out/links"
hone_link=$(dirname "$hone")/hone-link
link=(clang-19 "$out"/objects/{main,hash,matrix,sort}.o -o "$out/links/work")
if [ ! -e "$out/links/a7" ]; then
  rm -rf "$out/links" && mkdir -p "$out/links"
  HONE_LINK_PROGRAM=work HONE_LINK_COPIES=7 "$hone_link" "${link[@]}"
  ln "$out/links/work" "$out/links/a0"
  for k in 1 2 3 4 5 6 7; do ln "$out/links/work.hone-link-$k" "$out/links/a$k"; done
fi
show() { # NAME WHAT
  printf '%-7s %-22s %-13s %3s pairs  %+.2f %% [%+.2f, %+.2f]\n' "$kind" "$2" "$(field "$1" .verdict)" \
    "$(field "$1" .reward.pairs)" $(field "$1" '.reward | .value * 100, .low * 100, .high * 100')
}
for kind in $kinds; do
  arguments="$kind ${rounds[$kind]}"
  for i in 1 2 3; do
    compare "set-$kind-$i" "$out/links/a{link} $arguments" "$out/links/a{link} $arguments" --links 8 --seed "$i" "${by_cpu_time[@]}"
    show "set-$kind-$i" "eight with themselves"
  done
  for k in 1 2 3 4 5 6 7; do
    compare "single-$kind-$k" "$out/links/a0 $arguments" "$out/links/a$k $arguments" "${by_cpu_time[@]}"
    show "single-$kind-$k" "one with link $k"
  done
done
echo
for kind in $kinds; do
  printf 'links of %s differ by (standard deviation, from sets): %s; single links called different: %s of 7\n' "$kind" \
    "$(for i in 1 2 3; do field "set-$kind-$i" '.layout_sigma * 100'; done | sort -n | awk '{v[NR] = $1} END {printf "median %.2f %%, largest %.2f %%", v[2], v[3]}')" \
    "$(called "single-$kind-*.json")"
done
TIMEFORMAT='%U %S'
seconds() { { time for _ in 1 2 3 4 5 6 7 8 9 10; do "$@"; done; } 2>&1 | awk '{printf "%.3f", ($1 + $2) / 10}'; }
echo "CPU seconds of a link: plain $(seconds "${link[@]}"), with seven more $(HONE_LINK_PROGRAM=work HONE_LINK_COPIES=7 seconds "$hone_link" "${link[@]}")"
different=$(called 'set-*.json')
echo "sets called different from themselves: $different of 9 (at most 2)"
[ "$different" -le 2 ]
