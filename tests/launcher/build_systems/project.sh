# Sourced by the build system cases. usage of a case: CASE.sh [LAUNCHER]; exit 0 right, 1 wrong,
# 77 cannot run here. Beside what ../support.sh gives ($W, $L, no, loop_source ...):
#
#   HONE            the command line, beside the launcher
#   product DIR     writes src/a.c, src/b.cc, src/main.cc: a program that prints "sum 285, mix 91"
#   use RULE...     makes policy.json, then by `hone policy compile` the index policy.idx and the
#                   document beside it; each call has a higher sequence
#   tuned_rules     a rule for every file whose pipeline shows in the object
#   compiles LOG TEXT   how many lines of a log hold a text
MODULES=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../cmake_modules" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/../support.sh"
unset HONE_POLICY HONE_STATE_DIR HONE_ROOT CC CXX CFLAGS CXXFLAGS CMAKE_GENERATOR
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER MAKEFLAGS
HONE=$(dirname "$L")/hone
[ -x "$HONE" ] || { echo "SKIP: no $HONE"; exit 77; }
needs() { local p; for p in "$@"; do command -v "$p" >/dev/null || { echo "SKIP: no $p"; exit 77; }; done; }

product() {
  mkdir -p "$1/src"
  printf '%s\n' 'int mix(const int* v, int n) { int s = 0; for (int i = 0; i < n; ++i) s += v[i] / 3 + v[i]; return s; }' > "$1/src/a.c"
  loop_source > "$1/src/b.cc"
  cat > "$1/src/main.cc" <<'S'
#include <cstdio>
#include <vector>
int sum(const std::vector<int>& v);
extern "C" int mix(const int* v, int n);
int main() {
  std::vector<int> v;
  for (int i = 0; i < 10; ++i) v.push_back(i);
  std::printf("sum %d, mix %d\n", sum(v), mix(v.data(), 10) + 34);
}
S
}
expected='sum 285, mix 91'

sequence=0
use() {
  local rules='' rule
  sequence=$((sequence + 1))
  for rule in "$@"; do rules=$rules${rules:+,}$rule; done
  printf '{"format":1,"target":"t","sequence":%d,"compiler":{"family":"clang","major":19},"rules":[%s]}' \
    "$sequence" "$rules" > "$W/policy.json"
  "$HONE" policy compile "$W/policy.json" --unsigned -o "$W/policy.idx" > compile.log 2>&1 \
    || { no "the policy was refused: $(cat compile.log)"; exit 1; }
  cp "$W/policy.json" "$W/policy.idx.json.new" && mv "$W/policy.idx.json.new" "$W/policy.idx.json"
}
rule() { printf '{"source":"%s","pipeline":"%s"}' "$1" "${2:-$PIPELINE}"; }
tuned_rules() { rule '*'; }
compiles() { if [ -e "$1" ]; then grep -c -- "$2" "$1" || true; else echo 0; fi; }
# sources_since LOG LINES: the sources of the lines after the first LINES, sorted, on one line.
sources_since() { tail -n +$(($2 + 1)) "$1" | sed 's/.*"source":"\([^"]*\)".*/\1/' | LC_ALL=C sort | tr '\n' ' '; }
# A program with the same name as a tool that notes its calls in $W/NAME.log.
noting() { # NAME
  mkdir -p "$W/bin"
  printf '#!/bin/sh\necho "$*" >> "%s/%s.log"\nexec "$@"\n' "$W" "$1" > "$W/bin/$1"
  chmod +x "$W/bin/$1"
}
generators() { ! command -v ninja >/dev/null || echo Ninja; ! command -v make >/dev/null || echo 'Unix Makefiles'; }
configure() { # GENERATOR SOURCE BUILD [ARGUMENTS]
  local generator=$1 source=$2 build=$3; shift 3
  cmake -S "$source" -B "$build" -G "$generator" -DCMAKE_C_COMPILER="$(command -v "$CLANGC")" \
    -DCMAKE_CXX_COMPILER="$(command -v "$CLANG")" -DCMAKE_C_FLAGS=-O3 -DCMAKE_CXX_FLAGS=-O3 \
    -DCMAKE_MODULE_PATH="$MODULES" -DHONE_CC="$L" -DHONE_PROGRAM="$HONE" "$@" > cmake.log 2>&1 \
    || { no "configure: $(tail -5 cmake.log)"; return 1; }
}
build() { cmake --build "$@" > build.log 2>&1 || { no "build: $(tail -8 build.log)"; return 1; }; }
