#!/usr/bin/env bash
# The best of many looks better than it is. Races of 50 candidates that are all the baseline itself, by
# `hone bench`: what the winner seemed to gain in the race, and what its fresh pairs say, which alone is
# published.
#
#   staging_race.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the races that are there, go on with the rest (about 40 minutes in all)
#   --out DIR   results and programs [build/staging_race]
#   --bin DIR   folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#
# HONE_RACES sets another number of races of each program than 20, for trying the script out. Prints a
# line a program, the bias over all last. Exit 1 if that is more than 0.1 points either way.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/support/staging/arguments.sh"
read_arguments staging_race "$@"
make_programs
races=${HONE_RACES:-20}
candidates=()
for ((i = 1; i <= races; i++)); do
  for kind in $kinds; do
    command="$work $kind ${rounds[$kind]}"
    candidates=()
    # One is given with the comparison itself.
    for ((k = 1; k < 50; k++)); do candidates+=(--candidate "$command"); done
    compare "$kind/$i" "$command" "$command" "${candidates[@]}" "${by_cpu_time[@]}"
  done
done

# "N RACE-MEAN FRESH-MEAN STANDARD-ERROR CALLED SAMPLES" of results, in percent.
summary() { # GLOB
  (cd "$out/results" && jq -r '[.race.entries[0].reward, .reward.value, .verdict, .race.runs] | @tsv' $1) | awk '
    { race += $1; fresh += $2; squares += $2 * $2; called += $3 == "faster" || $3 == "slower"; runs += $4 }
    END {
      mean = fresh / NR
      printf "%d %.3f %.3f %.3f %d %.0f\n", NR, 100 * race / NR, 100 * mean, 100 * sqrt((squares / NR - mean * mean) / NR), called, runs / NR
    }'
}
echo
for kind in $kinds; do
  read -r n race fresh error called runs < <(summary "$kind/*.json")
  echo "$kind: $n races of $runs samples; winners by the race $race %, on fresh pairs $fresh % (standard error $error), $called called different"
done
read -r n race fresh error called runs < <(summary '*/*.json')
echo
echo "winners by the race alone: $race %"
echo "bias of the published winner: $fresh % (standard error $error; at most 0.1 either way)"
awk -v bias="$fresh" 'BEGIN { exit !(bias <= 0.1 && bias >= -0.1) }'
