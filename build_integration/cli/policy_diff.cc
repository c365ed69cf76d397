#include "build_integration/cli/policy_diff.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "common/base/printable.h"
#include "common/base/text.h"

namespace hone {
namespace {

// Lengths of the longest common subsequences of the tails, the usual quadratic table. Policies of
// thousands of rules that share neither head nor tail are rare, so both are cut off first.
std::vector<std::vector<std::size_t>> common_lengths(const std::vector<std::string>& a,
                                                     const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                              std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      table[i][j] =
          a[i] == b[j] ? table[i + 1][j + 1] + 1 : std::max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

std::vector<std::string> lines_of(const std::vector<Rule>& rules) {
  std::vector<std::string> lines;
  lines.reserve(rules.size());
  for (const Rule& rule : rules) {
    lines.push_back(rule_line(rule));
  }
  return lines;
}

void cut_common_ends(std::vector<std::string>& a, std::vector<std::string>& b) {
  const auto [a_from, b_from] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  a.erase(a.begin(), a_from);
  b.erase(b.begin(), b_from);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
}

std::string compiler_text(const CompilerScope& compiler) {
  return fmt::format("{} {}", compiler.family, compiler.major);
}

}  // namespace

std::string rule_line(const Rule& rule) {
  std::string text =
      fmt::format("{} [{}]  {}", rule.source, join(rule.levels, " "), rule.decision.pipeline);
  for (const Knob& knob : rule.decision.knobs) {
    text += fmt::format(" -{}={}", knob.name, knob.value);
  }
  if (!rule.decision.choice.empty()) {
    text += "  choice " + rule.decision.choice;
  }
  if (!rule.output.empty()) {
    text += "  output " + rule.output;
  }
  if (!rule.option_fingerprint.empty()) {
    text += "  options " + rule.option_fingerprint;
  }
  if (rule.on_source_change == OnSourceChange::plain) {
    text += "  plain unless source is " + rule.source_hash;
  }
  return printable(text);
}

std::string print_policy_diff(const Policy& before, const Policy& after) {
  std::string text;
  if (before.compiler.family != after.compiler.family ||
      before.compiler.major != after.compiler.major) {
    text += fmt::format("- compiler {}\n+ compiler {}\n", compiler_text(before.compiler),
                        compiler_text(after.compiler));
  }
  if (before.expires_at != after.expires_at) {
    text += fmt::format("- expires_at {}\n+ expires_at {}\n", before.expires_at, after.expires_at);
  }
  std::vector<std::string> a = lines_of(before.rules);
  std::vector<std::string> b = lines_of(after.rules);
  cut_common_ends(a, b);
  const auto table = common_lengths(a, b);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (i < a.size() && (j == b.size() || table[i + 1][j] >= table[i][j + 1])) {
      text += "- " + a[i++] + "\n";
    } else {
      text += "+ " + b[j++] + "\n";
    }
  }
  return text;
}

}  // namespace hone
