#include "fingerprint.h"

// A word is a run of the 26 letters, whatever their case; its hash has each of them as a digit.
uint64_t words_fingerprint(const unsigned char* text, size_t size) {
  uint32_t hash = 0;
  uint32_t sum = 0;
  uint32_t words = 0;
  for (size_t i = 0; i < size; ++i) {
    const uint32_t letter = (text[i] | 0x20U) - 'a';
    if (letter < 26) {
      hash = 31 * hash + letter + 1;
    } else {
      sum += hash ^ hash >> 7U;
      words += hash != 0;
      hash = 0;
    }
  }
  return (uint64_t)words << 32U | sum;
}
