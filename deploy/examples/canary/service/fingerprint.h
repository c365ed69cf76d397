// What the service says of each text beside its compressed form, so that callers find texts that
// are nearly alike. Order of words and layout tell different things. Thread safe.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of the words, whatever their order: their number in the upper half, the sum of their hashes
// below.
uint64_t words_fingerprint(const unsigned char* text, size_t size);
// Of how neighbouring bytes rise and fall: the ways up in the upper half, those down below.
uint64_t slopes_fingerprint(const unsigned char* text, size_t size);

#ifdef __cplusplus
}
#endif
