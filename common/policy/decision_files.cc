#include "common/policy/decision_files.h"

#include <system_error>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/index.h"

namespace hone {
namespace {

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

}  // namespace

std::filesystem::path decision_file_name(std::string_view source) {
  return std::filesystem::path(std::string(source) + ".hone");
}

Result<std::size_t> write_decision_files(const Policy& policy,
                                         const std::vector<std::string>& sources,
                                         const std::filesystem::path& folder) {
  // Checked as a whole first: either all files can be written or none is.
  HONE_CHECK(compile_index(policy));
  for (const std::string& source : sources) {
    HONE_CHECK(check_source(source));
  }
  std::size_t written = 0;
  for (const std::string& source : sources) {
    Policy own;
    own.compiler = policy.compiler;
    own.compiler.version.clear();
    own.cpu_limit_seconds = policy.cpu_limit_seconds;
    for (const Rule& rule : policy.rules) {
      if (matches_glob(rule.source, source)) {
        own.rules.push_back(rule);
        own.rules.back().source = source;
      }
    }
    HONE_TRY(const std::string bytes, compile_index(own));
    const std::filesystem::path path = folder / decision_file_name(source);
    const Result<std::string> old = read_file(path, bytes.size());
    if (old.has_value() && *old == bytes) {
      continue;
    }
    std::error_code failure;
    std::filesystem::create_directories(path.parent_path(), failure);
    if (failure) {
      return system_error("cannot make " + path.parent_path().string(), failure.value());
    }
    HONE_CHECK(write_file_atomically(path, bytes));
    ++written;
  }
  return written;
}

}  // namespace hone
