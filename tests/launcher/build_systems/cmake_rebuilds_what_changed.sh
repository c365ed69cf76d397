#!/usr/bin/env bash
# Hone.cmake, Ninja and Makefiles: a new policy rebuilds exactly the objects whose decision changed,
# a source that gets its first decision and one that loses its own included; the program's result
# stays.
. "$(dirname "$0")/project.sh"
needs cmake
product p
cat > p/CMakeLists.txt <<S
cmake_minimum_required(VERSION 3.25)
project(P LANGUAGES C CXX)
include(Hone)
add_library(parts STATIC src/a.c)
add_executable(program src/main.cc)
target_sources(parts PRIVATE \$<\$<BOOL:1>:src/b.cc>)
add_library(plain STATIC src/a.c) # shares a source with a tuned target
hone_enable(program parts POLICY "$W/policy.idx")
hone_report()
target_link_libraries(program PRIVATE parts)
S
while read -r generator; do
  rm -rf b policy.idx*
  configure "$generator" p b || continue
  log=b/.hone/compiles.ndjson
  # Without a policy: plain, and nothing to do the second time.
  build b
  [ "$(b/program)" = "$expected" ] || no "$generator: result $(b/program)"
  count() { if [ -e $log ]; then wc -l < $log; else echo 0; fi; }
  check() { # WHAT SOURCES...: which were compiled since the last check
    local what=$1 got; shift
    build b
    got=$(sources_since $log "$lines")
    [ "$got" = "${*:+$* }" ] || no "$generator: $what rebuilt: ${got:-nothing}, want: ${*:-nothing}"
    [ "$(b/program)" = "$expected" ] || no "$generator: $what: result $(b/program)"
    lines=$(count)
  }
  lines=$(count)
  check 'nothing new without a policy'
  use "$(rule src/a.c)"
  check 'the first decision' src/a.c
  tail -n 1 $log | grep -q '"compiled":"tuned"' || no "$generator: not tuned: $(tail -n 1 $log)"
  check 'the same policy'
  use "$(rule src/a.c)"
  check 'a new sequence with the same rules'
  use "$(rule src/a.c)" "$(rule 'src/b*' 'function(gvn)')"
  check 'a first decision for another source' src/b.cc
  use "$(rule src/a.c 'function(gvn,simplifycfg)')" "$(rule 'src/b*' 'function(gvn)')"
  check 'another decision' src/a.c
  use "$(rule src/a.c 'function(gvn,simplifycfg)')" "$(rule '*' 'function(gvn)')"
  check 'a pattern that now takes in the rest' src/main.cc
  use "$(rule '*' 'function(gvn)')"
  check 'a decision given up for the general one' src/a.c
  use "$(rule src/a.c 'function(gvn)')"
  check 'decisions that disappear' src/b.cc src/main.cc
  tail -n 2 $log | grep -q '"compiled":"tuned"' && no "$generator: tuned without a rule"
  rm -rf b/.hone/decisions; lines=$(count)
  build b || no "$generator: decision files that were deleted broke the build"
  lines=$(count)
  rm policy.idx
  # The object is made again, plain: the policy is gone.
  check 'a policy that was removed' src/a.c
  cmake --build b --target clean > clean.log 2>&1
  build b || no "$generator: clean broke the build"
  lines=$(count)
  use "$(rule '*' 'function(gvn)')"
  # Coarse without the document, but never wrong.
  rm policy.idx.json
  check 'an index without its document' src/a.c src/b.cc src/main.cc
  tuned=$(compiles $log '"compiled":"tuned"')
  cmake --build b --target hone-report > report.log 2>&1
  grep -q "^tuned  *$tuned" report.log || no "$generator: report: $(cat report.log)"
  configure "$generator" p b -DHONE=OFF && build b
  [ "$(count)" = "$lines" ] || no "$generator: tuned with HONE=OFF"
done < <(generators)
exit $bad
