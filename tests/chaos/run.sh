#!/bin/bash
# Chaos: two honeds on one PostgreSQL, workers and clients, while programs are killed, connections cut,
# replies dropped and delayed, clocks set, and disks filled up, on a plan made of the seed. In the end no
# job may be lost, counted twice or stuck, and every change of state must have been a legal one
# (tests/chaos/check.py has the invariants).
#
#   run.sh MINUTES SEED [--jobs N] [--gap SECONDS] [--bin DIR] [--keep] [--verbose]
#
#   --jobs N    jobs submitted by hand, over the whole time [5000 in 30 minutes, fewer in proportion];
#               campaigns come on top
#   --gap S     mean time between two faults [5]
#   --bin DIR   programs [build/release/bin, built if missing]
#   --keep      leave logs and journals even if all went well
#
# Runs in namespaces of its own (network, mounts, processes), as root or with user namespaces. Prints seed,
# faults by kind, and the figure last. Exit code 1 on a violation, 2 for bad usage, 77 where namespaces,
# PostgreSQL or a C++ compiler are missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
skip() { echo "SKIP: chaos: $*" >&2; exit 77; }

[[ $# -ge 2 && $1 =~ ^[0-9]+(\.[0-9]+)?$ && $2 =~ ^[0-9]{1,9}$ ]] || usage
minutes=$1 seed=$2 jobs= bin=$here/build/release/bin keep= more=()
shift 2
while [ $# -gt 0 ]; do
  case $1 in
    --jobs) [[ ${2-} =~ ^[1-9][0-9]*$ ]] || usage; jobs=$2; shift 2 ;;
    --gap) [[ ${2-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage; more+=(--gap "$2"); shift 2 ;;
    --bin) bin=$(cd "${2-}" && pwd) || usage; shift 2 ;;
    --keep) keep=1; shift ;;
    --verbose) more+=(--verbose); shift ;;
    *) usage ;;
  esac
done
jobs=${jobs:-$(awk "BEGIN { n = int(5000 * $minutes / 30); print n < 20 ? 20 : n }")}

. "$here/tests/chaos/namespaces.sh"
find_namespaces || skip "$missing"
command -v c++ > /dev/null || skip "no c++"
if [ ! -x "$bin/honed" ]; then
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$here/build/release" --parallel "$(nproc)" \
    --target honed hone hone-worker hone-cc hone_pass-19 > /dev/null
fi

library=$(mktemp -d)
trap 'rm -rf "$library"' EXIT
chmod 755 "$library"
c++ -std=c++20 -O1 -shared -fPIC -o "$library/wall_clock.so" "$here/tests/chaos/wall_clock.cc"
run_in_namespaces python3 "$here/tests/chaos/run.py" --bin "$bin" --minutes "$minutes" --seed "$seed" \
  --jobs "$jobs" --wall-clock "$library/wall_clock.so" ${more[@]+"${more[@]}"}
