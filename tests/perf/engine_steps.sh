#!/usr/bin/env bash
# What a step of a compile session costs, in CPU time, against spawning opt-19 for the same pass on
# the same module, and for the whole prefix that led there; batched steps against a bare pass manager.
#
#   engine_steps.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   keep the modules that are there
#   --out DIR   modules [build/engine_steps]
#   --bin DIR   folder of engine_steps, a release build [build/release/tests if it is there, else
#               build/dev/tests]
#
# On 23 modules of products (tests/support/engine/modules.sh), 4 to 643 KB. A step is the pass, the
# check of the module's rules, the instruction count and Autophase's 56 numbers. Prints a table, the
# ratios last. Exit 1 if a step costs more than 1/50 of a spawn at p50, 1/10 on the mean, 1/20 of a
# prefix on the mean, or batched steps more than 5 % above a bare pass manager.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
collect=no out=$root/build/engine_steps bin=
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=yes; shift ;;
    --out) out=${2:?--out DIR}; shift 2 ;;
    --bin) bin=${2:?--bin DIR}; shift 2 ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
  esac
done
if [ -z "$bin" ]; then
  bin=$root/build/release/tests
  [ -x "$bin/engine_steps" ] || bin=$root/build/dev/tests
fi
for tool in "$bin/engine_steps" opt-19 clang++-19; do
  command -v "$tool" > /dev/null || { echo "engine_steps: no $tool here" >&2; exit 1; }
done
[ $collect = yes ] || rm -rf "$out/modules"
mkdir -p "$out"
out=$(cd "$out" && pwd)
. "$root/tests/support/engine/modules.sh"
make_modules
echo "machine: $(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1-3 /proc/loadavg), $(date -u +%F)"
du -b "${modules[@]}" | sort -n | awk '{ s[NR] = $1 } END { printf "%d modules, %.0f to %.0f KB\n", NR, s[1] / 1000, s[NR] / 1000 }'
exec "$bin/engine_steps" "${modules[@]}"
