#!/usr/bin/env bash
# Builds fuzzers and runs each for a time:
#
#   tests/fuzz/run.sh all|launcher|server|NAME... SECONDS      0: the seeds only
#
# launcher: command_line (arguments), policy_index (index and decision files), policy_json, pipeline,
# governing_rules (policies made into decision files), and pass_through: random command lines of real
# options through the launcher as a process.
# server: http (bytes into a real server), request_target (and other headers), json (the strict
# reader), protocol (every reader of a body), archive (unpacking).
# All but pass_through under libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer; what a
# fuzzer holds to be true stands at its top. Prints a line each, with the edges of the program that
# were reached, and last the number of executions; exit 1 if anything was found. What was learnt
# stays in build/fuzz/corpus. HONE_FUZZ_LAUNCHER names another launcher for pass_through,
# HONE_FUZZ_SEED repeats its run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
launcher="command_line policy_index governing_rules policy_json pipeline pass_through"
server="http request_target json protocol archive"
usage() {
  sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# -ge 2 ] && [[ ${*: -1} =~ ^[0-9]+$ ]] || usage
seconds=${*: -1}
names=
for word in "${@:1:$#-1}"; do
  case $word in
    all) names+=" $server $launcher" ;;
    launcher) names+=" $launcher" ;;
    server) names+=" $server" ;;
    *) [[ " $launcher $server " == *" $word "* ]] || usage
       names+=" $word" ;;
  esac
done
tree=build/fuzz
found=$tree/found
mkdir -p "$tree" "$found"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
targets=()
for name in $names; do targets+=("${name}_fuzzer"); done
cmake --preset fuzz > "$work/build.log" 2>&1 && cmake --build --preset fuzz --target "${targets[@]}" >> "$work/build.log" 2>&1 \
  || { tail -40 "$work/build.log"; exit 1; }

# What clang says it takes, and the options whose values the launcher knows.
{
  clang++-19 --help | sed -n 's/^ *\(-[^ ]*\).*/\1/p'
  sed -n 's/^ *"\(-[^"]*\)",$/\1/p' build_integration/launcher/option_table.cc
} | sed 's/<[^>]*>.*$//; s/=$/=x/' | LC_ALL=C sort -u > "$work/options"
[ "$(wc -l < "$work/options")" -ge 200 ] || { echo "too few options found"; exit 1; }
sed 's/.*/"&"/; s/\\/\\\\/g' "$work/options" | grep -v '"[^"]*"[^"]*"' > "$work/options.dict" || true

# fuzz NAME: one of the libFuzzer programs; its exit code and log stay in $work.
fuzz() {
  local name=$1 status=0 dictionary=()
  case $name in
    command_line) dictionary=(-dict="$work/options.dict") ;;
    http | json | pipeline | policy_json | protocol) dictionary=(-dict="tests/fuzz/$name.dict") ;;
  esac
  mkdir -p "$tree/corpus/$name"
  local limit=(-max_total_time="$seconds")
  [ "$seconds" -gt 0 ] || limit=(-runs=0)
  "$tree/fuzz/${name}_fuzzer" "${limit[@]}" -max_len=8192 -timeout=30 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$found/$name-" "${dictionary[@]}" \
    "$tree/corpus/$name" "tests/fuzz/corpus/$name" > "$work/$name.log" 2>&1 || status=$?
  echo $status > "$work/$name.status"
}
# Real options, random commands, the launcher as a process.
pass_through() {
  local status=0
  "$tree/fuzz/pass_through_fuzzer" "$seconds" "${HONE_FUZZ_LAUNCHER:-$tree/bin/hone-cc}" "$work/options" \
    ${HONE_FUZZ_SEED:+"$HONE_FUZZ_SEED"} > "$work/pass_through.log" 2>&1 || status=$?
  echo $status > "$work/pass_through.status"
}
# As many at a time as there are processors.
for name in $names; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
  if [ "$name" = pass_through ]; then pass_through & else fuzz "$name" & fi
done
wait

total=0
crashes=0
for name in $names; do
  log=$work/$name.log status=$(cat "$work/$name.status" 2> /dev/null || echo 1)
  if [ "$name" = pass_through ]; then
    cat "$log"
    executions=$(sed -n 's/^pass_through *\([0-9]*\) command lines.*/\1/p' "$log")
  else
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    printf '%-16s %12s executions, %6s edges%s\n' "$name" "${executions:-0}" "${edges:-0}" \
      "$([ "$status" = 0 ] || echo ', FOUND SOMETHING')"
    [ "$status" = 0 ] || tail -60 "$log"
  fi
  [ "$status" = 0 ] || crashes=$((crashes + 1))
  total=$((total + ${executions:-0}))
done
if [ $crashes != 0 ]; then
  echo "findings: $crashes of $(wc -w <<< "$names") fuzzers (inputs in $found)"
  exit 1
fi
echo "executions without a finding: $total"
