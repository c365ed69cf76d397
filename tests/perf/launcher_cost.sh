#!/usr/bin/env bash
# CPU time that hone-cc adds to the exec of a compiler: passing through, with a look-up in an index of
# 10,000 rules, and through one source's decision file. p50 of 1,000 calls each, in turn with bare
# ones. Besides, for information: the whole tuned compile of a tiny file against the plain one.
#
# Prints the figures, the largest of the three last; exit code 1 if that is over 1 ms.
#
# usage: launcher_cost.sh [LAUNCHER]   [build/release/bin/hone-cc if it is there, else build/dev/bin]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
launcher=$root/build/release/bin/hone-cc
[ -x "$launcher" ] || launcher=$root/build/dev/bin/hone-cc
launcher=$(realpath "${1:-$launcher}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset "${!HONE_@}"

# Indexes are the same whichever build wrote them.
compile_policy=
for folder in "$(dirname "$launcher")" "$root/build/release/bin" "$root/build/dev/bin"; do
  if [ -x "$folder/compile_policy" ]; then compile_policy=$folder/compile_policy; break; fi
done
[ -n "$compile_policy" ] || { echo "launcher_cost: compile_policy is not built" >&2; exit 1; }

# A compiler that does nothing stands where the launcher expects clang 19 to be, so that nothing but
# the launcher is measured.
mkdir -p llvm-19/bin src
cat > nothing.c <<'S2'
void _start(void) { __asm__ volatile("mov $60, %eax\n\txor %edi, %edi\n\tsyscall"); }
S2
cc -O2 -static -nostdlib -o llvm-19/bin/clang nothing.c
echo 'int f;' > src/a.cc
rules() { # LAST_RULE
  printf '{"format":1,"target":"t","sequence":1,"compiler":{"family":"clang","major":19},"rules":['
  for i in $(seq 1 10000); do
    printf '{"source":"src/component%d/file%d.cc","pipeline":"function(sroa,gvn,simplifycfg)",' \
      $((i % 90)) "$i"
    printf '"knobs":{"unroll-count":"%d"}},' $((i % 7 + 1))
  done
  printf '%s]}' "$1"
}
# The rule for another level keeps the plain one in the decision file: at the end it would say nothing.
rules '{"source":"src/a.cc","levels":["O3"],"pipeline":"default<O3>"},{"source":"src/a.cc","levels":["O2"],"pipeline":"function(sroa)"}' > policy.json
"$compile_policy" policy.json policy.idx decisions src/a.cc
decision=$work/decisions/src/a.cc.hone

cat > measure.c <<'S2'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
// measure RUNS SETTING... -- COMMAND...: median CPU time in microseconds of the command with each
// setting, a run of each in turn. A setting is a policy, "-" for none; it starts with '=' if the
// command is to run without its first word (the launcher).
enum { kMost = 8 };
static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
static double microseconds(struct timeval time) { return time.tv_sec * 1e6 + time.tv_usec; }
int main(int argc, char** argv) {
  int runs = atoi(argv[1]), settings = 0, warm_up = runs / 20 + 1;
  while (settings < kMost && settings + 2 < argc && strcmp(argv[settings + 2], "--") != 0) ++settings;
  char** command = argv + settings + 3;
  double* times = malloc(sizeof(double) * (size_t)runs * kMost);
  for (int i = -warm_up; i < runs; ++i)
    for (int s = 0; s < settings; ++s) {
      char* setting = argv[s + 2];
      char** run = setting[0] == '=' ? command + 1 : command;
      if (setting[0] == '-' || setting[0] == '=') unsetenv("HONE_POLICY");
      else setenv("HONE_POLICY", setting, 1);
      pid_t child = vfork();
      if (child == 0) { execv(run[0], run); _exit(127); }
      int status;
      struct rusage use;
      wait4(child, &status, 0, &use);
      if (status != 0) { fprintf(stderr, "%s: status %d\n", run[0], status); return 1; }
      if (i >= 0)
        times[s * runs + i] = microseconds(use.ru_utime) + microseconds(use.ru_stime);
    }
  for (int s = 0; s < settings; ++s) {
    qsort(times + s * runs, (size_t)runs, sizeof *times, compare);
    printf("%.0f%c", times[s * runs + runs / 2], s + 1 < settings ? ' ' : '\n');
  }
  return 0;
}
S2
cc -O2 -o measure measure.c

compile=("$launcher" "$work/llvm-19/bin/clang" -O3 -Isrc -DNDEBUG -Wall -c src/a.cc -o a.o)
export HONE_ROOT=$work
for policy in "$work/policy.idx" "$decision"; do
  HONE_POLICY=$policy "$launcher" --explain "${compile[@]:1}" | grep -q rule_says_plain ||
    { echo "launcher_cost: the look-up in $policy was not measured" >&2; exit 1; }
done
times=$(./measure 1000 = - "$work/policy.idx" "$decision" -- "${compile[@]}")
read -r bare through lookup file <<< "$times"

# The whole of a tuned compile: a child, its held outputs, the plugin, the pipeline.
echo 'int f(int x) { return x * 3; }' > src/a.cc
rules '{"source":"src/a.cc","pipeline":"function(sroa,gvn,simplifycfg)"}' > tuned.json
"$compile_policy" tuned.json tuned.idx
compile=("$launcher" "$(command -v clang++-19)" -O3 -c src/a.cc -o a.o)
tuned='not measured: no plugin'
if HONE_POLICY=$work/tuned.idx HONE_STATE_DIR=$work/state "$launcher" "${compile[@]:1}" &&
   grep -q '"compiled":"tuned"' state/compiles.ndjson 2>/dev/null; then
  times=$(HONE_STATE_DIR=$work/state ./measure 40 = "$work/tuned.idx" -- "${compile[@]}")
  read -r plain whole <<< "$times"
  tuned="$whole us CPU, plain $plain us"
fi

worst=$((through - bare))
for value in $((lookup - bare)) $((file - bare)); do
  if [ $value -gt $worst ]; then worst=$value; fi
done
echo "tuned compile of a tiny file:  $tuned"
echo "bare exec:                     $bare us CPU"
echo "pass-through:                  $((through - bare)) us CPU over it"
echo "look-up in 10,001 rules:       $((lookup - bare)) us CPU over it"
echo "decision file:                 $((file - bare)) us CPU over it"
echo "$worst us (at most 1000)"
[ $worst -le 1000 ]
