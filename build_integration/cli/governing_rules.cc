#include "build_integration/cli/governing_rules.h"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/pipelines/forest.h"
#include "common/policy/decision_files.h"
#include "common/policy/index.h"
#include "common/policy/level.h"
#include "common/policy/policy_json.h"

namespace hone {
namespace {

constexpr std::string_view kDecisionSuffix = ".hone";

bool is_plain(const Rule& rule) {
  return is_default(rule.decision.pipeline) && rule.decision.knobs.empty();
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

std::vector<Rule> governing_rules(const Policy& policy, std::string_view source) {
  std::vector<Rule> rules;
  std::uint32_t decided = 0;  // levels at which an earlier rule always matches
  for (const Rule& rule : policy.rules) {
    if (!matches_glob(rule.source, source)) {
      continue;
    }
    const auto is_open = [decided](const std::string& level) {
      return (level_bit(level).value_or(0) & ~decided) != 0;
    };
    Rule own = rule;
    own.source = source;
    std::erase_if(own.levels, [&](const std::string& level) { return !is_open(level); });
    if (own.levels.empty()) {
      continue;
    }
    if (own.output.empty() && own.option_fingerprint.empty()) {
      for (const std::string& level : own.levels) {
        decided |= level_bit(level).value_or(0);
      }
    }
    rules.push_back(std::move(own));
  }
  while (!rules.empty() && is_plain(rules.back())) {
    rules.pop_back();
  }
  return rules;
}

Result<bool> write_if_changed(const std::filesystem::path& path, std::string_view content) {
  const Result<std::string> old = read_file(path, content.size());
  if (old.has_value() && *old == content) {
    return false;
  }
  std::error_code failure;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), failure);
  }
  if (failure) {
    return system_error("cannot make " + path.parent_path().string(), failure.value());
  }
  HONE_CHECK(write_file_atomically(path, content));
  return true;
}

Result<std::size_t> write_source_decisions(const Policy& policy, std::vector<std::string> sources,
                                           const std::filesystem::path& folder) {
  HONE_CHECK(compile_index(policy));  // as a whole first: all files or none
  HONE_TRY(const std::vector<std::string> present, sources_in(folder));
  sources.insert(sources.end(), present.begin(), present.end());
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  std::size_t written = 0;
  for (const std::string& source : sources) {
    Policy own = {};
    own.compiler = policy.compiler;
    own.cpu_limit_seconds = policy.cpu_limit_seconds;
    own.rules = governing_rules(policy, source);
    HONE_TRY(const std::size_t changed, write_decision_files(own, {source}, folder));
    written += changed;
  }
  return written;
}

Result<std::size_t> write_decision_stamps(const Policy& policy,
                                          const std::vector<std::string>& sources,
                                          const std::filesystem::path& folder) {
  std::size_t written = 0;
  for (const std::string& source : sources) {
    HONE_TRY(const std::string name, stamp_name(source));
    HONE_TRY(const bool changed, write_if_changed(folder / name, stamp_text(policy, source)));
    written += changed ? 1 : 0;
  }
  return written;
}

}  // namespace hone
