#!/usr/bin/env bash
# The production loop, live on the loopback: a zstd service behind HAProxy under load, tuned in staging, its tuned
# build tried on a share of the traffic, judged by what Prometheus saw, promoted or withdrawn, and learnt from.
#
#   run.sh [--cycles N] [--faults [--only LIST]] [--aa N] [--bin DIR] [--out DIR] [--keep]
#
#   --cycles N   cycles of propose, build, canary, reward, learn, next proposal [3; 0 with --faults or --aa]; the
#                second plants a candidate that wins in staging and loses in production
#   --faults     instead: canaries with planted faults, each to be withdrawn: 20 % more p95 with the median unchanged,
#                5 % more processor time, more variance, a crash loop (--only tail,cpu,variance,crash)
#   --aa N       N canaries that are the baseline's own build: at most one in ten may be called worse
#   --bin DIR    Hone's programs [build/release/bin if they are there, else build/dev/bin]
#   --out DIR    sources, builds, logs and the report [build/canary]; sources and object caches are used again
#   --keep       keep the data folder (database, worker, Prometheus)
#
# Needs Debian's prometheus, haproxy, ccache, prometheus-cpp-dev and Hone's own packages, and at the first run a mirror
# for zstd's source. Prints one report with each cycle's trail, its last line the figure. Exit code 0 when all was as
# promised, 1 when it fell short, 2 for bad usage, 77 when something needed is missing.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
case " $* " in *" --help "* | *" -h "*) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"; exit 0 ;; esac
command -v python3 > /dev/null || { echo "run.sh: missing: python3" >&2; exit 77; }
exec python3 "$here/run" "$@"
