#!/usr/bin/env bash
# Off-policy evaluation: do its 95 % intervals hold the truth, and does the gate keep out a policy that
# only had a lucky log? By simulation, afresh each time (about a minute).
#
#   learner_ope.sh [--bin DIR]
#
#   --bin DIR   folder of the program learner_ope [build/release/tests if it is there, else build/dev/tests]
#
# Prints a table, then the figures. Exit 1 if an interval (doubly robust, SNIPS, IPS) covers less than 92 %
# of 200 logs, or a bad policy is published in more than 1 of 200 trials.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=
while [ $# -gt 0 ]; do
  case $1 in
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/tests" "$root/build/dev/tests"; do
  [ -n "$bin" ] || [ ! -x "$folder/learner_ope" ] || bin=$folder
done
[ -x "$bin/learner_ope" ] || { echo "learner_ope.sh: no learner_ope in '$bin': build the target learner_ope" >&2; exit 2; }
result=$("$bin/learner_ope" 200)
grep -v = <<< "$result"
echo
awk -F= '
  { value[$1] = $2 }
  END {
    least = 1
    for (name in value) if (name ~ /^coverage_/ && value[name] < least) least = value[name]
    printf "least coverage of 95 %% intervals: %.3f (at least 0.92); a bad policy with a lucky log published in %d of %d trials (at most 1; by the log alone %d), a good one in %d\n",
      least, value["published"], value["trials"], value["lucky"], value["found"]
    exit !(least >= 0.92 && value["published"] <= 1 && value["trials"] == 200)
  }' <<< "$result"
