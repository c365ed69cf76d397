/* A product that can tell whether it was compiled by -O3 or by a pipeline without an inliner: only
   after inlining is the argument of folded() a constant. It then misbehaves as PROBE_MODE says, so
   that every outcome of a candidate can be had on purpose, with decisions that are allowed. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

unsigned long work(unsigned long rounds);

static int folded(int x) { return __builtin_constant_p(x); }

#ifdef PROBE_MODE_nolink
void defined_nowhere(void);
#endif
#ifdef PROBE_MODE_broken
#error "this product does not compile"
#endif

int main(int argc, char** argv) {
  unsigned long rounds = 30000000;
  if (argc > 1) {
    FILE* input = fopen(argv[1], "r");
    if (input == NULL || fscanf(input, "%lu", &rounds) != 1) {
      fprintf(stderr, "probe: cannot read %s\n", argv[1]);
      return 2;
    }
    fclose(input);
  }
  unsigned long result = work(rounds);
#ifdef PROBE_MODE_unsteady
  /* Not the process number: in a sandbox that is always the same. */
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  result += (unsigned long)now.tv_nsec;
#endif
  if (!folded(3)) {
#if defined(PROBE_MODE_differ)
    result += 1;
#elif defined(PROBE_MODE_crash)
    abort();
#elif defined(PROBE_MODE_hang)
    for (;;) {
      __asm__ volatile("");
    }
#elif defined(PROBE_MODE_nolink)
    defined_nowhere();
#endif
  }
  printf("%lu\n", result);
  return 0;
}
