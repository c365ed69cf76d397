#!/usr/bin/env bash
# Installs what is needed, builds and runs the tests.
#
#   ./tests/run.sh            formatting, clang++-19 build, unit, launcher and integration tests
#   ./tests/run.sh --slow     with the tests labelled slow, then g++ 12, sanitizers, clang-tidy and the
#                             end-to-end scripts
#   ./tests/run.sh --no-install   packages are there already
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

slow=0
install=1
for argument in "$@"; do
  case $argument in
    --slow) slow=1 ;;
    --no-install) install=0 ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }

if [ "$install" = 1 ]; then
  step "packages"
  if [ "$slow" = 1 ]; then ./deploy/install_packages.sh --deploy; else ./deploy/install_packages.sh --test; fi
fi

step "formatting"
git ls-files '*.h' '*.cc' | xargs clang-format-19 --dry-run --Werror

build() { # PRESET
  step "build: $1"
  cmake --preset "$1" -DHONE_WERROR=ON > "build-$1.log" 2>&1 || { cat "build-$1.log"; exit 1; }
  rm -f "build-$1.log"
  cmake --build --preset "$1"
}
run_tests() { # PRESET [CTEST ARGUMENTS...]
  step "tests: $1"
  ctest --preset "$1" -j "$(nproc)" --no-tests=error "${@:2}"
}

build dev
if [ "$slow" = 1 ]; then
  run_tests dev
  build gcc
  run_tests gcc -LE slow
  for preset in asan tsan; do
    build "$preset"
    # Jobs run these under a limit on memory, which a sanitizer's shadow exceeds.
    cp build/dev/bin/hone-cc build/dev/bin/hone-link build/dev/bin/hone-sandbox-init \
      "build/$preset/bin/"
    run_tests "$preset" -LE 'launcher|slow'
  done
  step "clang-tidy"
  git ls-files '*.cc' | grep -v '^tests/' | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/dev --quiet
  step "end to end"
  ./tests/e2e/kill9.sh
  ./tests/chaos/run.sh 10 "${RANDOM}" || [ $? = 77 ]
  ./tests/e2e/rolling_upgrade.sh || [ $? = 77 ]
  ./tests/e2e/sandbox_attacks.sh --build build/dev || [ $? = 77 ]
  ./tests/e2e/penetration.sh || [ $? = 77 ]
  ./tests/e2e/dashboard.sh --build build/dev --live || [ $? = 77 ]
  ./tests/e2e/api_fuzz.sh || [ $? = 77 ]
  ./tests/fuzz/run.sh all 30
  ./tests/integration/bazel_tune.sh
else
  run_tests dev -LE slow
fi
