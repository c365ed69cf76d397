#!/usr/bin/env bash
# What leads a search: the same searches with and without the synergy graph, with a trained model and by a
# bandit, on programs never seen, within the same CPU seconds. It compares; nothing must hold.
#
#   learner_guides.sh [--collect] [--out DIR] [--bin DIR] [--synergy FILE] [--model FILE]
#
#   --collect       keep the runs that are there, go on with the rest
#   --out DIR       runs [build/learner_guides]
#   --bin DIR       folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#   --synergy FILE  synergy graph [the installed one]
#   --model FILE    of hone-learner train --kind trees; without it guided searches are left out
#
# HONE_SECONDS sets other CPU seconds than 20, HONE_SEEDS other seeds than "1 2 3 4 5", HONE_PROGRAMS how many
# programs [11], HONE_METHODS fewer methods. Refuses programs of a family that the graph or the model was
# trained on. Prints the geometric mean of -Oz / best for each method, -Oz as fallback, and its ratio to the
# same search without a guide with the interval of that (Student's, over programs: means over seeds).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/learner_guides
bin= collect=0 synergy= model=
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=1; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    --synergy) synergy=${2:?--synergy needs a file}; shift 2 ;;
    --model) model=${2:?--model needs a file}; shift 2 ;;
    *) sed -n '2,18s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/hone" ] || bin=$folder
done
[ -x "$bin/hone" ] || { echo "learner_guides.sh: no hone in '$bin': build it first" >&2; exit 2; }
cost=IrInstructionCount
synergy=${synergy:-$(dirname "$bin")/share/hone/portfolios/synergy-llvm-19-$cost.json}
seconds=${HONE_SECONDS:-20}
seeds=${HONE_SEEDS:-1 2 3 4 5}
methods='climb climb+synergy portfolio portfolio+synergy genetic genetic+synergy evolution evolution+synergy bandit bandit+synergy'
[ -z "$model" ] || methods="$methods guided guided-bandit"
methods=${HONE_METHODS:-$methods}
mkdir -p "$out"
[ $collect = 1 ] || rm -f "$out"/*.json

# Every fourth program of those that learner_size.sh evaluates on.
mapfile -t programs < <(grep -v '^#' "$root/tests/perf/learner/size_programs.txt" | awk 'NR % 4 == 3' | head -n "${HONE_PROGRAMS:-11}")
family() { sed -E 's#^(benchmark://debian-v0/[^/]+)/.*#\1#; s#^(generator://[^/]+)/.*#\1#' <<< "$1"; }
trained=$(
  jq -r '.card.programs[]' "$synergy"
  [ -z "$model" ] || head -n 1 "$model" | jq -r '.data.programs[]'
)
trained=$(while read -r uri; do family "$uri"; done <<< "$trained" | sort -u)
for program in "${programs[@]}"; do
  ! grep -qxF "$(family "$program")" <<< "$trained" ||
    { echo "learner_guides.sh: $program is of a family that was trained on" >&2; exit 1; }
done
name() { printf '%s' "$1" | sha256sum | cut -c1-16; }

run() { # FILE PROGRAM METHOD SEED; a result is written whole or not at all
  [ ! -s "$1" ] || return 0
  local kind=${3%+synergy} options=()
  [ "$kind" = "$3" ] || options=(--synergy "$synergy")
  local common=(--cost $cost --seconds "$seconds" --width 10 --at-once 1 --seed "$4" --json)
  case $kind in
    guided) "$bin/hone-learner" search "$2" --model "$model" "${common[@]}" ;;
    guided-bandit) "$bin/hone-learner" search "$2" --model "$model" --search bandit "${common[@]}" ;;
    *) "$bin/hone" env search "$2" --search "$kind" "${common[@]}" "${options[@]}" ;;
  esac > "$1.part" 2> "$1.err" || { echo "WRONG: $3 on $2: $(tail -n 1 "$1.err")"; return 1; }
  mv "$1.part" "$1"
}
for seed in $seeds; do
  for program in "${programs[@]}"; do
    for method in $methods; do
      run "$out/$method-$(name "$program")-$seed.json" "$program" "$method" "$seed"
    done
  done
  echo "seed $seed: done"
done

# METHOD: for each program the mean over seeds of ln(Oz / best).
logs() {
  for program in "${programs[@]}"; do
    for seed in $seeds; do jq -r '[.Oz, ([.cost // .Oz, .Oz] | min)] | @tsv' "$out/$1-$(name "$program")-$seed.json"; done |
      awk '{ sum += log($1 / $2) } END { print sum / NR }'
  done
}
echo
for method in $methods; do
  plain=${method%+synergy}
  case $method in guided | guided-bandit | bandit) plain=portfolio ;; esac
  paste <(logs "$method") <(logs "$plain") | awk -v method="$method" -v plain="$plain" '
    { n++; own += $1; d = $1 - $2; sum += d; square += d * d }
    END {
      split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179", t, " ")
      mean = sum / n; half = n > 1 ? t[n - 1 < 12 ? n - 1 : 12] * sqrt((square / n - mean * mean) / (n - 1)) : 0
      printf "%-20s %.4f times smaller than -Oz", method, exp(own / n)
      if (method != plain) printf "; %.4f [%.4f, %.4f] times what %s makes", exp(mean), exp(mean - half), exp(mean + half), plain
      print ""
    }'
done
