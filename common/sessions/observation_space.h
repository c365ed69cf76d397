// What can be seen of a compile session's state, by the names that CompilerGym's users know. Plain
// values, no LLVM needed. Thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hone {

// The spelling on the wire is the enumerator's comment.
enum class ObservationSpace : std::uint8_t {
  ir,                    // Ir: LLVM's text
  bitcode,               // Bitcode
  bitcode_hash,          // BitcodeHash: XXH3-128 of the bitcode, equal for equal states
  bitcode_sha256,        // BitcodeSha256: what logs and experiences call a state, state_id
  inst_count,            // InstCount: 70 numbers
  inst_count_norm,       // InstCountNorm: 69 numbers
  autophase,             // Autophase: 56 numbers
  function_properties,   // FunctionProperties: 9 numbers, LLVM's
  ir2vec,                // Ir2vec: IR2Vec's symbolic embedding; needs its vocabulary
  programl,              // Programl: the module as a graph, JSON in a text
  ir_instruction_count,  // IrInstructionCount
  object_text_size,      // ObjectTextSizeBytes: of the object file it compiles to
};
std::string_view to_string(ObservationSpace space);
std::optional<ObservationSpace> parse_observation_space(std::string_view text);
// All spellings, for messages.
extern const std::string_view kObservationSpaceChoices;

// One number, numbers, or bytes, as the space has it.
using Observation =
    std::variant<std::int64_t, std::vector<std::int64_t>, std::vector<double>, std::string>;

}  // namespace hone
