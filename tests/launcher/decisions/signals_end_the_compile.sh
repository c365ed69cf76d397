#!/usr/bin/env bash
# SIGTERM, SIGINT and SIGHUP to the launcher end the compile at once, with that signal, leaving nothing.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; faulty sleep
loop_source > a.cc
for s in TERM INT HUP; do
  timeout --foreground -s $s 2 env HONE_TEST_FAULT=sleep "$L" "$CLANG" -O3 -c a.cc -o sig$$.o; r=$?
  [ $r = 124 ] || no "$s: exit $r"
  [ ! -e sig$$.o ] && [ -z "$(ls | grep 'sig.*-.*\.o')" ] || no "$s left $(ls)"
done
# The exit is death by the signal, as the compiler's.
bash -c 'trap - TERM; "$@" & p=$!; sleep 1; kill -TERM $p; wait $p; echo $?' _ "$L" "$CLANG" -O3 -c a.cc -o sig$$.o > rc 2>/dev/null
[ "$(cat rc)" = 143 ] || no "SIGTERM: status $(cat rc), want 143"
sleep 0.5; left=$(ps -eo args | grep -c "[h]one-pipeline=.*-c a.cc -o sig$$.o")
[ "$left" = 0 ] || no "$left compiler processes are left"
[ ! -e state/compiles.ndjson ] || ! grep -q crashed state/compiles.ndjson || no "a signal was counted as a crash"
exit $bad
