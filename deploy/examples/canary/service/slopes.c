#include "fingerprint.h"

uint64_t slopes_fingerprint(const unsigned char* text, size_t size) {
  uint32_t ups = 0;
  uint32_t downs = 0;
  uint32_t level = 0;
  for (size_t i = 1; i < size; ++i) {
    const uint32_t before = text[i - 1];
    const uint32_t now = text[i];
    if (before < now) {
      ups += (now - before) * (level + 1) ^ (ups >> 5U);
      level = now & 7U;
    } else {
      downs += before - now + (level ^ downs >> 3U);
    }
  }
  return (uint64_t)ups << 32U | downs;
}
