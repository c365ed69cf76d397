#include "build_integration/cli/env_programs.h"

#include <fmt/format.h>

#include "build_integration/cli/yaml_document.h"
#include "common/base/file.h"

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

// In the build tree as where we are installed: ../share/hone from our programs.
fs::path debian_script() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "share/hone/debian_source.sh";
}

}  // namespace

Result<ProgramLoader> env_programs(const std::vector<std::string>& manifests,
                                   const std::stop_token& stop) {
  ProgramLoaderSettings settings;
  settings.read_document = read_document;
  settings.debian_script = debian_script();
  settings.manifests.assign(manifests.begin(), manifests.end());
  settings.say = [](std::string_view text) { fmt::print(stderr, "hone: {}\n", text); };
  settings.stop = stop;
  return ProgramLoader::create(std::move(settings));
}

}  // namespace hone
