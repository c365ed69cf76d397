#!/usr/bin/env bash
# The installed package: what lies where, find_package(Hone) by CMAKE_PREFIX_PATH and by version,
# a tuned build with nothing but the prefix, also after the prefix was moved; and a project that
# asks for Hone where there is none.
. "$(dirname "$0")/project.sh"
needs cmake
tree=${HONE_BUILD_TREE:-$(dirname "$(dirname "$L")")}
[ -e "$tree/cmake_install.cmake" ] || { echo "SKIP: no build tree around $L"; exit 77; }
for program in hone honed hone-worker; do [ -x "$tree/bin/$program" ] || { echo "SKIP: no $tree/bin/$program"; exit 77; }; done
cmake --install "$tree" --prefix "$W/prefix" > install.log 2>&1 || no "install: $(tail -5 install.log)"
for file in bin/hone bin/honed bin/hone-worker bin/hone-sandbox-init bin/hone-cc bin/hone-link lib/hone/libhone_pass-19.so lib/hone/libhone_forked_child.so \
            lib/cmake/Hone/HoneConfig.cmake lib/cmake/Hone/HoneConfigVersion.cmake lib/cmake/Hone/Hone.cmake; do
  [ -e "$W/prefix/$file" ] || no "not installed: $file"
done
mv prefix 'moved prefix'
product p
cat > p/CMakeLists.txt <<S
cmake_minimum_required(VERSION 3.25)
project(P LANGUAGES C CXX)
find_package(Hone \${WANTED} QUIET)
add_executable(program src/main.cc src/a.c src/b.cc)
if(Hone_FOUND)
  hone_enable(program)
  hone_report()
endif()
S
use "$(tuned_rules)"
fresh() { # BUILD ARGUMENTS...
  local build=$1; shift
  cmake -S p -B "$build" -DCMAKE_C_COMPILER="$(command -v "$CLANGC")" -DCMAKE_CXX_COMPILER="$(command -v "$CLANG")" \
    -DCMAKE_C_FLAGS=-O3 -DCMAKE_CXX_FLAGS=-O3 -DHONE_POLICY="$W/policy.idx" "$@" > cmake.log 2>&1 || { no "$build: configure: $(tail -5 cmake.log)"; return 1; }
  build "$build" || return 1
  [ "$("$build/program")" = "$expected" ] || no "$build: result $("$build/program")"
}
fresh found -DCMAKE_PREFIX_PATH="$W/moved prefix" -DWANTED=0.1
[ "$(compiles found/.hone/compiles.ndjson '"compiled":"tuned"')" = 3 ] || no "not tuned: $(cat found/.hone/compiles.ndjson)"
grep -q "^HONE_CC:.*=$W/moved prefix/bin/hone-cc$" found/CMakeCache.txt || no "another launcher: $(grep HONE_CC found/CMakeCache.txt)"
# The package's own `hone` tells which decisions changed.
use "$(rule src/a.c 'function(gvn)')" "$(tuned_rules)"; lines=$(wc -l < found/.hone/compiles.ndjson); build found
[ "$(sources_since found/.hone/compiles.ndjson "$lines")" = 'src/a.c ' ] || no "rebuilt $(sources_since found/.hone/compiles.ndjson "$lines")"
cmake --build found --target hone-report > report.log 2>&1; grep -q '^tuned  *4' report.log || no "report: $(cat report.log)"
fresh absent -DCMAKE_DISABLE_FIND_PACKAGE_Hone=ON; [ ! -e absent/.hone ] || no "used without being found"
fresh newer -DCMAKE_PREFIX_PATH="$W/moved prefix" -DWANTED=9.0; [ ! -e newer/.hone ] || no "found for a version that it is not"
exit $bad
