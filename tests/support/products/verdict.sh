# Sourced by tests/perf/launcher_packages.sh: what one package's results say.
#
# judge writes $results/verdict: the figures as NAME=VALUE lines, one "wrong=..." line for each thing
# that is not as it must be.

# A number of `hone-cc --stats`: 0 where it has no such line.
statistic() { # WAY NAME
  awk -v name="$2" '{ key = $0; sub(/ +[0-9.]+( s)?$/, "", key); sub(/^ +/, "", key) }
    key == name { value = $NF } END { print value + 0 }' "$results/$1.stats"
}
failures_of() { grep -c "\"failure\":\"$1\"" "$results/faulty.records" || true; }    # KIND

# Lines of a file that another has not.
differing() { LC_ALL=C comm -3 <(LC_ALL=C sort "$1") <(LC_ALL=C sort "$2") | wc -l; }

wrong() { echo "wrong=$*"; }
same() { # WAY KIND WHAT
  local count
  count=$(differing "$results/plain.$2" "$results/$1.$2")
  [ "$count" = 0 ] || wrong "$1: $3 differs from plain in $count lines"
}

judge() {
  local way tuned meant objects
  for way in plain pass forced tuned faulty; do
    if [ -e "$results/$way.failed" ]; then wrong "$way: $(cat "$results/$way.failed")"; fi
  done
  if compgen -G "$results/*.failed" > /dev/null; then return; fi
  objects=$(wc -l < "$results/plain.objects")
  echo "objects=$objects"
  echo "messages=$(wc -l < "$results/plain.stderr")"
  echo "tests=$(wc -l < "$results/plain.tests")"
  [ "$objects" -gt 0 ] || wrong "no objects"
  [ -s "$results/plain.tests" ] || wrong "no test results"
  for way in pass forced tuned faulty; do
    same "$way" stderr "standard error"
    same "$way" tests "the tests' result"
  done
  # In the faulty way everything is clang's own in the end.
  for way in pass forced faulty; do same "$way" objects "objects"; done
  for way in tuned forced; do
    tuned=$(statistic "$way" tuned) meant=$(statistic "$way" "meant to be tuned")
    echo "${way}_compiles=$tuned"
    echo "${way}_eligible=$meant"
    # An independent count: the objects that there are, some from one call with several sources.
    awk -v tuned="$tuned" -v meant="$meant" -v objects="$objects" \
      'BEGIN { exit !(meant > 0 && tuned >= 0.95 * meant && meant >= 0.5 * objects) }' ||
      wrong "$way: only $tuned of $meant eligible compiles of $objects objects were tuned"
  done
  [ "$(differing "$results/plain.objects" "$results/tuned.objects")" -gt 0 ] ||
    wrong "tuned: no object differs"
  echo "crashes=$(failures_of crashed)"
  echo "hangs=$(failures_of timed_out)"
  [ "$(failures_of crashed)" -gt 0 ] || wrong "faulty: nothing crashed"
  [ "$(failures_of timed_out)" -gt 0 ] || wrong "faulty: nothing hung"
}

# A field of a package's verdict or of its costs.
field() { cat "$out/results/$1/verdict" "$out/results/$1/cost" 2> /dev/null | sed -n "s/^$2=//p"; } # PACKAGE FIELD
