#!/usr/bin/env bash
# Hone.cmake: a target is tuned with Ninja and Makefiles, its own launcher stays, and a new policy
# rebuilds exactly the objects whose decision changed.
# fails with: only_exec
. "$(dirname "$0")/../support.sh"
command -v cmake >/dev/null || { echo "SKIP: no cmake"; exit 77; }
module=$(cd "$here/../../cmake_modules" && pwd); unset HONE_STATE_DIR HONE_ROOT
mkdir -p p/src; loop_source > p/src/a.cc; loop_source | sed 's/sum/sum2/' > p/src/b.cc
cat > p/CMakeLists.txt <<S
cmake_minimum_required(VERSION 3.25)
project(P LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "$module")
include(Hone)
add_library(tuned STATIC src/a.cc src/b.cc)
add_library(other STATIC src/a.cc)
set_property(TARGET tuned PROPERTY CXX_COMPILER_LAUNCHER "$W/outer")
hone_enable(tuned POLICY "$W/policy.idx")
hone_report()
S
printf '#!/bin/sh\necho called >> "%s/outer.log"\nexec "$@"\n' "$W" > ccache; mkdir bin; mv ccache bin/ccache; chmod +x bin/ccache; ln -s bin/ccache outer
sed -i "s|$W/outer|$W/bin/ccache|" p/CMakeLists.txt
decide() { # PIPELINE of src/a.cc
  policy "{\"source\":\"src/a.cc\",\"pipeline\":\"$1\"}" "{\"source\":\"src/*\",\"pipeline\":\"function(sroa)\"}"; unset HONE_POLICY
  "$BIN/compile_policy" policy.json policy.idx policy.idx.decisions src/a.cc src/b.cc || no "decision files"
}
for generator in Ninja 'Unix Makefiles'; do
  [ "$generator" != Ninja ] || command -v ninja >/dev/null || continue
  rm -rf b outer.log policy.idx*; decide 'function(gvn)'
  cmake -S p -B b -G "$generator" -DCMAKE_CXX_COMPILER="$(command -v "$CLANG")" -DCMAKE_CXX_FLAGS=-O3 -DHONE_CC="$L" > cmake.log 2>&1 || { no "$generator: configure: $(tail -3 cmake.log)"; continue; }
  cmake --build b > build.log 2>&1 || no "$generator: build: $(tail -5 build.log)"
  log=b/.hone/compiles.ndjson
  [ "$(grep -c '"compiled":"tuned"' $log)" = 2 ] && [ "$(wc -l < $log)" = 2 ] || no "$generator: logged $(cat $log)"
  grep -q '"source":"src/a.cc"' $log || no "$generator: names: $(cat $log)"
  [ "$(wc -l < outer.log)" = 2 ] || no "$generator: the target's own launcher was lost"
  cmake --build b > build.log 2>&1; [ "$(wc -l < $log)" = 2 ] || no "$generator: rebuilt for nothing"
  sleep 1.1; decide 'function(gvn,simplifycfg)'; cmake --build b > build.log 2>&1
  [ "$(wc -l < $log)" = 3 ] && tail -n 1 $log | grep -q 'src/a.cc' || no "$generator: a new decision rebuilt $(tail -n +3 $log)"
  cmake --build b --target hone-report > report.log 2>&1; grep -q '^tuned  *3' report.log || no "$generator: report: $(cat report.log)"
  cmake -S p -B b -DHONE=OFF > cmake.log 2>&1; cmake --build b > build.log 2>&1 || no "$generator: HONE=OFF"
  [ "$(wc -l < $log)" = 3 ] || no "$generator: tuned with HONE=OFF"
done
exit $bad
