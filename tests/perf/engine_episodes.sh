#!/usr/bin/env bash
# Random episodes of 45 steps on one session server: modules of csmith, of llvm-stress and of products.
# Every crash or hang must be an outcome that the session outlives, no server be lost, its memory stay,
# and every history applied again give the same bitcode. Failures per action in a table. Then many
# sessions at once: the memory of 200 idle ones and of 1,000 (most of them parked), and two at work.
#
#   engine_episodes.sh [EPISODES] [--collect] [--out DIR] [--bin DIR]
#
#   EPISODES    [10000]
#   --collect   keep the modules that are there
#   --out DIR   modules and the report [build/engine_episodes]
#   --bin DIR   the build's folder, with bin/hone-session and tests/engine_episodes [build/release if
#               it is there, else build/dev]
#
# Needs csmith (deploy/install_packages.sh --perf). Prints the table, the figures last. Exit 1 if the
# server is lost, a request refused, a replay differs, the server's memory grows by more than half,
# an action's failure rate may be above 0.5 % (upper end of its 95 % interval; such an action must be
# masked or excluded), a crowd takes more than 4 GiB, or two sessions make less than 1.8 times the
# steps of one.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
collect=no out=$root/build/engine_episodes bin='' episodes=10000
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=yes; shift ;;
    --out) out=${2:?--out DIR}; shift 2 ;;
    --bin) bin=${2:?--bin DIR}; shift 2 ;;
    [0-9]*) episodes=$1; shift ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
  esac
done
if [ -z "$bin" ]; then
  bin=$root/build/release
  [ -x "$bin/tests/engine_episodes" ] || bin=$root/build/dev
fi
for tool in "$bin/tests/engine_episodes" "$bin/tests/engine_crowd" "$bin/bin/hone-session" csmith llvm-stress-19 clang++-19; do
  command -v "$tool" > /dev/null || { echo "engine_episodes: no $tool here" >&2; exit 1; }
done
[ $collect = yes ] || rm -rf "$out/modules"
mkdir -p "$out"
out=$(cd "$out" && pwd)
. "$root/tests/support/engine/modules.sh"
make_modules
products=("${modules[@]}")
make_generated_modules 40 40
# Products take their third of the episodes, the large ones among them as often as the small.
generated=("${modules[@]}")
modules=()
for ((i = 0; i < ${#generated[@]}; i += 2)); do
  modules+=("${generated[i]}" "${generated[i + 1]}" "${products[i / 2 % ${#products[@]}]}")
done
echo "machine: $(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
"$bin/tests/engine_episodes" "$bin/bin/hone-session" "$episodes" "${modules[@]}" | tee "$out/report"
"$bin/tests/engine_crowd" "$bin/bin/hone-session" "$out/modules/libzstd-zstd_lazy.c.bc" | tee -a "$out/report"
value() { sed -n "s/^$1=//p" "$out/report"; }
echo
echo "episodes: $(value episodes) of $episodes, $(value steps) steps, $(value failed_steps) failed and outlived"
echo "server's memory: $(value memory_first_kib) KiB at the start, $(value memory_last_kib) KiB at the end"
echo "actions whose failure rate may be above 0.5 %: $(value actions_above_half_a_percent) (none)"
echo "replays that differ: $(value replays_that_differ) (none)"
echo "memory: $(value idle_processes) idle sessions $(value idle_mib) MiB, $(value crowd_sessions) sessions of which $(value crowd_processes) have a process $(value crowd_mib) MiB (at most 4096)"
echo "two sessions at once make $(value parallel_gain) times the steps of one (at least 1.8)"
[ "$(value idle_mib)" -le 4096 ] && [ "$(value crowd_mib)" -le 4096 ] && [ "$(value parked_length)" = 10 ] &&
  awk -v gain="$(value parallel_gain)" 'BEGIN { exit !(gain >= 1.8) }' &&
  [ "$(value episodes)" = "$episodes" ] && [ "$(value refused)" = 0 ] && [ "$(value replays_that_differ)" = 0 ] &&
  [ "$(value actions_above_half_a_percent)" = 0 ] &&
  [ "$(value memory_last_kib)" -le $(($(value memory_first_kib) * 3 / 2)) ]
