#include "work.h"

enum { kSize = 24 };

static void multiply(double c[kSize][kSize], double a[kSize][kSize], double b[kSize][kSize]) {
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) {
      double sum = 0;
      for (size_t k = 0; k < kSize; ++k) {
        sum += a[i][k] * b[k][j];
      }
      c[i][j] = sum;
    }
  }
}

uint64_t matrix_rounds(size_t rounds) {
  static double a[kSize][kSize];
  static double b[kSize][kSize];
  static double c[kSize][kSize];
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t j = 0; j < kSize; ++j) {
      a[i][j] = (double)(i + 1) / (double)(j + kSize);
      b[i][j] = i == j ? 1 : 1.0 / (double)(kSize * kSize);
    }
  }
  double trace = 0;
  for (size_t round = 0; round < rounds; ++round) {
    multiply(c, a, b);
    trace += c[round % kSize][round % kSize];
    a[round % kSize][0] = c[0][round % kSize];
  }
  return (uint64_t)(trace * 1000);
}
