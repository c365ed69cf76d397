#!/usr/bin/env bash
# 200 launchers at once on one state folder and one source: no failure, no stray file, no torn line.
# fails with: only_exec leaves_a_file shares_a_temporary
. "$(dirname "$0")/../behaviour.sh"
mkdir in out; loop_source > in/a.cc; export L CLANG
for cc in "$CLANG" "$GXX"; do export cc; "$cc" -O3 -c in/a.cc -o plain.o
  seq 200 | xargs -P 200 -I{} sh -c '"$L" "$cc" -O3 -MD -c in/a.cc -o out/{}.o || echo {} >> failed' 2> err
  [ ! -e failed ] || no "$cc: $(wc -l < failed) of 200 failed: $(head -2 err)"; quiet err "$cc: 200 at once"
  [ "$(ls out | wc -l)" = 400 ] || no "$cc: $(ls out | wc -l) files, want 400"
  sums=$(cd out && md5sum ./*.o | cut -d' ' -f1 | sort -u | wc -l); want=1; [ "$SETUP" != crash ] && [ "$SETUP" != hang ] || cmp -s out/1.o plain.o || no "$cc: not the plain object"
  [ "$sums" = $want ] || no "$cc: $sums different objects of one command"
  for d in out/7 out/199; do grep -q "^$d.o: *in/a.cc" $d.d || no "$cc: $d.d is $(head -1 $d.d)"; done; rm -f out/* failed
done
if [ -e "$STATE/compiles.ndjson" ]; then
  torn=$(grep -cvE '^\{"time":"[^"]*","source":.*"options":"[0-9a-f]{32}".*\}$' "$STATE/compiles.ndjson"); [ "$torn" = 0 ] || no "$torn torn lines of $(wc -l < "$STATE/compiles.ndjson")"
  n=$(wc -l < "$STATE/compiles.ndjson"); [ "$n" = 400 ] || no "$n lines logged, want 400"
fi
[ "$SETUP" != tuned ] || [ "$(tuned_count)" -ge 200 ] || no "$(tuned_count) of 200 tuned"
! ls -A "$STATE"/compilers 2>/dev/null | grep -E '\.[0-9]+$' || no "half-written notes are left"
exit $bad
