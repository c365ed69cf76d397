#include "work.h"

enum { kCount = 512 };

static void sift(uint32_t* heap, size_t root, size_t count) {
  const uint32_t moved = heap[root];
  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) {
      ++child;
    }
    if (heap[child] <= moved) {
      break;
    }
    heap[root] = heap[child];
    root = child;
  }
  heap[root] = moved;
}

static void sort(uint32_t* values, size_t count) {
  for (size_t root = count / 2; root-- > 0;) {
    sift(values, root, count);
  }
  for (size_t last = count - 1; last > 0; --last) {
    const uint32_t largest = values[0];
    values[0] = values[last];
    values[last] = largest;
    sift(values, 0, last);
  }
}

uint64_t sort_rounds(size_t rounds) {
  static uint32_t values[kCount];
  uint64_t state = 88172645463325252U;
  uint64_t sum = 0;
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < kCount; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      values[i] = (uint32_t)state;
    }
    sort(values, kCount);
    sum += values[kCount / 2];
  }
  return sum;
}
