#include "build_integration/cli/markdown_report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"

namespace hone {
namespace {

constexpr std::size_t kMaxRows = 50;
// A comment holds 65,536 characters: of many candidates each has less room.
constexpr std::size_t kMaxCell = 160;
constexpr std::size_t kFewRows = 5;
constexpr std::size_t kMaxCellOfFew = 1000;

std::string markdown_text(std::string_view text, std::size_t most = kMaxCell) {
  const std::string plain = clipped(printable(text), most);
  std::string escaped;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    const std::string_view rest = std::string_view(plain).substr(i);
    switch (c) {
      case ':':  // GitHub makes links of what looks like one
        escaped += rest.starts_with("://") ? "&#58;" : ":";
        break;
      case '.':
        escaped += i >= 3 && std::string_view(plain).substr(i - 3, 3) == "www" ? "&#46;" : ".";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '@':
        escaped += "&#64;";
        break;
      case '#':  // of an issue
        escaped += "&#35;";
        break;
      case '\\':
      case '|':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '~':
      case '!':
      case '$':
        escaped += '\\';
        escaped += c;
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string row_of(const ReportCase& one, std::size_t most) {
  const std::string name =
      markdown_text(one.note.empty() ? one.name : one.name + ", " + one.note, most);
  const std::string verdict = one.reward.empty() ? one.summary() : one.kind;
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", one.wins ? "**" + name + "**" : name,
                     one.reward.empty() ? "–" : one.reward, markdown_text(one.interval),
                     one.reward.empty() ? "" : std::to_string(one.pairs), one.stage,
                     markdown_text(verdict, most));
}

}  // namespace

std::string markdown_report(const ReportSuite& suite) {
  std::string text = fmt::format(
      "<!-- hone {} -->\n**{}**: {}\n\n"
      "| Candidate | Reward | 95 % interval | Pairs | Stage | Verdict or failure |\n"
      "| --- | ---: | --- | ---: | --- | --- |\n",
      markdown_text(suite.target), markdown_text(suite.target),
      markdown_text(suite.conclusion, kMaxCellOfFew));
  const std::size_t shown = std::min(suite.cases.size(), kMaxRows);
  for (std::size_t i = 0; i < shown; ++i) {
    text += row_of(suite.cases[i], shown <= kFewRows ? kMaxCellOfFew : kMaxCell);
  }
  if (shown < suite.cases.size()) {
    text += fmt::format("\n{} more are in `hone report`.\n", suite.cases.size() - shown);
  }
  return text + fmt::format("\n{} passed, {} failed, {} not measurable, {} without a result.\n",
                            suite.count(CaseEnd::passed), suite.count(CaseEnd::failed),
                            suite.count(CaseEnd::error), suite.count(CaseEnd::skipped));
}

}  // namespace hone
