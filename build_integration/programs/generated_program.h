// Programs that are made from a seed: csmith's random C, which runs and prints a checksum, and
// llvm-stress' random IR, which does not. Thread safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "build_integration/programs/program.h"
#include "build_integration/programs/program_cache.h"
#include "common/base/result.h"

namespace hone {

// 0 to 2^32 - 1, decimal. invalid_argument says so.
Result<std::uint32_t> parse_seed(std::string_view text);

// Equal for one seed on machines with the same csmith, llvm-stress and clang. not_found names the
// Debian package that is missing. `level` as ClangCompile has it.
Result<Program> csmith_program(std::uint32_t seed, ProgramCache& cache,
                               const std::string& level = "");
Result<Program> llvm_stress_program(std::uint32_t seed, ProgramCache& cache);

}  // namespace hone
