// hone.yaml: a target as people write it. Thread safe.
#pragma once

#include <filesystem>
#include <string_view>

#include "common/base/result.h"
#include "common/protocol/target_spec.h"

namespace hone {

// The name of the file in a product's tree.
inline constexpr std::string_view kTargetFileName = "hone.yaml";

// YAML or JSON text (JSON is YAML) as a target. Errors name the line and the key of every bad
// field.
Result<TargetSpec> parse_target_text(std::string_view text);

// The same from a file; errors name the file.
Result<TargetSpec> read_target_file(const std::filesystem::path& path);

}  // namespace hone
