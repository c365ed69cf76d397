// Small pieces of work for trying the measurement out: each does `rounds` rounds and returns a
// number that depends on all of them, so that nothing is optimised away.
#pragma once
#include <stddef.h>
#include <stdint.h>

uint64_t hash_rounds(size_t rounds);    // integer arithmetic in registers
uint64_t matrix_rounds(size_t rounds);  // floating point, small matrices
uint64_t sort_rounds(size_t rounds);    // branches that mispredict, memory in the first caches
