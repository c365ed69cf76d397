#!/usr/bin/env bash
# -o and the dependency file on a pipe, a device or standard output: written once, never replaced.
# fails with: renames_into_place compiles_twice
. "$(dirname "$0")/../behaviour.sh"
mkdir in; loop_source > in/a.cc; echo 'int broken(' > in/b.cc
twins -p <<'LINES'
cc -O3 -S a.cc -o - | wc -c
cc -O3 -MMD -MF - -c a.cc
cc -O3 -MMD -MF - -c a.cc -o a.o
cc -O3 -MMD -MF- -c a.cc -o a.o
cc -O3 -MMD -MF /dev/stdout -c a.cc -o a.o
cc -O3 -Wp,-MMD,/dev/stdout -c a.cc -o a.o
cc -O3 -MMD -MF /dev/fd/2 -c a.cc -o a.o
mkfifo dep; cat dep > got & cc -O3 -MMD -MF dep -c a.cc -o a.o; wait
LINES
both 'cc -O3 -MMD -MF /dev/null -c a.cc -o a.o; stat -c %F /dev/null'
# A pipe as output stays one, and its reader gets the object, once.
twins -n -p <<'LINES'
mkfifo p; cat p > got & cc -O3 -c a.cc -o p; r=$?; wait; stat -c %F p; head -c 4 got | od -c; exit $r
mkdir d; cc -O3 -c a.cc -o d; stat -c %F d
mkfifo a.o; cat a.o > copy & cc -O3 -c a.cc; wait; stat -c %F a.o; od -An -c -N4 copy
LINES
# Devices of our own: a launcher that renames over /dev/null would take the machine down with it.
if mknod null c 1 3 2>/dev/null; then
  rm null
  twins -n -p <<'LINES'
mknod null c 1 3; cc -O3 -c a.cc -o null; stat -c %F null
mknod null c 1 3; cc -O3 -c a.cc -onull; stat -c %F null
mknod null c 1 3; cc -O3 -c b.cc -o null; stat -c %F null
mknod full c 1 7; cc -O3 -c a.cc -o full; r=$?; stat -c %F full; (exit $r)
LINES
else
  echo "note: no devices of our own here"
fi
exit $bad
