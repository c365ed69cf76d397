#!/usr/bin/env bash
# Ctrl-C and SIGTERM end the compile at once: no process, no object, no temporary file is left.
# fails with: outlives_signals leaves_a_process
. "$(dirname "$0")/../behaviour.sh"
mkdir in
# A source that takes minutes: the compiler computes a constant.
echo 'constexpr int f() { int s = 0; for (int i = 0; i < 2000000000; ++i) s ^= i; return s; } static_assert(f() >= 0);' > in/a.cc
alive() { ps -eo pid,args | grep -F "$W/case/in/a.cc" | grep -v grep; }
for cc in "$CLANG" "$GXX"; do
  case $cc in *clang*) f='-fconstexpr-steps=2147483647' ;; *) f='-fconstexpr-loop-limit=2147483647 -fconstexpr-ops-limit=9223372036854775807' ;; esac
  for signal in INT TERM HUP; do
    mkdir -p out tmp
    # As a terminal does it: the whole process group gets the signal.
    setsid env --default-signal=INT,TERM,HUP bash -c 'export TMPDIR=$1; cd out; shift; exec "$@"' _ "$W/case/tmp" "$L" "$cc" -O3 -std=c++17 $f -MD -c "$W/case/in/a.cc" -o a.o > group.out 2>&1 &
    job=$!; sleep 1.2
    if ! kill -0 $job 2>/dev/null; then echo "note: $cc is too fast for this test"; wait $job; rm -rf out tmp; continue; fi
    kill -$signal -- -$job 2>/dev/null || kill -$signal $job
    for i in {1..50}; do kill -0 $job 2>/dev/null || break; sleep 0.2; done
    if kill -0 $job 2>/dev/null; then kill -9 -- -$job; no "${cc##*/} SIG$signal: still running after 10 s"; fi
    wait $job 2>/dev/null; code=$?
    [ $code = $((128 + $(kill -l $signal))) ] || no "${cc##*/} SIG$signal: status $code"
    for i in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(alive)" ] || break; sleep 0.2; done
    [ -z "$(alive)" ] || { alive > left; awk '{print $1}' left | xargs -r kill -9; no "${cc##*/} SIG$signal: still running: $(head -2 left)"; }
    [ -z "$(ls -A out | grep -v '\.d$')" ] || no "${cc##*/} SIG$signal: left $(ls -A out)"
    [ -z "$(ls -A tmp)" ] || no "${cc##*/} SIG$signal: left $(ls -A tmp) in the temporary folder"
    quiet group.out "${cc##*/} SIG$signal"
    rm -rf out tmp
  done
done
exit $bad
