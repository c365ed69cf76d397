#!/usr/bin/env bash
# A tuned compile that hangs is ended by its CPU limit; one that sleeps by the backstop.
# fails with: never_falls_back only_exec
. "$(dirname "$0")/../support.sh"
policy_with '"cpu_limit_seconds":1,' "{\"source\":\"*\",\"pipeline\":\"$PIPELINE\"}"
loop_source > a.cc; "$CLANG" -O3 -c a.cc -o plain.o
for fault in hang sleep; do
  faulty $fault; rm -f a.o
  cap q timeout 60 "$L" "$CLANG" -O3 -c a.cc -o a.o
  code q 0 $fault; quiet q.err $fault; same plain.o a.o "$fault: the object"; logged '"failure":"timed_out"' $fault
done
exit $bad
