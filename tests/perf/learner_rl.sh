#!/usr/bin/env bash
# Rewards in the lab and on the staging machine, on programs never seen: PPO told of each pass at once, PPO told
# when the episode ends, and PPO told first the one, then the other; beside them the bandit over portfolio
# members, the portfolio in its own order, and random sequences. Instructions of the module against -Oz.
#
#   learner_rl.sh [--collect] [--verify] [--out DIR] [--bin DIR]
#
#   --collect   keep the models and results that are there, go on with the rest (some 90 CPU minutes in all)
#   --verify    only measure the winners that are there again: from their text, the module checked by opt-19
#   --out DIR   models and results [build/learner_rl]
#   --bin DIR   folder of the programs [build/release/bin if learner_rl is there, else build/dev/bin]
#
# Trains on tests/perf/learner/rl_trained.txt (families of the installed portfolio's card only), evaluates on
# rl_evaluated.txt, 20 sequences a program and method; a rollout of a policy counts as one. Programs of a family
# that was trained on are refused. HONE_SEEDS sets other seeds than "1 2 3 4 5", HONE_STEPS other steps of a
# training than 20000, HONE_PROGRAMS how many programs are evaluated [all], HONE_JOBS how many trainings run at once
# [2], for trying the script out. Exit 1 if a cell of the table is missing or a winner does not hold.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/learner_rl
bin= collect=0 verify=0
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=1; shift ;;
    --verify) verify=1; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    *) sed -n '2,20s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/learner_rl" ] || bin=$folder
