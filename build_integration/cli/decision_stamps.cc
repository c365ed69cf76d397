#include "build_integration/cli/decision_stamps.h"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/governing_rules.h"
#include "common/policy/policy_json.h"

namespace hone {
namespace {

Result<std::string> stamp_name(const std::string& source) {
  const std::string_view parts = std::string_view(source).substr(source.starts_with('/') ? 1 : 0);
  for (const std::string_view part : split(parts, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return fail(ErrorCode::invalid_argument,
                  "source \"" + source + "\" has an empty, . or .. part");
    }
  }
  return (source.starts_with('/') ? "@" + source : source) + ".decision";
}

std::string stamp_text(const Policy& policy, std::string_view source) {
  const std::vector<Rule> rules = governing_rules(policy, source);
  if (rules.empty()) {
    return {};
  }
  std::string text = fmt::format("{} {}\n", policy.compiler.family, policy.compiler.major);
  for (const Rule& rule : rules) {
    text += dump_json(rule_to_json(rule)) + "\n";
  }
  return text;
}

}  // namespace

Result<std::size_t> write_decision_stamps(const Policy& policy,
                                          const std::vector<std::string>& sources,
                                          const std::filesystem::path& folder) {
  std::size_t written = 0;
  for (const std::string& source : sources) {
    HONE_TRY(const std::string name, stamp_name(source));
    HONE_TRY(const bool changed, write_file_if_changed(folder / name, stamp_text(policy, source)));
    written += changed ? 1 : 0;
  }
  return written;
}

}  // namespace hone
