#!/usr/bin/env bash
# Evaluations that are needed: ours (portfolio, then climbing) against random search and living peers, on
# programs never seen, by instruction count, where an evaluation is exact.
#
#   learner_efficiency.sh [--collect] [--verify] [--out DIR] [--bin DIR]
#
#   --collect   keep the runs that are there, go on with the rest (about an hour in all)
#   --verify    the figures again from the runs that are there, and each tuner's first seed of the first
#               three programs run afresh
#   --out DIR   runs [build/learner_efficiency]
#   --bin DIR   folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#
# HONE_SEEDS sets other seeds than "1 2 3 4 5", HONE_PROGRAMS how many programs [10], for trying the script
# out. The peers (Nevergrad, OpenTuner, autotune-doctor) come from PyPI into the --out folder. Prints a line
# a program, then the figures. Exit 1 if ours needs more than 40 evaluations (median over programs and
# seeds) to be as good as the best of random search's 200, or if a peer's best of 200 is better than ours in
# the geometric mean.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/learner_efficiency
bin= collect=0
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=1; shift ;;
    --verify) collect=2; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    *) sed -n '2,20s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/hone" ] || bin=$folder
done
[ -x "$bin/hone" ] || { echo "learner_efficiency.sh: no hone in '$bin': build it first" >&2; exit 2; }
seeds=${HONE_SEEDS:-1 2 3 4 5}
evaluations=200
peers='nevergrad opentuner autotune'
mkdir -p "$out"
[ $collect != 0 ] || rm -f "$out"/*.costs

python=$out/venv/bin/python
[ -x "$python" ] || python3 -m venv "$out/venv"
"$python" -c 'import nevergrad, opentuner, autotune' 2>/dev/null ||
  "$out/venv/bin/pip" install -q nevergrad==1.0.12 opentuner==0.8.8 autotune-doctor==0.5.0 ||
  { echo "SKIP: PyPI is not to be had, and the peers come from there" >&2; exit 77; }

# Every fourth program of those that learner_size.sh evaluates on.
mapfile -t programs < <(grep -v '^#' "$root/tests/perf/learner/size_programs.txt" | awk 'NR % 4 == 3' | head -n "${HONE_PROGRAMS:-10}")
name() { printf '%s' "$1" | sha256sum | cut -c1-16; }

# The costs of what a tuner evaluated, in order, one a line: FILE TUNER PROGRAM SEED
run() {
  [ ! -s "$1" ] || return 0
  local bitcode
  bitcode=$out/$(name "$3").bc
  [ -s "$bitcode" ] || "$bin/hone" env run "$3" --observe IrInstructionCount --write "$bitcode" > /dev/null
  case $2 in
    portfolio | random)
      rm -f "$1.log"
      "$bin/hone" env search "$3" --search "$2" --passes-only --evaluations $evaluations --width 10 --seed "$4" \
        --at-once 2 --log "$1.log" --json > /dev/null
      jq -r 'select(.pipelines) | .cost // 1000000000' "$1.log" > "$1.part"
      ;;
    *) "$python" "$root/tests/perf/learner/peers.py" "$2" "$bin" "$bitcode" $evaluations "$4" > "$1.part" 2> "$1.err" ;;
  esac
  [ "$(wc -l < "$1.part")" -ge $((evaluations * 3 / 4)) ] ||
    { echo "WRONG: $2 on $3: $(wc -l < "$1.part") evaluations only" >&2; exit 1; }
  mv "$1.part" "$1"
}
best() { sort -n "$1" | head -n 1; }
# How many evaluations until a cost of at most LIMIT; 201: never.
needed() { awk -v limit="$2" '$1 <= limit { print NR; found = 1; exit } END { if (!found) print 201 }' "$1"; }

if [ $collect = 2 ]; then
  for program in "${programs[@]:0:3}"; do
    for tuner in random portfolio $peers; do rm -f "$out/$(name "$program")-$tuner-${seeds%% *}.costs"; done
  done
fi
: > "$out/needed"
: > "$out/best"
for program in "${programs[@]}"; do
  for seed in $seeds; do
    for tuner in random portfolio $peers; do
      run "$out/$(name "$program")-$tuner-$seed.costs" $tuner "$program" "$seed"
    done
    of="$out/$(name "$program")"
    ours=$(best "$of-portfolio-$seed.costs")
    needed "$of-portfolio-$seed.costs" "$(best "$of-random-$seed.costs")" >> "$out/needed"
    for tuner in random $peers; do
      echo "$tuner $(best "$of-$tuner-$seed.costs") $ours" >> "$out/best"
    done
  done
  echo "$program: ours $(best "$of-portfolio-$seed.costs"), random $(best "$of-random-$seed.costs")$(for tuner in $peers; do printf ', %s %s' $tuner "$(best "$of-$tuner-$seed.costs")"; done) (seed $seed)"
done

echo
low=0
for tuner in random $peers; do
  awk -v tuner=$tuner '$1 == tuner { sum += log($2 / $3); n++ } END {
    mean = exp(sum / n)
    printf "best of 200 by %s: %.4f times ours (geometric mean of %d runs)\n", tuner, mean, n
    exit !(mean >= 1)
  }' "$out/best" || low=1
done
median=$(sort -n "$out/needed" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }')
echo "evaluations until as good as random search's best of 200: $median (median of $(wc -l < "$out/needed") runs; at most 40)"
awk -v median="$median" 'BEGIN { exit !(median <= 40) }' || low=1
exit $low
