#!/usr/bin/env bash
# CMake (launcher variable, environment variable with try_compile, __run_co_compile), Meson, make and configure.
# fails with: drops_argument loses_exit_code speaks_on_stdout
. "$(dirname "$0")/../behaviour.sh"
command -v cmake >/dev/null || { echo "SKIP: no cmake"; exit 77; }
mkdir in; cd in; loop_source > a.cc; echo 'int sum(const int*, int); int main() { int v[3] = {1, 2, 3}; return sum(v, 3) == 14 ? 0 : 1; }' > m.cc
cat > CMakeLists.txt <<'E'
cmake_minimum_required(VERSION 3.20)
project(P LANGUAGES CXX)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
check_cxx_compiler_flag(-Wall HAS_WALL)
check_cxx_compiler_flag(-fno-such-flag-at-all HAS_NONSENSE)
check_cxx_source_compiles("int main() { return undefined_name; }" HAS_UNDEFINED)
file(WRITE "${CMAKE_BINARY_DIR}/answers" "${HAS_WALL};${HAS_NONSENSE};${HAS_UNDEFINED};${CMAKE_CXX_COMPILER_ID};${CMAKE_CXX_COMPILER_ABI};${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES};${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES};${CMAKE_SIZEOF_VOID_P}")
add_executable(m m.cc a.cc)
E
generators=('Unix Makefiles'); ! command -v ninja >/dev/null || generators+=(Ninja)
for cc in "$CLANG" "$GXX"; do
  for g in "${generators[@]}"; do
    o=(-S . -G "$g" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$(command -v "$cc")")
    rm -rf p q e; cmake "${o[@]}" -B p > p.log 2>&1 || no "test is wrong: $(tail -3 p.log)"
    cmake "${o[@]}" -B q "-DCMAKE_CXX_COMPILER_LAUNCHER=$L" > q.log 2>&1 || no "$g $cc: configure: $(tail -3 q.log)"
    # The environment variable sends ABI detection and every try_compile through the launcher, too.
    CMAKE_CXX_COMPILER_LAUNCHER="$(command -v env);NOTHING=1;$L" cmake "${o[@]}" -B e > e.log 2>&1 || no "$g $cc: configure by environment: $(tail -3 e.log)"
    for b in q e; do
      same p/answers $b/answers "$g $cc $b: what configure found out"
      cmake --build $b > $b.log 2>&1 || no "$g $cc $b: build: $(tail -4 $b.log)"
      $b/m || no "$g $cc $b: the program is wrong"
      cmake --build $b 2>&1 | grep -qE 'Building' && no "$g $cc $b: builds again"; touch a.cc; cmake --build $b 2>&1 | grep -q 'Building.*a.cc' || no "$g $cc $b: a changed source is not built"
    done
  done
  # clang-tidy and the like: the "compiler" is cmake.
  cap q l cmake -E __run_co_compile --tidy=true --source=a.cc -- "$cc" -O3 -c a.cc -o co.o; [ "$(cat q.rc)" = 0 ] && [ -s co.o ] || no "$cc: __run_co_compile: $(head -3 q.err)"
  cap q cmake -E __run_co_compile "--launcher=$L" --tidy=true --source=a.cc -- "$cc" -O3 -c a.cc -o co2.o; [ "$(cat q.rc)" = 0 ] && [ -s co2.o ] || no "$cc: __run_co_compile with the launcher: $(head -3 q.err)"
  cap q l cmake -E env X=1 "$cc" -O3 -c a.cc -o env.o; [ "$(cat q.rc)" = 0 ] && [ -s env.o ] || no "$cc: cmake -E env"
  # A make recipe and a configure script with the launcher within CC.
  printf 'm: m.o a.o\n\t$(CXX) $^ -o $@\n%%.o: %%.cc\n\t$(CXX) -O3 -c $< -o $@\n' > Makefile; rm -f m ./*.o
  make -s CXX="$L $cc" > mk.log 2>&1 && ./m || no "$cc: make: $(tail -3 mk.log)"
  cat > configure <<'E'
ac_ext=cpp; echo 'int main() { return 0; }' > conftest.cpp
$CXX -V >/dev/null 2>&1; echo "V $?"; $CXX -qversion >/dev/null 2>&1; echo "q $?"
$CXX -O3 conftest.cpp -o conftest >&5 && ./conftest && echo "works $?"; $CXX -O3 -c conftest.cpp >&5 && echo "object $(ls conftest.o)"
$CXX -O3 -E conftest.cpp | grep -c main; $CXX -O3 -Werror -fno-nonsense -c conftest.cpp 2>&5; echo "flag $?"
echo 'choke me' > conftest.cpp; $CXX -O3 -c conftest.cpp 2>&5; echo "error $?"; rm -f conftest*
E
  CXX="$cc" bash configure > p.out 5>/dev/null 2>p.err; CXX="$L $cc" bash configure > q.out 5>/dev/null 2>q.err; same p.out q.out "$cc: configure"; same p.err q.err "$cc: configure, stderr"
done
if command -v meson >/dev/null && command -v ninja >/dev/null; then
  printf "project('p', 'cpp', default_options: ['optimization=3'])\nexecutable('m', 'm.cc', 'a.cc')\n" > meson.build
  rm -rf mb; CXX="$L $CLANG" meson setup mb > meson.log 2>&1 && ninja -C mb >> meson.log 2>&1 && mb/m || no "meson: $(tail -4 meson.log)"
fi
exit $bad
