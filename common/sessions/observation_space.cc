#include "common/sessions/observation_space.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

struct Spelling {
  ObservationSpace space;
  std::string_view text;
};
constexpr auto kSpellings = std::to_array<Spelling>({
    {ObservationSpace::ir, "Ir"},
    {ObservationSpace::bitcode, "Bitcode"},
    {ObservationSpace::bitcode_hash, "BitcodeHash"},
    {ObservationSpace::bitcode_sha256, "BitcodeSha256"},
    {ObservationSpace::inst_count, "InstCount"},
    {ObservationSpace::inst_count_norm, "InstCountNorm"},
    {ObservationSpace::autophase, "Autophase"},
    {ObservationSpace::function_properties, "FunctionProperties"},
    {ObservationSpace::ir2vec, "Ir2vec"},
    {ObservationSpace::programl, "Programl"},
    {ObservationSpace::ir_instruction_count, "IrInstructionCount"},
    {ObservationSpace::object_text_size, "ObjectTextSizeBytes"},
    {ObservationSpace::text_size, "TextSizeBytes"},
    {ObservationSpace::runtime, "Runtime"},
    {ObservationSpace::buildtime, "Buildtime"},
});

}  // namespace

const std::string_view kObservationSpaceChoices =
    "Ir, Bitcode, BitcodeHash, BitcodeSha256, InstCount, InstCountNorm, Autophase, "
    "FunctionProperties, Ir2vec, Programl, IrInstructionCount, ObjectTextSizeBytes, TextSizeBytes, "
    "Runtime, Buildtime";
const std::string_view kSessionObservationChoices =
    kObservationSpaceChoices.substr(0, kObservationSpaceChoices.find(", TextSizeBytes"));

bool is_linked(ObservationSpace space) {
  return space == ObservationSpace::text_size || space == ObservationSpace::runtime ||
         space == ObservationSpace::buildtime;
}

std::string_view to_string(ObservationSpace space) {
  return std::ranges::find(kSpellings, space, &Spelling::space)->text;
}

std::optional<ObservationSpace> parse_observation_space(std::string_view text) {
  const auto found = std::ranges::find(kSpellings, text, &Spelling::text);
  return found == kSpellings.end() ? std::nullopt : std::optional(found->space);
}

}  // namespace hone
