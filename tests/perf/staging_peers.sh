#!/usr/bin/env bash
# The same comparisons by `hone bench`, by hyperfine's means, and by a t-test on hyperfine's times
# (which is what its own script for it does), side by side: false alarms where there is no difference,
# misses where one side is 1 % slower. hyperfine runs as often as hone bench did for that comparison.
#
#   staging_peers.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the comparisons that are there, go on with the rest (about 20 minutes in all)
#   --out DIR   results and programs [build/staging_peers]
#   --bin DIR   folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#
# HONE_PEERS_TRIALS sets another number of comparisons a cell than 30, for trying the script out. A
# person who reads hyperfine's summary sees that one command "ran N times faster": a claim is a
# difference of the means of at least 1 %, or, for the second column, one beyond the error it prints.
#
# Prints a table, the figures last. Exit 1 if hone bench has more wrong answers (false alarms and
# misses) than a peer.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/support/staging/arguments.sh"
read_arguments staging_peers "$@"
command -v hyperfine > /dev/null || { echo "staging_peers: no hyperfine here (deploy/install_packages.sh --perf)" >&2; exit 1; }
hyperfine --version
make_programs
trials=${HONE_PEERS_TRIALS:-30}

for ((i = 1; i <= trials; i++)); do
  for kind in $kinds; do
    for part in 0 10; do
      name=$kind-$part/$i
      baseline="$work $kind ${rounds[$kind]}"
      candidate="$baseline $((rounds[$kind] * part / 1000))"
      compare "$name" "$baseline" "$candidate" "${by_cpu_time[@]}"
      if [ ! -s "$out/results/$name.hyperfine" ]; then
        hyperfine --shell=none --warmup 1 --runs "$(field "$name" .reward.pairs)" --style none \
          --export-json "$out/results/$name.hf.new" "$baseline" "$candidate" > /dev/null 2>&1
        mv "$out/results/$name.hf.new" "$out/results/$name.hyperfine"
      fi
    done
  done
done

"$root/tests/support/staging/peers.py" "$out/results" $kinds
