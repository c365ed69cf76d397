#!/usr/bin/env bash
# The general policy's choice for -Oz on programs never seen: the modules of learner/size_programs.txt (12 Debian
# sources), compiled from their sources for -Oz by clang 19 alone and with the policy's choice, as the plugin makes
# it in a user's compile. Bytes of code are exact, so that nothing is timed.
#
#   learner_zero_shot_size.sh [--level Oz] [--policy FILE] [--collect] [--out DIR] [--bin DIR]
#
#   --level L      Os or Oz [Oz]
#   --policy FILE  the policy's document [the installed one: hone policy general --document]
#   --collect      keep what was compiled, do only what is missing
#   --out DIR      results [build/learner_zero_shot_size]
#   --bin DIR      folder of `hone`, `hone-learner` [build/release/bin if it is there, else build/dev/bin]
#
# Prints a line a module, the figure last. Exit 1 if a family stands in the policy's card, if a module fails with
# its member, or if code is not smaller on the whole by at least half a per cent; 77 if Debian's sources cannot be had.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/learner_zero_shot_size bin= level=Oz policy= collect=no
while [ $# -gt 0 ]; do
  case $1 in
    --level) level=${2:?--level needs Os or Oz}; shift 2 ;;
    --policy) policy=${2:?--policy needs a file}; shift 2 ;;
    --collect) collect=yes; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    *) sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
case $level in Os | Oz) ;; *) echo "learner_zero_shot_size.sh: --level $level is neither Os nor Oz" >&2; exit 2 ;; esac
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/hone-learner" ] || bin=$folder
done
for program in hone hone-learner hone-session; do
  [ -x "$bin/$program" ] || { echo "learner_zero_shot_size.sh: no $program in '$bin': build it first" >&2; exit 2; }
done
command -v clang-19 > /dev/null || { echo "learner_zero_shot_size.sh: no clang-19 (deploy/install_packages.sh)" >&2; exit 77; }
[ -n "$policy" ] || policy=$("$bin/hone" policy general --document)
[ $collect = yes ] || rm -rf "$out"
mkdir -p "$out"
status=0
"$bin/hone-learner" zero-shot --level "$level" --programs "$root/tests/perf/learner/size_programs.txt" \
  --work "$out/work" --evaluate "$policy" > "$out/table" 2> "$out/log" || status=$?
case $status in
  0) ;;
  4 | 6) cat "$out/log" >&2; exit 77 ;;
  *) cat "$out/log" >&2; exit 1 ;;
esac
grep 'left out' "$out/log" >&2 || true
cat "$out/table"
tail -n 1 "$out/table" | grep -q ' 0 failed' || { echo "a module fails with its member"; exit 1; }
tail -n 1 "$out/table" | awk '{ match($0, /bytes of code [+-][0-9.]+/); exit !(substr($0, RSTART + 14, RLENGTH - 14) + 0 <= -0.5) }'
