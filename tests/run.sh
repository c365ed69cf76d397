#!/usr/bin/env bash
# Installs what is needed, builds and runs the tests.
#
#   ./tests/run.sh            formatting, clang++-19 build, unit, launcher and integration tests
#   ./tests/run.sh --slow     the same, then g++ 12, sanitizers, clang-tidy and the end-to-end scripts
#   ./tests/run.sh --no-install   packages are there already
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

slow=0
install=1
for argument in "$@"; do
  case $argument in
    --slow) slow=1 ;;
    --no-install) install=0 ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }

if [ "$install" = 1 ]; then
  step "packages"
  ./deploy/install_packages.sh --test
fi

step "formatting"
git ls-files '*.h' '*.cc' | xargs clang-format-19 --dry-run --Werror

build_and_test() { # PRESET [CTEST ARGUMENTS...]
  local preset=$1
  shift
  step "build: $preset"
  cmake --preset "$preset" -DHONE_WERROR=ON > "build-$preset.log" 2>&1 || { cat "build-$preset.log"; exit 1; }
  rm -f "build-$preset.log"
  cmake --build --preset "$preset"
  step "tests: $preset"
  ctest --preset "$preset" --no-tests=error "$@"
}

build_and_test dev

if [ "$slow" = 1 ]; then
  build_and_test gcc
  build_and_test asan -LE launcher
  build_and_test tsan -LE launcher
  step "clang-tidy"
  git ls-files '*.cc' | grep -v '^tests/' | xargs -P "$(nproc)" -n 4 clang-tidy-19 -p build/dev --quiet
  step "end to end"
  ./tests/e2e/kill9.sh
  ./tests/integration/bazel_tune.sh
fi
