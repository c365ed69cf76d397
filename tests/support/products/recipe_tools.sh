# What recipes use (see build_ways.sh for how they run). Sourced; a recipe runs in the package's tree.
#
#   $cc $cxx      compile commands, with the launcher in front where the way has one
#   $launcher     the launcher alone, empty for the plain way
#   $level        -O3 and the warnings that make standard error worth comparing
#   $jobs         parallel compiles
#
# A recipe NAME.sh may set source_package=NAME and defines
#   configure     all that comes before the measured build
#   build         the measured build: the library, its programs and tests; standard error is compared
#   run_tests     prints the result of each test, without times or paths of temporary files

cmake_configure() { # SOURCE [OPTIONS...]
  local source=$1 launch=()
  shift
  if [ -n "$launcher" ]; then
    launch=("-DCMAKE_C_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher")
  fi
  # Makefiles, since ninja shows the compilers' messages on its standard output.
  cmake -G "Unix Makefiles" -S "$source" -B build -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 "${launch[@]}" \
    "-DCMAKE_C_FLAGS_RELEASE=$level" "-DCMAKE_CXX_FLAGS_RELEASE=$level" "$@"
}

# Each target's messages come in one piece, so that lines of parallel compiles never mix.
make_quietly() { make -s -Otarget "-j$jobs" "$@"; }
cmake_build() { make_quietly -C build "$@"; }

# A line "NAME: exit CODE" of one test program, bounded to five minutes.
check() { # NAME COMMAND...
  local name=$1 code=0
  shift
  timeout 300 "$@" >> test.log 2>&1 < /dev/null || code=$?
  echo "$name: exit $code"
}

# The outcome of each of CTest's tests.
ctest_results() { # [CTEST OPTIONS...]
  local code=0
  (cd build && timeout 600 ctest --timeout 200 "-j$jobs" "$@") > test.log 2>&1 < /dev/null || code=$?
  sed -nE 's/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: ([^ ]+) \.+ *([*A-Za-z ]+[A-Za-z]) .*/\1: \2/p' test.log |
    LC_ALL=C sort
  echo "ctest: exit $code"
}

# The outcome of each of the tests that automake's `make check` runs.
automake_results() { # [MAKE ARGUMENTS...]
  local code=0
  timeout 600 make "-j$jobs" check "$@" > test.log 2>&1 < /dev/null || code=$?
  grep -E '^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): ' test.log | LC_ALL=C sort
  echo "make check: exit $code"
}
