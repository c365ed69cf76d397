#include "build_integration/cli/source_location.h"

#include <string>
#include <system_error>

#include "common/base/file.h"

namespace hone {

Result<std::variant<std::filesystem::path, GitSource>> parse_source_location(
    std::string_view text) {
  using Location = std::variant<std::filesystem::path, GitSource>;
  std::error_code ignored;
  const std::filesystem::path folder(text);
  if (std::filesystem::is_directory(folder, ignored)) {
    return Location(folder);
  }
  const std::size_t at = text.rfind('@');
  const bool is_url = text.starts_with("https://") || text.starts_with("file:///") ||
                      (text.starts_with('/') && at != std::string_view::npos);
  if (!is_url) {
    return fail(ErrorCode::not_found, "there is no folder " + std::string(text));
  }
  const std::string_view commit = at == std::string_view::npos ? "" : text.substr(at + 1);
  if (commit.size() != 40 ||
      commit.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "a git source is URL@COMMIT with the commit's full name, 40 lower-case hexadecimal "
                "digits: what was measured must stay the same thing");
  }
  return Location(GitSource{std::string(text.substr(0, at)), std::string(commit)});
}

Result<PackedSource> upload_folder(const Client& client, const std::filesystem::path& folder,
                                   const TargetSpec& target, const PackOptions& options,
                                   const std::stop_token& stop) {
  HONE_TRY(const TemporaryFolder temporary, TemporaryFolder::create("hone-source"));
  const std::filesystem::path archive = temporary.path() / "source.tar.zst";
  HONE_TRY(PackedSource packed, pack_source(folder, archive, target, options, stop));
  HONE_CHECK(client.upload_file(archive, packed.sha256, stop));
  return packed;
}

}  // namespace hone
