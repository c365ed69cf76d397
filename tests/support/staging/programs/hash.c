#include "work.h"

static uint64_t mixed(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

uint64_t hash_rounds(size_t rounds) {
  uint64_t state = 1;
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < 1000; ++i) {
      state = mixed(state + i);
    }
  }
  return state;
}
