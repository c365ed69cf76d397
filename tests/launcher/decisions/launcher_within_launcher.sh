#!/usr/bin/env bash
# A launcher before a launcher, and a compiler wrapper that calls one: decided once.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc
"$L" "$CLANG" -O3 -c a.cc -o one.o; "$CLANG" -O3 -c a.cc -o plain.o; differ plain.o one.o "the tuned object"
"$L" "$L" "$CLANG" -O3 -c a.cc -o a.o || no "twice in a row"; same one.o a.o "twice in a row"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$L" "$CLANG" > clang++; chmod +x clang++
cap q "$L" ./clang++ -O3 -c a.cc -o a.o; code q 0 "wrapper"; quiet q.err "wrapper"; same one.o a.o "wrapper"
exit $bad
