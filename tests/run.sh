#!/usr/bin/env bash
# Installs what is needed, builds and runs the tests.
#
#   ./tests/run.sh               formatting, clang++-19 build, unit, launcher and integration tests
#   ./tests/run.sh --slow        with the tests labelled slow, then every STEP below: hours on 2 cores
#   ./tests/run.sh --slow STEP   one of them: gcc (the second compiler and its tests), asan, tsan (the
#                                sanitizers), tidy (clang-tidy, only files changed since it last found
#                                nothing), e2e (kill -9, chaos, rolling upgrade, attacks, fuzzing, ...)
#   ./tests/run.sh --no-install  packages are there already; before --slow
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }

install=1
slow=0
steps=()
if [ "${1-}" = --no-install ]; then install=0; shift; fi
if [ "${1-}" = --slow ]; then
  slow=1
  shift
  if [ $# = 0 ]; then steps=(slow gcc asan tsan tidy e2e); fi
fi
for step in "$@"; do
  case $slow:$step in
    1:gcc | 1:asan | 1:tsan | 1:tidy | 1:e2e) steps+=("$step") ;;
    *) usage ;;
  esac
done

headline() { printf '\n== %s\n' "$*"; }

if [ "$install" = 1 ]; then
  headline "packages"
  if [ "$slow" = 1 ]; then ./deploy/install_packages.sh --deploy; else ./deploy/install_packages.sh --test; fi
fi

headline "formatting"
git ls-files '*.h' '*.cc' | xargs clang-format-19 --dry-run --Werror

build() { # PRESET
  headline "build: $1"
  cmake --preset "$1" -DHONE_WERROR=ON > "build-$1.log" 2>&1 || { cat "build-$1.log"; exit 1; }
  rm -f "build-$1.log"
  cmake --build --preset "$1"
}
run_tests() { # PRESET [CTEST ARGUMENTS...]
  headline "tests: $1"
  ctest --preset "$1" -j "$(nproc)" --no-tests=error "${@:2}"
}
sanitized() { # PRESET
  build "$1"
  # Jobs run these under a limit on memory, which a sanitizer's shadow exceeds.
  cp build/dev/bin/hone-cc build/dev/bin/hone-link build/dev/bin/hone-sandbox-init "build/$1/bin/"
  # Chaos sets clocks by a library that is loaded first, where a sanitizer's own must be.
  run_tests "$1" -LE 'launcher|slow|chaos'
}
end_to_end() {
  headline "end to end"
  ./tests/e2e/kill9.sh --bin build/dev/bin
  ./tests/chaos/run.sh 10 "${RANDOM}" --bin build/dev/bin || [ $? = 77 ]
  ./tests/e2e/rolling_upgrade.sh --bin build/dev/bin || [ $? = 77 ]
  ./tests/e2e/sandbox_attacks.sh --build build/dev || [ $? = 77 ]
  ./tests/e2e/penetration.sh || [ $? = 77 ]
  ./tests/e2e/dashboard.sh --build build/dev --live || [ $? = 77 ]
  ./tests/e2e/api_fuzz.sh || [ $? = 77 ]
  ./tests/fuzz/run.sh all 30
  ./tests/integration/bazel_tune.sh
}

build dev
if [ "$slow" = 0 ]; then run_tests dev -LE slow; fi
for step in "${steps[@]}"; do
  case $step in
    slow) run_tests dev ;;
    gcc) build gcc; run_tests gcc -LE slow ;;
    asan | tsan) sanitized "$step" ;;
    tidy) headline "clang-tidy"; ./tests/support/tidy.py ;;
    e2e) end_to_end ;;
  esac
done
