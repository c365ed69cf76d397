#include "build_integration/cli/register_target.h"

#include <cstdio>
#include <filesystem>
#include <utility>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
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

void add_target_options(CLI::App& app, TargetOptions& options) {
  app.add_option("source", options.source,
                 "Folder of the product, or URL@COMMIT of a git repository")
      ->required();
  app.add_option("--target-file", options.target_file,
                 "The hone.yaml to use [default: hone.yaml in the folder]");
  app.add_option("--name", options.name, "Name of the target [default: as hone.yaml says]");
  app.add_flag("--all-files", options.pack.all_files,
               "Of a git checkout, pack also what git does not track");
  app.add_option("--include-secret", options.pack.secrets,
                 "Pack files that match this glob although they hold a private key or a token: "
                 "whoever may read the target may download them; may be given again");
}

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
    HONE_TRY(const PackedSource packed, upload_folder(client, *folder, spec, options.pack, stop));
    for (const std::string& note : packed.notes) {
      fmt::print(stderr, "hone: {}\n", note);
    }
    spec.source.artifact = packed.sha256;
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
