#!/usr/bin/env bash
# CPU time that hone-cc adds to the exec of a compiler: passing through, and with a look-up in an
# index of 10,000 rules. p50 of 1,000 calls each. Prints the figures, the larger one last; exit 1 if
# that is over 1 ms.
#
# usage: launcher_overhead.sh [LAUNCHER]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
launcher=$(realpath "${1:-$root/build/dev/bin/hone-cc}")
bin=$(dirname "$launcher")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset HONE_POLICY HONE_ROOT HONE_STATE_DIR HONE_ON_FAILURE HONE_PLUGIN_DIR

# A compiler that does nothing stands where the launcher expects clang 19 to be, so that nothing but
# the launcher is measured.
mkdir -p llvm-19/bin src
cat > nothing.c <<'S'
void _start(void) { __asm__ volatile("mov $60, %eax\n\txor %edi, %edi\n\tsyscall"); }
S
cc -O2 -static -nostdlib -o llvm-19/bin/clang nothing.c
echo 'int f;' > src/a.cc
{
  printf '{"format":1,"target":"t","sequence":1,"compiler":{"family":"clang","major":19},"rules":['
  for i in $(seq 1 10000); do
    printf '{"source":"src/component%d/file%d.cc","pipeline":"function(sroa,gvn,simplifycfg)","knobs":{"unroll-count":"%d"}},' \
      $((i % 90)) "$i" $((i % 7 + 1))
  done
  printf '{"source":"src/a.cc","pipeline":"default<O3>"}]}'
} > policy.json
"$bin/compile_policy" policy.json policy.idx

cat > measure.c <<'S'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
// Median CPU time in microseconds of 1,000 runs of the command, interleaved with a warm-up of 50.
static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
int main(int argc, char** argv) {
  static double times[1000];
  (void)argc;
  for (int i = -50; i < 1000; ++i) {
    pid_t child = vfork();
    if (child == 0) { execv(argv[1], argv + 1); _exit(127); }
    int status; struct rusage use;
    wait4(child, &status, 0, &use);
    if (status != 0) { fprintf(stderr, "%s: status %d\n", argv[1], status); return 1; }
    if (i >= 0) times[i] = use.ru_utime.tv_sec * 1e6 + use.ru_utime.tv_usec + use.ru_stime.tv_sec * 1e6 + use.ru_stime.tv_usec;
  }
  qsort(times, 1000, sizeof *times, compare);
  printf("%.0f\n", times[500]);
  return 0;
}
S
cc -O2 -o measure measure.c

compile=("$work/llvm-19/bin/clang" -O3 -Isrc -DNDEBUG -Wall -c src/a.cc -o a.o)
bare=$(./measure "${compile[@]}")
through=$(./measure "$launcher" "${compile[@]}")
lookup=$(HONE_POLICY=$work/policy.idx ./measure "$launcher" "${compile[@]}")
HONE_POLICY=$work/policy.idx "$launcher" --explain "${compile[@]}" | grep -q rule_says_plain ||
  { echo "the look-up was not measured"; exit 1; }
echo "bare exec:                  $bare us CPU"
echo "pass-through:               $((through - bare)) us CPU over it"
worst=$((lookup - bare > through - bare ? lookup - bare : through - bare))
echo "look-up in 10,001 rules:    $((lookup - bare)) us CPU over it"
echo "$worst us"
[ "$worst" -le 1000 ]
