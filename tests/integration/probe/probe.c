/* A product that can tell whether it was compiled by -O3 or by a pipeline without an inliner: only
   after inlining is the argument of folded() a constant. It then misbehaves as PROBE_MODE says, so
   that every outcome of a candidate can be had on purpose, with decisions that are allowed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

unsigned long work(unsigned long rounds);

static int folded(int x) { return __builtin_constant_p(x); }

#ifdef PROBE_MODE_nolink
void defined_nowhere(void);
#endif
#ifdef PROBE_MODE_broken
#error "this product does not compile"
#endif

/* The modes that write a file. */
static int write_file(unsigned long result) {
#if defined(PROBE_MODE_trick)
  if (!folded(3)) {
    return mkfifo("probe.txt", 0600) + symlink("/etc/passwd", "link.txt");
  }
#endif
  FILE* file = fopen("probe.txt", "w");
  if (file == NULL) {
    return -1;
  }
  fprintf(file, "rounds done\nresult %lu\n", result);
  return fclose(file);
}

int main(int argc, char** argv) {
  unsigned long rounds = 30000000;
  if (argc > 1 && strcmp(argv[1], "--test") == 0) {
    puts("2 tests");
#if defined(PROBE_MODE_tests)
    return folded(3) ? 0 : 1;
#endif
    return 0;
  }
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
#if defined(PROBE_MODE_file) || defined(PROBE_MODE_trick)
  if (write_file(folded(3) ? result : result + 1) != 0) {
    return 3;
  }
#elif defined(PROBE_MODE_log)
  struct timespec end;
  timespec_get(&end, TIME_UTC);
  if (write_file((unsigned long)end.tv_nsec) != 0) {
    return 3;
  }
#elif defined(PROBE_MODE_errors)
  fprintf(stderr, "checksum %lu\n", folded(3) ? result : result + 1);
#elif defined(PROBE_MODE_digit)
  printf("mean %.17g\n", (double)result / 3 * (folded(3) ? 1 : 1 + 1e-12));
  result = 0;
#elif defined(PROBE_MODE_small)
  if (rounds < 1000 && !folded(3)) {
    result += 1;
  }
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
#if defined(PROBE_MODE_overrun) || defined(PROBE_MODE_both)
  /* Reads behind what was allocated, of which no output tells. */
  volatile char* text = calloc(16, 1);
#if defined(PROBE_MODE_both)
  volatile int at = 16;
#else
  volatile int at = folded(3) ? 15 : 16;
#endif
  volatile char c = text[at];
  (void)c;
#endif
  printf("%lu\n", result);
  return 0;
}
