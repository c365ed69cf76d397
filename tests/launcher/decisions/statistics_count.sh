#!/usr/bin/env bash
# --stats counts tuned and plain objects, one line a reason.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > 'a","reason":"x.cc'; loop_source > b.cc
"$L" "$CLANG" -O3 -c 'a","reason":"x.cc' -o a.o; "$L" "$CLANG" -O3 -c b.cc -o b.o; "$L" "$CLANG" -O0 -c b.cc -o b.o; "$L" "$CLANG" -O3 -S b.cc -o b.s
printf '{"cut' >> state/compiles.ndjson
"$L" --stats > s || no "--stats failed"
count() { awk -v n="$1" '{k = $0; sub(/ +[0-9.]+( s)?$/, "", k); sub(/^ +/, "", k)} k == n {print $NF}' s; }
for pair in objects=3 tuned=2 plain=1 failed=0 level=1 'meant to be tuned=2'; do
  [ "$(count "${pair%=*}")" = "${pair#*=}" ] || no "${pair%=*} is '$(count "${pair%=*}")', want ${pair#*=}: $(cat s)"
done
exit $bad
