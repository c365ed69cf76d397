#!/usr/bin/env bash
# Size on programs never seen: what the installed portfolio and the search behind it make smaller than
# -Oz does, within 20 compiles and within 60 CPU seconds.
#
#   learner_size.sh [--collect] [--verify] [--out DIR] [--bin DIR] [--bitcode DIR]
#
#   --collect      keep the results that are there, go on with the rest (some two hours in all)
#   --verify       only measure the winners that are there again: from their text, the module checked by opt-19
#   --out DIR      results [build/learner_size]
#   --bin DIR      folder of `hone` [build/release/bin if it is there, else build/dev/bin]
#   --bitcode DIR  unoptimised bitcode files (*.bc) of anybody's instead of tests/perf/learner/size_programs.txt
#
# HONE_SECONDS sets other CPU seconds than 60, HONE_COSTS fewer costs than "IrInstructionCount
# ObjectTextSizeBytes", for trying the script out. Programs whose family a portfolio was mined on are
# refused. Prints a line a program, then the geometric means of (-Oz / ours) and the mean reduction in per
# cent, last. Exit 1 if a mean is below its floor: IR 1.05 within 20 compiles and 1.09 within 60 s, .text
# 1.035 and 1.06; or if a winner does not hold, or a planted miscompile is not refused.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/learner_size
bin= bitcode= collect=0 verify=0
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=1; shift ;;
    --verify) verify=1; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    --bitcode) bitcode=${2:?--bitcode needs a folder}; shift 2 ;;
    *) sed -n '2,20s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/bin" "$root/build/dev/bin"; do
  [ -n "$bin" ] || [ ! -x "$folder/hone" ] || bin=$folder
done
[ -x "$bin/hone" ] || { echo "learner_size.sh: no hone in '$bin': build it first" >&2; exit 2; }
seconds=${HONE_SECONDS:-60}
costs=${HONE_COSTS:-IrInstructionCount ObjectTextSizeBytes}
portfolios=$(dirname "$bin")/share/hone/portfolios
mkdir -p "$out"
[ $((collect + verify)) != 0 ] || rm -f "$out"/*.json

if [ -n "$bitcode" ]; then
  mapfile -t programs < <(find "$bitcode" -name '*.bc' | sort)
else
  mapfile -t programs < <(grep -v '^#' "$root/tests/perf/learner/size_programs.txt")
fi
[ ${#programs[@]} -gt 0 ] || { echo "learner_size.sh: no programs" >&2; exit 2; }

# A Debian source or a generator: benchmark://debian-v0/zstd
family() { sed -E 's#^(benchmark://debian-v0/[^/]+)/.*#\1#; s#^(generator://[^/]+)/.*#\1#' <<< "$1"; }

# 1. Nothing that is evaluated was trained on.
for cost in $costs; do
  trained=$(jq -r '.card.programs[].uri' "$portfolios/llvm-19-$cost.json" | while read -r uri; do family "$uri"; done | sort -u)
  for program in "${programs[@]}"; do
    ! grep -qxF "$(family "$program")" <<< "$trained" ||
      { echo "learner_size.sh: $program is of a family that the portfolio for $cost was mined on" >&2; exit 1; }
  done
done

# 2. A sequence known to miscompile, which would win by far (it deletes live code), is refused.
planted=$out/planted.json
jq '.members = [{"pipelines": ["iroutliner", "attributor"], "gain": 0.8}] + .members' \
  "$portfolios/llvm-19-IrInstructionCount.json" > "$planted"
if "$bin/hone" env search "${programs[0]}" --search portfolio --portfolio "$planted" --evaluations 1 \
  > /dev/null 2> "$out/planted.err" || ! grep -q iroutliner "$out/planted.err"; then
  echo "WRONG: a planted miscompile was not refused"
  exit 1
fi
echo "a planted miscompile (iroutliner, attributor) is refused: $(head -c 160 "$out/planted.err")"

name() { printf '%s' "$1" | sha256sum | cut -c1-16; }

# 3. The searches. A result is written whole or not at all.
search() { # FILE PROGRAM COST BUDGET...
  [ ! -s "$1" ] || return 0
  "$bin/hone" env search "$2" --search portfolio --cost "$3" --at-once 1 --width 10 --json "${@:4}" > "$1.part" 2> "$1.err" ||
    { echo "WRONG: $2: $(tail -n 1 "$1.err")"; return 1; }
  mv "$1.part" "$1"
}
if [ $verify = 0 ]; then
  for cost in $costs; do
    for program in "${programs[@]}"; do
      search "$out/$cost-$(name "$program")-20.json" "$program" "$cost" --evaluations 20
    done
  done
  for cost in $costs; do
    for program in "${programs[@]}"; do
      file=$out/$cost-$(name "$program")-60.json
      search "$file" "$program" "$cost" --seconds "$seconds"
      printf '%-70s %-20s %8s by -Oz %8s in 20 compiles %8s in %s s\n' "$program" "$cost" "$(jq .Oz "$file")" \
        "$(jq .cost "${file%-60.json}-20.json")" "$(jq .cost "$file")" "$seconds"
    done
  done
fi

# 4. Every winner again: replayed by hone env run from its text, the module verified by opt-19 and counted.
checked=0
for cost in $costs; do
  for program in "${programs[@]}"; do
    file=$out/$cost-$(name "$program")-60.json
    [ -s "$file" ] || continue
    mapfile -t actions < <(jq -r '.best[]' "$file")
    arguments=()
    for action in "${actions[@]}"; do arguments+=(--action "$action"); done
    "$bin/hone" env run "$program" "${arguments[@]}" --observe "$cost" --write "$out/winner.bc" --json > "$out/winner.json"
    counted=$(jq --arg cost "$cost" '.observations[$cost]' "$out/winner.json")
    claimed=$(jq .cost "$file")
    [ "$(jq -n --argjson a "$counted" --argjson b "$claimed" '$a == $b')" = true ] ||
      { echo "WRONG: $program, $cost: $claimed claimed, $counted counted"; exit 1; }
    opt-19 -passes=verify -disable-output "$out/winner.bc" || { echo "WRONG: $program: the winner is not valid IR"; exit 1; }
    checked=$((checked + 1))
  done
done
echo "$checked winners replayed, verified by opt-19, and of the size they claim"

# 5. The figures.
figure() { # COST BUDGET
  for program in "${programs[@]}"; do
    file=$out/$1-$(name "$program")-$2.json
    [ ! -s "$file" ] || jq -r '[.Oz, ([.cost, .Oz] | min)] | @tsv' "$file"
  done | awk '{ sum += log($1 / $2); percent += 100 * (1 - $2 / $1) } END { if (NR) printf "%.4f %.2f %d\n", exp(sum / NR), percent / NR, NR; else print "0 0 0" }'
}
low=0
report() { # COST BUDGET FLOOR GOAL WORDS
  read -r mean percent count < <(figure "$1" "$2")
  echo "$1, $5: $mean times smaller than -Oz (geometric mean of $count programs; mean reduction $percent %; floor $3, goal $4)"
  awk -v mean="$mean" -v floor="$3" 'BEGIN { exit !(mean >= floor) }' || low=1
}
echo
for cost in $costs; do
  case $cost in
    IrInstructionCount) floors='1.05 1.08 1.09 1.13' ;;
    *) floors='1.035 1.055 1.06 1.09' ;;
  esac
  read -r floor20 goal20 floor60 goal60 <<< "$floors"
  report "$cost" 20 "$floor20" "$goal20" "within 20 compiles"
  report "$cost" 60 "$floor60" "$goal60" "within $seconds CPU seconds"
done
exit $low
