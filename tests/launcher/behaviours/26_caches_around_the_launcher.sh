#!/usr/bin/env bash
# ccache before the launcher: with the launcher's policy among its extra files, another policy misses;
# a hit replays what the compile said. (Behind the launcher: decisions/ccache_in_the_middle.sh.)
# fails with: speaks_on_stderr loses_exit_code
. "$(dirname "$0")/../behaviour.sh"
command -v ccache >/dev/null || { echo "SKIP: no ccache"; exit 77; }
export CCACHE_DIR=$W/cache; unset CCACHE_DISABLE; export CCACHE_EXTRAFILES=$W/case/policy.txt
mkdir in; loop_source > in/a.cc; echo 'int f() { int unused; return 0; }' > in/w.cc; cd in
hits() { ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit\t/ {n += $2} END {print n + 0}'; }
for cc in "$CLANG" "$GXX"; do
  echo one > "$W/case/policy.txt"; before=$(hits)
  cap p "$cc" -O3 -Wall -c w.cc -o p.o
  cap q ccache "$L" "$cc" -O3 -Wall -c w.cc -o q.o; same p.err q.err "$cc, a miss"
  cap q ccache "$L" "$cc" -O3 -Wall -c w.cc -o q.o; same p.err q.err "$cc, a hit"
  ccache "$L" "$cc" -O3 -c a.cc -o 1.o; ccache "$L" "$cc" -O3 -c a.cc -o 2.o; cmp -s 1.o 2.o || no "$cc: a hit gives another object"
  middle=$(hits)
  echo two > "$W/case/policy.txt"; ccache "$L" "$cc" -O3 -c a.cc -o 2.o
  [ "$(hits)" = "$middle" ] || no "$cc: another policy is a hit"
  [ "$middle" -gt "$before" ] || echo "note: ccache does not cache calls of this launcher for $cc"
  echo 'int broken(' > b.cc; "$cc" -O3 -c b.cc -o b.o 2>/dev/null; p=$?; ccache "$L" "$cc" -O3 -c b.cc -o b.o 2>/dev/null; q=$?; [ $p = $q ] || no "$cc: error: exit $q, plain $p"
done
# Behind the launcher, with settings of its own in the command.
words=(ccache sloppiness=time_macros "$(command -v "$CLANG")" -O3 -c a.cc)
cap p "${words[@]}" -o 3.o; cap q l "${words[@]}" -o 4.o; same p.rc q.rc "ccache KEY=VALUE compiler: $(head -2 q.err)"
cap q l ccache --version; [ "$(cat q.rc)" = 0 ] || no "ccache --version: $(cat q.err)"
exit $bad
