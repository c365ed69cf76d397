// work KIND ROUNDS [EXTRA]: ROUNDS rounds of work, then EXTRA more, whose result is not printed: a
// slowdown of a known size with the same output. The last line is the CPU time it took, by itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "work.h"

static volatile uint64_t ignored;

int main(int argc, char** argv) {
  if (argc < 3) {
    return 2;
  }
  uint64_t (*work)(size_t) = strcmp(argv[1], "hash") == 0     ? hash_rounds
                             : strcmp(argv[1], "matrix") == 0 ? matrix_rounds
                             : strcmp(argv[1], "sort") == 0   ? sort_rounds
                                                              : NULL;
  if (work == NULL) {
    return 2;
  }
  const clock_t start = clock();
  const uint64_t result = work(strtoul(argv[2], NULL, 10));
  if (argc > 3) {
    ignored = work(strtoul(argv[3], NULL, 10));
  }
  printf("%s %llu\n", argv[1], (unsigned long long)result);
  printf("cpu %.6f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
  return 0;
}
