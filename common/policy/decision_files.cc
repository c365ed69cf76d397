#include "common/policy/decision_files.h"

#include <algorithm>
#include <system_error>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/governing_rules.h"
#include "common/policy/index.h"

namespace hone {
namespace {

constexpr std::string_view kDecisionSuffix = ".hone";

Result<void> check_source(std::string_view source) {
  if (source.empty() || source.front() == '/' || source.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "source \"" + std::string(source) + "\" is not relative to the root");
  }
  for (const std::string_view part : split(source, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return fail(ErrorCode::invalid_argument,
                  "source \"" + std::string(source) + "\" has an empty, . or .. part");
    }
  }
  return {};
}

// The sources of the decision files that lie below the folder.
Result<std::vector<std::string>> sources_in(const std::filesystem::path& folder) {
  std::vector<std::string> sources;
  std::error_code failure;
  if (!std::filesystem::exists(folder, failure)) {
    return sources;
  }
  std::filesystem::recursive_directory_iterator entry(folder, failure);
  for (; !failure && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(failure)) {
    std::string name = entry->path().lexically_relative(folder).string();
    std::error_code unreadable;
    if (name.ends_with(kDecisionSuffix) && entry->is_regular_file(unreadable)) {
      name.resize(name.size() - kDecisionSuffix.size());
      sources.push_back(std::move(name));
    }
  }
  if (failure) {
    return system_error("cannot read " + folder.string(), failure.value());
  }
  return sources;
}

}  // namespace

std::filesystem::path decision_file_name(std::string_view source) {
  return std::filesystem::path(std::string(source) + std::string(kDecisionSuffix));
}

Result<std::size_t> write_decision_files(const Policy& policy, std::vector<std::string> sources,
                                         const std::filesystem::path& folder) {
  // Checked as a whole first: either all files can be written or none is.
  HONE_CHECK(compile_index(policy));
  for (const std::string& source : sources) {
    HONE_CHECK(check_source(source));
  }
  HONE_TRY(const std::vector<std::string> present, sources_in(folder));
  sources.insert(sources.end(), present.begin(), present.end());
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  std::size_t written = 0;
  for (const std::string& source : sources) {
    Policy own;
    own.compiler = policy.compiler;
    own.compiler.version.clear();
    own.cpu_limit_seconds = policy.cpu_limit_seconds;
    own.rules = governing_rules(policy, source);
    HONE_TRY(const std::string bytes, compile_index(own));
    HONE_TRY(const bool changed, write_file_if_changed(folder / decision_file_name(source), bytes));
    written += changed ? 1 : 0;
  }
  return written;
}

}  // namespace hone
