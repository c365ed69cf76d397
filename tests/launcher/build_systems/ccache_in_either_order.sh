#!/usr/bin/env bash
# ccache together with hone-cc: in whatever order a CMake project names the two, equal decisions hit
# and only a changed one misses; ccache in front of a plain build finds the policy in its key.
. "$(dirname "$0")/project.sh"
needs cmake ccache
export CCACHE_DIR=$W/cache; unset CCACHE_DISABLE CCACHE_PREFIX CCACHE_EXTRAFILES
count() { ccache --print-stats | awk -v names="$1" '$1 ~ names {n += $2} END {print n + 0}'; }
expect() { # WHAT HITS MISSES, since the last call
  local got
  got="$(count '^(direct|preprocessed)_cache_hit$') $(count '^cache_miss$')"
  [ "$got" = "$2 $3" ] || no "$1: hits and misses $got, want $2 $3: $(ccache --print-stats | grep -v '	0$')"
  ccache --zero-stats > /dev/null
}
product p
cat > p/CMakeLists.txt <<S
cmake_minimum_required(VERSION 3.25)
project(P LANGUAGES C CXX)
include(Hone)
add_executable(program src/main.cc src/a.c src/b.cc)
hone_enable(program POLICY "$W/policy.idx")
S
ccache=$(command -v ccache)
generator=$(generators | head -n 1)
for list in "$ccache" "$L;$ccache" "$ccache;$L" "$ccache;$L;--policy=$W/other.idx" "cmake;-E;env;X=1;$ccache" "nice;$ccache"; do
  ccache --clear > clear.log 2>&1; rm -rf b; ccache --zero-stats > /dev/null
  use "$(tuned_rules)"
  configure "$generator" p b -DCMAKE_C_COMPILER_LAUNCHER="$list" -DCMAKE_CXX_COMPILER_LAUNCHER="$list" || continue
  ccache --zero-stats > /dev/null # the compiler checks went through the project's own launcher
  log=b/.hone/compiles.ndjson
  build b; expect "$list: first" 0 3
  [ "$(compiles $log '"compiled":"tuned"')" = 3 ] || no "$list: not all tuned: $(cat $log)"
  cp b/program first
  build b --clean-first; expect "$list: again" 3 0
  cmp -s b/program first || no "$list: another program from the cache"
  use "$(rule src/a.c 'function(gvn)')" "$(tuned_rules)"
  build b --clean-first; expect "$list: one decision changed" 2 1
  [ "$(b/program)" = "$expected" ] || no "$list: result $(b/program)"
done

# Outside of CMake, ccache first: it calls the compiler through its prefix, and the index and the
# plugin are in its key.
plugin=$(dirname "$(dirname "$L")")/lib/libhone_pass-19.so
[ -e "$plugin" ] || plugin=$(dirname "$(dirname "$L")")/lib/hone/libhone_pass-19.so
export HONE_POLICY=$W/policy.idx HONE_ROOT=$W/p HONE_STATE_DIR=$W/state
export CCACHE_PREFIX=$L CCACHE_EXTRAFILES=$HONE_POLICY:$plugin
compile() { ccache "$CLANG" -O3 -c p/src/b.cc -o b.o 2> err || no "$1: failed: $(cat err)"; }
ccache --clear > clear.log 2>&1; ccache --zero-stats > /dev/null
use "$(tuned_rules)"; compile first; expect 'prefix: first' 0 1; logged '"compiled":"tuned"' prefix; cp b.o one.o
compile again; expect 'prefix: again' 1 0; same one.o b.o 'prefix: cached object'
use "$(rule src/b.cc 'function(sroa)')"; compile other; expect 'prefix: other policy' 0 1; differ one.o b.o 'prefix: other policy'
exit $bad
