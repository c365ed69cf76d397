#!/usr/bin/env bash
# CMake with Ninja (response files too) and Makefiles through its linker launcher, and plain make with
# the launcher in front of the compiler: copies beside the program, current after every rebuild, kept
# where nothing was linked; files written on the side are the plain link's.
. "$(dirname "$0")/support.sh"
for program in cmake ninja make; do command -v $program > /dev/null || { echo "SKIP: no $program"; exit 77; }; done
export HONE_LINK_PROGRAM=bin/app HONE_LINK_COPIES=3
unset HONE_LINK_SECONDS
prints() { "$1" x; }

# current PROGRAM WHAT: three copies that print what the program prints, under their own names.
current() {
  local number
  [ "$(counted "$1")" = 3 ] && [ "$(copies "$1")" = 3 ] || { no "$2: $(copies "$1") copies: $(note "$1")"; return; }
  for number in 1 2 3; do
    [ "$(prints "$1.hone-link-$number")" = "$(prints "$1").hone-link-$number" ] ||
      no "$2: copy $number prints '$(prints "$1.hone-link-$number")', the program '$(prints "$1")'"
    ! cmp -s "$1" "$1.hone-link-$number" || no "$2: copy $number is the program itself"
  done
}
times() { stat -c %y "$1" "$1".hone-link*; }

# steps PROGRAM WHAT BUILD-COMMAND: builds, changes one source, breaks it, mends it.
steps() {
  local program=$1 what=$2 before
  shift 2
  "$@" > build.log 2>&1 || { no "$what: $(tail -5 build.log)"; return; }
  current "$program" "$what"
  before=$(times "$program")
  "$@" > build.log 2>&1
  [ "$(times "$program")" = "$before" ] || no "$what: copies were made again for nothing"
  before=$(prints "$program")
  sed -i 's/s = n;/s = n + 5;/' p/second.cc
  touch -d '+2 seconds' p/second.cc
  "$@" > build.log 2>&1 || no "$what: rebuild: $(tail -5 build.log)"
  [ "$(prints "$program")" != "$before" ] || no "$what: the change does not show"
  current "$program" "$what, rebuilt"
  sed -i 's/int second(int n)/int other(int n)/' p/second.cc
  touch -d '+4 seconds' p/second.cc
  "$@" > build.log 2>&1 && no "$what: a program without a function links"
  [ "$(copies "$program")" = 0 ] || no "$what: copies of the link before are left"
  sed -i 's/int other(int n)/int second(int n)/' p/second.cc
  touch -d '+6 seconds' p/second.cc
  "$@" > build.log 2>&1 || no "$what: mended: $(tail -5 build.log)"
  current "$program" "$what, mended"
}

cmake_lists() {
  cat > p/CMakeLists.txt <<'S'
cmake_minimum_required(VERSION 3.21)
project(P CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_library(third STATIC third.cc)
add_library(shared SHARED order.cc)
add_executable(app main.cc second.cc first.cc)
target_link_libraries(app third shared)
target_link_options(app PRIVATE "LINKER:-Map=${CMAKE_BINARY_DIR}/app.map")
add_executable(tool main.cc second.cc first.cc)
target_link_libraries(tool third shared)
S
}
for generator in Ninja 'Unix Makefiles'; do
  for responses in OFF ON; do
    rm -rf p b; product p; cmake_lists
    what="$generator, response files $responses"
    cmake -S p -B b -G "$generator" -DCMAKE_CXX_COMPILER="$(command -v clang++-19)" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_LINKER_LAUNCHER="$L" -DCMAKE_NINJA_FORCE_RESPONSE_FILE=$responses \
      -DCMAKE_CXX_USE_RESPONSE_FILE_FOR_OBJECTS=$responses -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON > cmake.log 2>&1 ||
      { no "$what: $(tail -5 cmake.log)"; continue; }
    steps b/bin/app "$what" cmake --build b
    [ "$(copies b/bin/tool)" = 0 ] && [ ! -e b/bin/tool.hone-links ] || no "$what: copies of another program"
    grep -q '__hone_padding' b/app.map && no "$what: the map is a copy's"
    grep -q 'second.cc.o' b/app.map || no "$what: no map"
    if [ $responses = ON ] && [ "$generator" = Ninja ]; then
      grep -q 'RSP_FILE = .*app' b/build.ninja || no "$what: no response file was used"
    fi
  done
done

# Plain make in a folder of its own, the launcher in front of a compiler's wrapper as a worker makes it.
for compiler in clang++-19 g++; do
  rm -rf p; product p
  cat > p/Makefile <<'S'
app: main.o second.o first.o third.o order.o
	$(CXX) $(CXXFLAGS) -o $@ $^
%.o: %.cc
	$(CXX) $(CXXFLAGS) -c $< -o $@
S
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$L" "$(command -v $compiler)" > cxx
  chmod +x cxx
  steps p/app "make, $compiler" make -C p CXX="$W/cxx" CXXFLAGS=-O2
  ls p | grep -q 'o.hone-link' && no "make, $compiler: copies of objects: $(ls p)"
done
exit $bad
