#!/usr/bin/env bash
# hone-cc ccache clang++: hits on the same decision, misses on another, and never a failed compile.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
command -v ccache >/dev/null || { echo "SKIP: no ccache"; exit 77; }
export CCACHE_DIR=$W/cache; unset CCACHE_DISABLE
loop_source > a.cc
hits() { ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit\t/ {n += $2} END {print n + 0}'; }
expect() { [ "$(hits)" = "$1" ] || no "$2: $(hits) hits, want $1"; }
build() { rm -f a.o; "$L" ccache "$CLANG" -O3 -c a.cc -o a.o || no "$1: failed"; }
tune_all; build first; expect 0 first; logged '"compiled":"tuned"' first; cp a.o one.o
build again; expect 1 "same decision"; same one.o a.o "cached object"; logged '"compiled":"tuned"' hit
policy '{"source":"*","pipeline":"function(sroa,early-cse)"}'; build other; expect 1 "other decision"; differ one.o a.o "other decision"
tune_all; build back; expect 2 "first decision again"; same one.o a.o "first decision again"
policy '{"source":"*","pipeline":"default<O3>","knobs":{"unroll-count":"2"}}'; build knob; expect 2 "a knob"
build knob; expect 3 "the knob again"
unset HONE_POLICY; build plain; expect 3 "plain"; "$CLANG" -O3 -c a.cc -o plain.o; same plain.o a.o "plain through the cache"
tune_all; faulty crash; build crash; same plain.o a.o "after a crash"; logged '"failure":"crashed"' crash
export HONE_ON_FAILURE=error; rm -f a.o; cap q "$L" ccache "$CLANG" -O3 -c a.cc -o a.o; code q 70 "error mode"; [ ! -e a.o ] || no "error mode made an object"
unset HONE_PLUGIN_DIR; build healthy; same one.o a.o "after the failure: the tuned object"
exit $bad
