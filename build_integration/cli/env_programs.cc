#include "build_integration/cli/env_programs.h"

#include <fmt/format.h>

#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "common/yaml/yaml_document.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

Result<Json> read_document(const fs::path& path) {
  HONE_TRY(const std::string text, read_file(path, kMaxYamlBytes));
  Result<YamlDocument> document = parse_yaml(text);
  if (!document) {
    return document.error().within(path.string());
  }
  return Result<Json>(boost::system::in_place_value, std::move(document->value));
}

}  // namespace

Result<ProgramLoader> env_programs(const std::vector<std::string>& manifests,
                                   const std::stop_token& stop) {
  ProgramLoaderSettings settings;
  settings.read_document = read_document;
  settings.debian_script = shared_file("debian_source.sh");
  settings.manifests.assign(manifests.begin(), manifests.end());
  settings.say = [](std::string_view text) { fmt::print(stderr, "hone: {}\n", text); };
  settings.stop = stop;
  return ProgramLoader::create(std::move(settings));
}

}  // namespace hone
