# Sourced by tests/perf/staging_*.sh: programs to compare, and many comparisons by `hone bench` that
# can be taken up again.
#
# Needs: $root, $out (results), $hone (the program). Sets $work.
export LC_ALL=C
programs_source=$root/tests/support/staging/programs
kinds="hash matrix sort"
# Rounds for about 50 ms of CPU time.
declare -A rounds=([hash]=12000 [matrix]=6000 [sort]=2600)

# One link of all objects in an order that SEED decides.
link_of() { # SEED OUTPUT
  clang-19 $(printf '%s\n' "$out"/objects/*.o | shuf --random-source=<(yes "$1")) -o "$2"
}
make_programs() {
  mkdir -p "$out/objects" "$out/results"
  local name
  for name in main hash matrix sort; do
    [ -e "$out/objects/$name.o" ] ||
      clang-19 -O2 -c "$programs_source/$name.c" -o "$out/objects/$name.o"
  done
  work=$out/work
  [ -x "$work" ] || link_of 0 "$work"
}

# compare NAME BASELINE CANDIDATE [OPTIONS...]: a result in $out/results/NAME.json, unless there is one.
# What the programs say about their own time is no output to compare.
compare() {
  local name=$1 baseline=$2 candidate=$3 status=0
  shift 3
  [ ! -s "$out/results/$name.json" ] || return 0
  mkdir -p "$(dirname "$out/results/$name")"
  "$hone" bench --baseline "$baseline" --candidate "$candidate" "$@" --json \
    > "$out/results/$name.new" 2> "$out/results/$name.err" || status=$?
  case $status in
    0 | 10) mv "$out/results/$name.new" "$out/results/$name.json" ;;
    *) echo "$name: hone bench ended with $status: $(head -3 "$out/results/$name.err" "$out/results/$name.new")" >&2; exit 1 ;;
  esac
}
# Programs print their CPU time: as the metric, or left out of what is compared.
printed=(--metric printed --pattern 'cpu ([0-9.]+) s')
by_cpu_time=(--metric cpu_time --any-output)

# field NAME KEY: of a result, by jq's path.
field() { jq -r "$2" "$out/results/$1.json"; }
# verdicts GLOB: a line "VERDICT COUNT" for each verdict among the results.
verdicts() { (cd "$out/results" && jq -r .verdict $1 | sort | uniq -c | awk '{ print $2, $1 }'); }
# Share of calls "faster" or "slower" among results.
called() { (cd "$out/results" && jq -r .verdict $1 | grep -cE '^(faster|slower)$') || true; }
