#include "build_integration/cli/register_target.h"

#include <filesystem>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/source_location.h"
#include "build_integration/cli/target_file.h"

namespace hone {
namespace {

Result<TargetSpec> spec_for(const Client& client, const TargetOptions& options,
                            const std::filesystem::path* folder) {
  if (!options.target_file.empty()) {
    return read_target_file(options.target_file);
  }
  if (folder != nullptr) {
    return read_target_file(*folder / kTargetFileName);
  }
  if (options.name.empty()) {
    return fail(
        ErrorCode::invalid_argument,
        "a git source needs --target-file with its hone.yaml, or --name of a target that is "
        "registered already");
  }
  return get_target(client, options.name);
}

}  // namespace

Result<TargetSpec> register_target(const Client& client, const TargetOptions& options,
                                   const std::stop_token& stop) {
  HONE_TRY(const auto location, parse_source_location(options.source));
  const auto* const folder = std::get_if<std::filesystem::path>(&location);
  HONE_TRY(TargetSpec spec, spec_for(client, options, folder));
  if (!options.name.empty()) {
    if (!is_valid_name(options.name)) {
      return fail(ErrorCode::invalid_argument,
                  "\"" + options.name + "\" cannot name a target: want [a-z0-9][a-z0-9._-]{0,62}");
    }
    spec.name = options.name;
  }
  spec.source = SourceSpec{};
  if (folder != nullptr) {
    HONE_TRY(spec.source.artifact, upload_folder(client, *folder, spec.name, stop));
  } else {
    spec.source.git = std::get<GitSource>(location);
  }
  RequestOptions putting;
  putting.stop = stop;
  HONE_TRY(const Json answer,
           client.put("/v1/targets/" + percent_encode(spec.name), to_json(spec), putting));
  static_cast<void>(answer);
  return spec;
}

}  // namespace hone
