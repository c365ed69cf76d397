#!/usr/bin/env bash
# Is a real difference found, and for how many pairs? Programs are given slowdowns of about 0.5, 1, 2
# and 5 % of their CPU time, whose true size is measured by a loop of its own with many pairs
# (tests/support/staging/slowdown.py), and compared with themselves by `hone bench`.
#
#   staging_power.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the comparisons that are there, go on with the rest (about 40 minutes in all)
#   --out DIR   results and programs [build/staging_power]
#   --bin DIR   folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#
# Needs staging_simulation, which builds with the tests (beside DIR or in build/dev).
# HONE_POWER_TRIALS sets another number of comparisons a cell than 40, for trying the script out.
# Found is a significant difference the right way round: `slower`, or `within_noise` (below the noise
# floor of 1 %, which half of the measurements of a 1 % slowdown are).
#
# Prints a line a cell, a simulation of 2,000 comparisons a cell, the figures last. Exit 1 if a program
# whose pairs vary by at most 3 % has less than 90 % of the 1 % slowdowns found; the intervals hold the
# truth in less than 93 % or more than 98 % of the cases, simulated, or live below 93 %; or an equal
# mix of 0, 1, 2 and 5 % takes more than half the pairs of a fixed design of equal power.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/support/staging/arguments.sh"
read_arguments staging_power "$@"
simulation=$(dirname "$hone")/../tests/staging_simulation
[ -x "$simulation" ] || simulation=$root/build/dev/tests/staging_simulation
[ -x "$simulation" ] || { echo "staging_power: no $simulation: build it" >&2; exit 1; }
make_programs
trials=${HONE_POWER_TRIALS:-40}
permille="0 5 10 20 50"
mkdir -p "$out/results/truth"

# The rounds are all alike, so that one large slowdown, measured well, tells how many of them make a
# small one: 5 % known to a twentieth is 1 % known to 0.05 points.
large() { echo $((rounds[$1] * 50 / 1000)); } # KIND
for kind in $kinds; do
  truth=$out/results/truth/$kind
  [ -s "$truth" ] || {
    "$root/tests/support/staging/slowdown.py" "$work" "$kind" "${rounds[$kind]}" "$(large "$kind")" 500 > "$truth.new"
    mv "$truth.new" "$truth"
  }
  echo "$kind: $(large "$kind") rounds more measure (ln) $(sed 's/ / +- /' "$truth")"
done
# The rounds that make a slowdown, and the logarithm that they truly make.
extra_rounds() { # KIND PERMILLE
  awk -v part="$2" -v large="$(large "$1")" '{ printf "%.0f", large * part / 1000 / (exp($1) - 1) }' "$out/results/truth/$1"
}
truth_of() { # KIND PERMILLE
  awk -v extra="$(extra_rounds "$1" "$2")" -v large="$(large "$1")" \
    '{ printf "%.6f", log(1 + (exp($1) - 1) * extra / large) }' "$out/results/truth/$1"
}

# A round of all cells after the other, so that each has its share of what the machine does.
for ((i = 1; i <= trials; i++)); do
  for kind in $kinds; do
    for part in $permille; do
      compare "$kind-$part/$i" "$work $kind ${rounds[$kind]}" \
        "$work $kind ${rounds[$kind]} $(extra_rounds "$kind" "$part")" "${by_cpu_time[@]}"
    done
  done
done

# "TRIALS FOUND COVERED PAIRS SIGMA" of a cell: counts, mean pairs, median standard deviation in %.
cell() { # KIND PERMILLE
  jq -r '[.verdict, .reward.low, .reward.high, .reward.pairs, .reward.noise] | @tsv' \
    "$out/results/$1-$2"/*.json | sort -g -k5 | awk -v truth="-$(truth_of "$1" "$2")" '
    {
      if ($1 == "slower" || ($1 == "within_noise" && $3 < 0)) found++
      if ($2 <= truth + 0 && truth + 0 <= $3) covered++
      pairs += $4; sigma[NR] = $5
    }
    END { printf "%d %d %d %.1f %.2f\n", NR, found, covered, pairs / NR, 100 * sigma[int((NR + 1) / 2)] }'
}

echo
echo "program  slowdown  found          coverage  mean pairs  a pair's deviation"
short=0 all=0 covered=0
for kind in $kinds; do
  for part in $permille; do
    read -r n hits holds pairs sigma < <(cell "$kind" "$part")
    awk -v kind="$kind" -v truth="$(truth_of "$kind" "$part")" -v n="$n" -v hits="$hits" \
      -v holds="$holds" -v pairs="$pairs" -v sigma="$sigma" 'BEGIN {
        printf "%-7s  %6.2f %%  %3d of %3d %3.0f %%  %5.1f %%    %10s  %.2f %%\n", kind, 100 * (exp(truth) - 1), hits, n, 100 * hits / n, 100 * holds / n, pairs, sigma }'
    all=$((all + n)) covered=$((covered + holds))
    if [ "$part" = 10 ] && awk -v s="$sigma" -v h="$hits" -v n="$n" 'BEGIN { exit !(s <= 3 && h < 0.9 * n) }'; then
      short=$((short + 1))
    fi
  done
done
echo
"$simulation" 2000 > "$out/results/simulation.new"
mv "$out/results/simulation.new" "$out/results/simulation"
cat "$out/results/simulation"
value() { sed -n "s/^$1=//p" "$out/results/simulation"; }
echo
echo "programs with less than 90 % of 1 % slowdowns found: $short (none)"
echo "live coverage: $covered of $all (at least 93 %)"
echo "simulated coverage: $(value coverage_low) to $(value coverage_high) (0.93 to 0.98)"
echo "pairs over a mix of 0, 1, 2 and 5 %: $(value pairs_of_unknown) of a fixed design's that must do for deviations up to 3 %"
echo "pairs over the mix, of fixed designs' that know the deviation: $(value pairs_of_fixed) (at most 0.5)"
awk -v short="$short" -v covered="$covered" -v all="$all" -v low="$(value coverage_low)" \
  -v high="$(value coverage_high)" -v pairs="$(value pairs_of_fixed)" 'BEGIN {
    exit !(short == 0 && covered >= 0.93 * all && low >= 0.93 && high <= 0.98 && pairs > 0 && pairs <= 0.5) }'
