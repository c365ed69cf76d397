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
  text_size,             // TextSizeBytes: of the program it links to
  runtime,               // Runtime: samples of the seconds that the program's runs take
  buildtime,             // Buildtime: samples of the seconds that its link takes
};
std::string_view to_string(ObservationSpace space);
std::optional<ObservationSpace> parse_observation_space(std::string_view text);
// Whether the program must be linked or run, which a session's process can not do: whoever has the
// program does it, from the session's bitcode.
bool is_linked(ObservationSpace space);
// All spellings, for messages, and those of which a session itself knows.
extern const std::string_view kObservationSpaceChoices;
extern const std::string_view kSessionObservationChoices;

// One number, numbers, or bytes, as the space has it.
using Observation =
    std::variant<std::int64_t, std::vector<std::int64_t>, std::vector<double>, std::string>;

}  // namespace hone
