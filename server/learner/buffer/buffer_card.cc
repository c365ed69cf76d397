// Data cards of exports. Nothing of a machine is named but its processor.
#include <map>

#include <fmt/format.h>

#include "common/client/log_card.h"
#include "server/learner/buffer/buffer_export.h"
#include "server/learner/buffer/experience_stream.h"

namespace hone {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

constexpr std::size_t kMostListed = 50;
constexpr std::size_t kMostCounted = 100'000;

// Beyond so many different ones, only how often there were others.
void count(Counts& counts, const std::string& what) {
  const bool known = counts.contains(what) || counts.size() < kMostCounted;
  ++counts[known ? (what.empty() ? "(not known)" : what) : "(others)"];
}

// A cell: no line break and no '|' of its own.
std::string cell(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    plain += c == '|' || c == '\n' || c == '\r' ? ' ' : c;
  }
  return plain;
}

std::string table(std::string_view title, const Counts& counts) {
  std::string text = fmt::format("\n| {} | rows |\n| --- | --- |\n", title);
  std::size_t listed = 0;
  for (const auto& [what, number] : counts) {
    if (listed++ == kMostListed) {
      text += fmt::format("| and {} more | |\n", counts.size() - kMostListed);
      break;
    }
    text += fmt::format("| {} | {} |\n", cell(what), number);
  }
  return text;
}

struct Span {
  std::string first;
  std::string last;
  void add(const std::string& time) {
    if (first.empty() || time < first) {
      first = time;
    }
    last = std::max(last, time);
  }
};

}  // namespace

Result<std::string> experience_card(const std::filesystem::path& ndjson,
                                    const std::stop_token& stop) {
  Counts targets;
  Counts outcomes;
  Counts machines;
  Counts compilers;
  Counts baselines;
  std::uint64_t rows = 0;
  std::uint64_t rewards = 0;
  std::uint64_t propensities = 0;
  std::uint64_t decisions = 0;
  Span span;
  ExperienceStream stream({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(stream.read(
      [&](const Experience& row, std::string_view) -> Result<bool> {
        ++rows;
        rewards += row.reward ? 1 : 0;
        propensities += row.log_propensity ? 1 : 0;
        decisions += row.decisions.size();
        count(targets, row.target);
        count(outcomes, row.outcome);
        count(machines, fmt::format("{}, {} processors", row.cpu_model, row.cpus));
        count(compilers, row.compiler);
        count(baselines, row.baseline + ", " + row.stage);
        span.add(row.created_at);
        return true;
      },
      stop));
  std::string text = fmt::format(
      "# Experiences in {}\n\n"
      "{} rows, from {} to {}; the cursor behind them is `{}`. {} have a reward (the estimate and "
      "its interval of ln(T_baseline / T_candidate)), {} an exact propensity; {} decisions.\n\n"
      "A row whose outcome is not `ok` has a reason and no reward; one without verdict or with "
      "`no_change` and no reward gave the baseline's own binary. None of them is a reward of 0.\n",
      ndjson.filename().string(), rows, span.first.empty() ? "-" : span.first,
      span.last.empty() ? "-" : span.last, stream.cursor(), rewards, propensities, decisions);
  text += table("outcome", outcomes) + table("target", targets) +
          table("baseline, stage", baselines) + table("machine", machines) +
          table("compiler", compilers);
  return text;
}

Result<std::string> session_card(const std::filesystem::path& ndjson, const std::stop_token& stop) {
  LogCard card;
  SessionStepStream stream({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(stream.read(
      [&](const SessionStep&, std::string_view line) -> Result<bool> {
        HONE_CHECK(card.add(line));
        return true;
      },
      stop));
  return card.markdown();
}

}  // namespace hone
