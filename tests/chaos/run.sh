#!/bin/bash
# Chaos: two honeds on one PostgreSQL, workers and clients, while programs are killed, connections cut,
# replies dropped and delayed, clocks set, and disks filled up, on a plan made of the seed. In the end no
# job may be lost, counted twice or stuck, and every change of state must have been a legal one
# (tests/chaos/check.py has the invariants).
#
#   run.sh MINUTES SEED [--jobs N] [--bin DIR] [--keep] [--verbose]
#
#   --jobs N    jobs submitted by hand, over the whole time [5000 in 30 minutes, fewer in proportion];
#               campaigns come on top
#   --bin DIR   programs [build/release/bin, built if missing]
#   --keep      leave logs and journals even if all went well
#
# Runs in namespaces of its own (network, mounts, processes), as root or with user namespaces. Prints seed,
# faults by kind, and the figure last. Exit code 1 on a violation, 2 for bad usage, 77 where namespaces,
# PostgreSQL or libfaketime (Debian's faketime) are missing.
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
    --bin) bin=$(cd "${2-}" && pwd) || usage; shift 2 ;;
    --keep) keep=1; shift ;;
    --verbose) more+=(--verbose); shift ;;
    *) usage ;;
  esac
done
jobs=${jobs:-$(awk "BEGIN { n = int(5000 * $minutes / 30); print n < 20 ? 20 : n }")}

for program in unshare python3 psql mount ip; do
  command -v "$program" > /dev/null || skip "no $program"
done
compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null || skip "no PostgreSQL"
compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' > /dev/null || skip "no libfaketime: install faketime"
own=(unshare --net --mount --pid --fork --mount-proc --kill-child=KILL)
if [ "$(id -u)" != 0 ]; then
  own=(unshare --user --map-current-user --keep-caps "${own[@]:1}")
fi
"${own[@]}" bash -c 'ip link set lo up && mount -t tmpfs none /mnt' 2> /dev/null ||
  skip "no namespaces of one's own (as this user, on this machine)"

if [ ! -x "$bin/honed" ]; then
  cmake -S "$here" --preset release > /dev/null
  cmake --build "$here/build/release" --parallel "$(nproc)" \
    --target honed hone hone-worker hone-cc hone_pass-19 > /dev/null
fi

root=$(mktemp -d /var/tmp/hone-chaos.XXXXXX)
chmod 711 "$root"
status=0
# What is mounted is gone with the namespace. A whole machine is not at hand: the sizes are what a minute of
# faults can fill.
"${own[@]}" bash -c '
  set -e
  ip link set lo up
  mount -t tmpfs -o mode=1777 none /dev/shm
  mkdir "$1/pg" "$1/artifacts"
  mount -t tmpfs -o size=768m,mode=711 none "$1/pg"
  mount -t tmpfs -o size=96m,mode=700 none "$1/artifacts"
  cd "$1"
  shift
  exec "$@"' chaos "$root" \
  python3 "$here/tests/chaos/run.py" --root "$root" --bin "$bin" --minutes "$minutes" --seed "$seed" \
  --jobs "$jobs" ${more[@]+"${more[@]}"} || status=$?
if [ "$status" -eq 0 ] && [ -z "$keep" ]; then
  rm -rf "$root"
elif [ "$status" -ne 77 ]; then
  echo "chaos: logs and journals are kept in $root" >&2
fi
exit "$status"
