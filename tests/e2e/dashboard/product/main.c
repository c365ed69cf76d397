#include <stdio.h>
#include <stdlib.h>
unsigned mix(const unsigned* data, int count);
void scale(unsigned* data, int count, unsigned by);

/* FRAGILE: without an inliner the argument of folded() is no constant, and the program ends badly. */
static int folded(int x) { return __builtin_constant_p(x); }

int main(int argc, char** argv) {
  static unsigned data[512];
  unsigned sum = 0;
  int rounds = 0;
  FILE* input = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (input == NULL || fscanf(input, "%d", &rounds) != 1) return 2;
  fclose(input);
  for (int i = 0; i < 512; ++i) data[i] = (unsigned)i * 2654435761u;
  for (int r = 0; r < rounds; ++r) {
    scale(data, 512, sum | 3);
    sum += mix(data, 512);
  }
#ifdef FRAGILE
  if (!folded(3)) abort();
#endif
  printf("%u %d\n", sum, folded(3) * 0);
  return 0;
}
