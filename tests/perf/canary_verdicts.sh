#!/usr/bin/env bash
# Canaries replayed from recorded latencies: how often an equal one is withdrawn, and which planted faults
# are missed, by ours and by Kayenta's rule on the same traces.
#
#   canary_verdicts.sh [--collect] [--out DIR] [--bin DIR]
#
#   --collect   judge the trace that is there (default: record afresh, some 19 minutes)
#   --out DIR   trace and example service [build/canary_verdicts]
#   --bin DIR   folder of the program canary_verdicts [build/release/tests if it is there, else build/dev/tests]
#
# Records the example service (zstd of Debian's source): four equal instances and one each with 20 % more
# p95 and the median unchanged, 5 % more processor time, more variance. 60 requests a second each. A canary is
# 60 s of two of them, 100 of equal ones; 300 s of the one with more processor time, of which single requests
# here take anything from 0.02 to 5 ms. HONE_MINUTES sets other minutes to record than 19, for trying it out.
# Prints a table, then the figures. Exit 1 if more than 11 of 100 equal canaries are withdrawn.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$root/build/canary_verdicts
bin= collect=no
while [ $# -gt 0 ]; do
  case $1 in
    --collect) collect=yes; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --bin) bin=${2:?--bin needs a folder}; shift 2 ;;
    *) sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done
for folder in "$root/build/release/tests" "$root/build/dev/tests"; do
  [ -n "$bin" ] || [ ! -x "$folder/canary_verdicts" ] || bin=$folder
done
[ -x "$bin/canary_verdicts" ] || { echo "canary_verdicts.sh: no canary_verdicts in '$bin': build that target" >&2; exit 2; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
minutes=${HONE_MINUTES:-19}
example=$root/deploy/examples/canary

pids=()
stop() { [ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2> /dev/null || true; wait; }
trap stop EXIT

record() {
  [ -d "$out/sources/libzstd" ] || bash "$root/deploy/debian_source.sh" "$out/sources" libzstd >&2
  cmake -S "$example/service" -B "$out/service" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DZSTD_SOURCE="$out/sources/libzstd" > "$out/build.log" 2>&1 && cmake --build "$out/service" >> "$out/build.log" 2>&1 ||
    { tail -n 20 "$out/build.log" >&2; exit 1; }
  local port=18510 name urls=() faults
  declare -A process
  for name in equal-1 equal-2 equal-3 equal-4 tail cpu variance; do
    case $name in
      tail) faults=tail=0.2 ;;
      cpu) faults=cpu=0.05 ;;
      variance) faults=variance=0.5 ;;
      *) faults= ;;
    esac
    "$out/service/zstd_service" --listen $port --metrics $((port + 1)) --faults "$faults" > "$out/$name.log" 2>&1 &
    process[$name]=$!
    pids+=($!)
    urls+=("$name=127.0.0.1:$port")
    port=$((port + 2))
  done
  for name in "${!process[@]}"; do
    for _ in $(seq 100); do grep -q serving "$out/$name.log" && break; sleep 0.1; done
    grep -q serving "$out/$name.log" || { cat "$out/$name.log" >&2; exit 1; }
  done
  rm -f "$out/requests" "$out/cpu"
  python3 "$example/load.py" --url "$(IFS=,; echo "${urls[*]}")" --rate $((60 * ${#urls[@]})) --seconds $((60 * minutes)) \
    --connections 8 --inputs "$out/sources/libzstd/lib" --record "$out/requests.new" >&2 &
  local load=$! start now
  start=$(date +%s.%N)
  while kill -0 $load 2> /dev/null; do
    now=$(date +%s.%N)
    for name in "${!process[@]}"; do
      # Nanoseconds on a processor, of all its threads.
      cat /proc/"${process[$name]}"/task/*/schedstat 2> /dev/null |
        awk -v at="$(bc <<< "$now - $start")" -v name="$name" '{ sum += $1 } END { printf "%s %s %.6f\n", at, name, sum / 1e9 }'
    done >> "$out/cpu.new"
    sleep 1
  done
  wait $load
  mv "$out/cpu.new" "$out/cpu"
  mv "$out/requests.new" "$out/requests"
}
[ $collect = yes ] && [ -s "$out/requests" ] && [ -s "$out/cpu" ] || record

result=$("$bin/canary_verdicts" "$out")
grep -v = <<< "$result"
echo
awk -F'[= ]' '
  { ours[$1] = $2; kayenta[$1] = $3; all[$1] = $4 }
  END {
    printf "equal canaries withdrawn: %d of %d (at most 11 of 100; by Kayenta'"'"'s rule %d)", ours["equal"], all["equal"], kayenta["equal"]
    for (name in ours) if (name != "equal") printf "; missed with %s: %d of %d (Kayenta %d)", name, all[name] - ours[name], all[name], all[name] - kayenta[name]
    printf "\n"
    exit !(all["equal"] >= 100 && ours["equal"] * 100 <= 11 * all["equal"])
  }' <<< "$(grep '^[a-z]*=' <<< "$result")"