done
[ -x "$bin/learner_rl" ] || { echo "learner_rl.sh: no learner_rl in '$bin': build it first" >&2; exit 2; }
export bin out
export steps=${HONE_STEPS:-20000}
seeds=${HONE_SEEDS:-1 2 3 4 5}
budgets='1 5 20'
export evaluations=20
export portfolio
portfolio=$(dirname "$bin")/share/hone/portfolios/llvm-19-IrInstructionCount.json
export trained=$root/tests/perf/learner/rl_trained.txt
mkdir -p "$out"
[ $((collect + verify)) != 0 ] || rm -rf "$out"/*.model "$out"/*.ndjson "$out/work"
grep -v '^#' "$root/tests/perf/learner/rl_evaluated.txt" | head -n "${HONE_PROGRAMS:-1000}" > "$out/evaluated.txt"
count=$(wc -l < "$out/evaluated.txt")
methods='ppo-immediate ppo-final ppo-both bandit portfolio pieces random'

# A Debian source or a generator: benchmark://debian-v0/zstd
families() { sed -E 's#^(benchmark://debian-v0/[^/]+)/.*#\1#; s#^(generator://[^/]+)/.*#\1#' | sort -u; }

# 1. Nothing that is evaluated was trained on, by anybody.
overlap() { # FILE-OF-URIS WHO
  local common
  common=$(comm -12 <(families < "$1") <(families < "$out/evaluated.txt"))
  [ -z "$common" ] || { echo "WRONG: $2 was trained on what is evaluated: $common"; exit 1; }
}
grep -v '^#' "$trained" > "$out/trained.txt"
overlap "$out/trained.txt" rl_trained.txt
jq -r '.card.programs[].uri' "$portfolio" > "$out/mined.txt"
overlap "$out/mined.txt" "the portfolio"
comm -23 <(families < "$out/trained.txt") <(families < "$out/mined.txt") | grep . &&
  { echo "WRONG: these families are not in the portfolio's card"; exit 1; }

# 2. A cell: a model, if the method has one, then the sequences. Each is written whole or not at all.
cell() { # METHOD SEED
  local model=$out/$1-$2.model result=$out/$1-$2.ndjson file=$out/$1-$2.model method=$1
  [ ! -s "$result" ] || return 0
  case $1 in
    ppo-*)
      [ -s "$model" ] || "$bin/hone-learner" train --kind ppo --rewards "${1#ppo-}" --steps "$steps" --seed "$2" \
        --programs "$trained" --output "$model" > "$model.log" 2>&1
      method=ppo
      ;;
    bandit)
      [ -s "$model" ] || "$bin/hone-learner" train --kind bandit --seed "$2" --programs "$trained" \
        --work "$out/work/bandit" --output "$model" > "$model.log" 2>&1
      ;;
    portfolio | pieces) file=$portfolio ;;
    random) file=- ;;
  esac || { echo "WRONG: $1, seed $2: $(tail -n 1 "$model.log")"; return 1; }
  "$bin/learner_rl" $method "$file" "$out/evaluated.txt" $evaluations "$2" "$out/work/$1-$2" > "$result.part" 2> "$result.err" ||
    { echo "WRONG: $1, seed $2: $(tail -n 1 "$result.err")"; return 1; }
  mv "$result.part" "$result"
  echo "$1, seed $2: done"
}
export -f cell
if [ $verify = 0 ]; then
  # The bandit's seeds share one folder of evaluations: the first seed fills it.
  for method in $methods; do for seed in $seeds; do echo "$method $seed"; done; done | sort -k2,2n -s |
    grep -v '^bandit' | xargs -P "${HONE_JOBS:-2}" -L 1 bash -c 'cell "$0" "$1"'
  for seed in $seeds; do cell bandit "$seed"; done
fi

# 3. Each method's best of each program again: replayed by hone env run from its text, the module verified by
# opt-19 and counted.
jq -c 'select(.best | length > 0) | {method: (input_filename | sub("-[0-9]+.ndjson$"; "")), program, best,
    cost: ([.costs[] | numbers] | min)}' "$out"/*-[0-9]*.ndjson |
  jq -sc 'group_by([.method, .program])[] | min_by(.cost) | del(.method)' | sort -u > "$out/winners"
checked=0
while read -r winner; do
  program=$(jq -r .program <<< "$winner")
  mapfile -t actions < <(jq -r '.best[]' <<< "$winner")
  arguments=()
  for action in "${actions[@]}"; do arguments+=("--action=$action"); done
  "$bin/hone" env run "$program" "${arguments[@]}" --observe IrInstructionCount --write "$out/winner.bc" --json \
    < /dev/null > "$out/winner.json"
  counted=$(jq .observations.IrInstructionCount "$out/winner.json")
  [ "$(jq --argjson b "$counted" '.cost == $b' <<< "$winner")" = true ] ||
    { echo "WRONG: $program: $(jq .cost <<< "$winner") claimed, $counted counted"; exit 1; }
  opt-19 -passes=verify -disable-output "$out/winner.bc" || { echo "WRONG: $program: the winner is not valid IR"; exit 1; }
  checked=$((checked + 1))
done < "$out/winners"
echo "$checked different winners replayed, verified by opt-19, and of the size they claim"

# 4. What the trainings took, and the table.
for rewards in immediate final both; do
  for seed in $seeds; do head -n 1 "$out/ppo-$rewards-$seed.model" 2> /dev/null || true; done |
    jq -r '[.data.rows, .metrics.cpu_seconds_of_sessions, (.data.programs | length)] | @tsv' |
    awk -v rewards=$rewards '{ steps += $1; seconds += $2; programs = $3 } END {
      if (NR) printf "ppo-%s: trained with %d steps on %d programs, %.0f CPU seconds of sessions (mean of %d seeds)\n", rewards, steps / NR, programs, seconds / NR, NR }'
done
echo
printf '%-14s' method; for budget in $budgets; do printf ' %26s' "$budget sequences"; done; echo
missing=0
for method in $methods; do
  printf '%-14s' "$method"
  for budget in $budgets; do
    for seed in $seeds; do
      file=$out/$method-$seed.ndjson
      [ -s "$file" ] || continue
      jq -r --argjson k "$budget" '[.oz, ([.oz, (.costs[:$k][] | numbers)] | min)] | @tsv' "$file" |
        awk -v count="$count" '{ sum += log($1 / ($2 < 1 ? 1 : $2)) } END { if (NR == count) printf "%.6f\n", exp(sum / NR) }'
    done | awk -v wanted="$(wc -w <<< "$seeds")" '{ x[NR] = $1; sum += $1; if (NR == 1 || $1 < low) low = $1; if ($1 > high) high = $1 } END {
        if (NR < wanted) { printf " %26s", "MISSING"; exit 1 }
        printf " %26s", sprintf("%.4f (%.4f to %.4f)", sum / NR, low, high) }' || missing=1
  done
  echo
done
echo "times fewer instructions than -Oz: geometric mean of $count programs, its mean, lowest and highest over the seeds $seeds"
[ $missing = 0 ] || { echo "WRONG: cells are missing"; exit 1; }
