#include "server/learner/commands/program_list.h"

#include <set>

#include <fmt/format.h>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxListBytes = std::size_t{16} << 20U;

}  // namespace

Result<std::vector<std::string>> read_program_list(const std::filesystem::path& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxListBytes));
  std::vector<std::string> programs;
  std::set<std::string> seen;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    // A fragment's '#' has no blank before it.
    const std::string_view uri = trim(line.starts_with('#') ? "" : line.substr(0, line.find(" #")));
    if (uri.empty()) {
      continue;
    }
    if (!seen.insert(std::string(uri)).second) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{}, line {}: {} is there twice", file.string(), number, uri));
    }
    programs.emplace_back(uri);
  }
  if (programs.empty() || programs.size() > kMaxListedPrograms) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} must name 1 to {} programs, one a line", file.string(),
                            kMaxListedPrograms));
  }
  return programs;
}

}  // namespace hone
