#!/usr/bin/env bash
# A state folder that cannot be written, is a file, or is not set at all: tuned all the same, silently.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all
loop_source > a.cc; "$CLANG" -O3 -c a.cc -o plain.o; : > file
for dir in /proc/1/none "$W/file" "$W/file/below" /dev/full '' ; do
  rm -f a.o
  HONE_STATE_DIR=$dir cap q "$L" "$CLANG" -O3 -c a.cc -o a.o
  code q 0 "'$dir'"; quiet q.err "'$dir'"; differ plain.o a.o "'$dir': the object"
done
HONE_STATE_DIR=$W/deep/er/state "$L" "$CLANG" -O3 -c a.cc -o a.o; [ -s deep/er/state/compiles.ndjson ] || no "missing folders were not made"
exit $bad
