#!/usr/bin/env bash
# Hone.cmake with what projects have: several languages in a target, generated sources, object
# libraries, unity builds, precompiled headers, sources outside of the root, names with spaces;
# hone_enable_all() from the top. All tuned, the result the same,
# and a new decision reaches each kind.
. "$(dirname "$0")/project.sh"
needs cmake
product p
mkdir -p p/sub/src outside
for i in 1 2 3; do printf 'int unit%d(const int* v, int n) { int s = 0; for (int i = 0; i < n; ++i) s += v[i] * %d; return s; }\n' $i $i > p/src/u$i.cc; done
printf '#include <vector>\n#include <string>\n' > p/src/pch.h
printf 'int hashed(const std::string& s) { int h = 0; for (char c : s) h = h * 31 + c; return h; }\n' > 'p/src/with pch.cc'
printf '.globl one\none:\n mov $1, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' > p/src/one.s
printf 'int far_away(const int* v, int n) { int s = 1; for (int i = 0; i < n; ++i) s *= v[i]; return s; }\n' > outside/far.cc
cat > p/sub/CMakeLists.txt <<'S'
add_custom_command(OUTPUT generated.cc
  COMMAND ${CMAKE_COMMAND} -E echo "int generated(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i * i; return s; }" > generated.cc VERBATIM)
add_library(generated STATIC generated.cc)
S
cat > p/CMakeLists.txt <<S
cmake_minimum_required(VERSION 3.25)
project(P LANGUAGES C CXX ASM)
include(Hone)
hone_enable_all(POLICY "$W/policy.idx")
add_library(objects OBJECT src/a.c src/one.s)
add_library(unity STATIC src/u1.cc src/u2.cc src/u3.cc)
set_target_properties(unity PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 2)
add_library(pch STATIC "src/with pch.cc")
target_precompile_headers(pch PRIVATE src/pch.h)
add_library(far STATIC "$W/outside/far.cc")
add_library(alone INTERFACE)
add_custom_target(nothing)
add_executable(program src/main.cc src/b.cc \$<TARGET_OBJECTS:objects>)
add_subdirectory(sub)
target_link_libraries(program PRIVATE unity pch far generated alone)
S
want='src/a.c src/b.cc src/main.cc src/with pch.cc '
while read -r generator; do
  rm -rf b policy.idx*
  use "$(tuned_rules)"
  configure "$generator" p b && build b || continue
  log=b/.hone/compiles.ndjson
  [ "$(b/program)" = "$expected" ] || no "$generator: result $(b/program)"
  tuned() { grep '"compiled":"tuned"' $log | sources_since /dev/stdin "$1" | sed "s|$W/||g"; }
  all="b/CMakeFiles/unity.dir/Unity/unity_0_cxx.cxx b/CMakeFiles/unity.dir/Unity/unity_1_cxx.cxx b/sub/generated.cc outside/far.cc $want"
  [ "$(tuned 0)" = "$all" ] || no "$generator: tuned $(tuned 0), want $all; $(grep -v '"compiled":"tuned"' $log)"
  n=$(wc -l < $log)
  build b; [ "$(wc -l < $log)" = "$n" ] || no "$generator: rebuilt for nothing"
  use "$(rule '*unity_1*' 'function(gvn)')" "$(tuned_rules)"; build b
  [ "$(sources_since $log "$n" | sed "s|$W/||g")" = 'b/CMakeFiles/unity.dir/Unity/unity_1_cxx.cxx ' ] || no "$generator: unity: rebuilt $(sources_since $log "$n")"
  n=$(wc -l < $log)
  use "$(rule '*unity_1*' 'function(gvn)')" "$(rule '*/generated.cc' 'function(gvn)')" "$(rule '*/far.cc' 'function(gvn)')" "$(rule 'src/with pch.cc' 'function(gvn)')" "$(tuned_rules)"; build b
  [ "$(sources_since $log "$n" | sed "s|$W/||g")" = 'b/sub/generated.cc outside/far.cc src/with pch.cc ' ] || no "$generator: generated, outside, PCH: rebuilt $(sources_since $log "$n")"
  [ "$(b/program)" = "$expected" ] || no "$generator: result after the new policy $(b/program)"
done < <(generators)
exit $bad
