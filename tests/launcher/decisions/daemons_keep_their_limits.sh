#!/usr/bin/env bash
# The limits of a tuned compile are the compiler's alone: a script or a cache before it, and whatever
# daemon that starts, keep theirs. A compile that hangs behind one is ended all the same.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
tune_all; loop_source > a.cc; real=$(command -v "$CLANG"); "$CLANG" -O3 -c a.cc -o plain.o
ulimit -c unlimited 2>/dev/null
limits() { grep -E '^Max (cpu time|core file size)' /proc/self/limits; }
limits > want
cat > clang++ <<S
#!/bin/bash
[ "\$1" = --version ] || grep -E '^Max (cpu time|core file size)' /proc/self/limits > got
exec "$real" "\$@"
S
# As sccache does it: the compile is behind a server, which goes on.
cat > sccache <<'S'
#!/bin/bash
setsid bash -c 'grep -E "^Max (cpu time|core file size)" /proc/self/limits > daemon; exec 1>&- 2>&-; touch up; sleep 600' & echo $! > server
until [ -e up ]; do sleep 0.1; done
exec "$@"
S
chmod +x clang++ sccache
cap q "$L" ./clang++ -O3 -c a.cc -o a.o; code q 0 script; logged '"compiled":"tuned"' script; same want got "a script's limits: $(tr '\n' ' ' < got)"
cap q "$L" ./sccache "$CLANG" -O3 -c a.cc -o a.o; code q 0 cache; logged '"compiled":"tuned"' cache; same want daemon "a daemon's limits: $(tr '\n' ' ' < daemon)"
kill -0 "$(cat server)" || no "the daemon has ended"; kill -9 -- -"$(cat server)" 2>/dev/null
# The compiler itself is limited, as seen in the child of its driver.
policy_with '"cpu_limit_seconds":1,' "{\"source\":\"*\",\"pipeline\":\"$PIPELINE\"}"
sed -i 's/^exec \(.*\)$/\1; exit $?/' clang++  # the compiler is a child
for compiler in "$CLANG" ./clang++ "ccache $CLANG"; do
  command -v "${compiler%% *}" >/dev/null || continue
  faulty hang; rm -f a.o; export CCACHE_DIR=$W/cache
  # shellcheck disable=SC2086
  cap q timeout 60 "$L" $compiler -O3 -c a.cc -o a.o
  code q 0 "$compiler"; quiet q.err "$compiler"; same plain.o a.o "$compiler: the object"; logged '"failure":"timed_out"' "$compiler"; rm -rf state
  left=$(ps -eo pid,args | grep -F "use-hone-pipeline" | grep -F "$W" | grep -v grep); [ -z "$left" ] || { no "$compiler: still running: $left"; echo "$left" | awk '{print $1}' | xargs -r kill -9; }
done
exit $bad
