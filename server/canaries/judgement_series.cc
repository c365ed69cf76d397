#include "server/canaries/judgement_series.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

constexpr double kMilliseconds = 1000;

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json empty_table(std::initializer_list<const char*> columns) {
  Json table{{"rows", 0}, {"columns", Json::object()}};
  for (const char* const column : columns) {
    table["columns"][column] = Json::array();
  }
  return table;
}

void add_group(Json& columns, const std::string& group, const GroupWindow& window) {
  const bool known = window.outcome == WindowOutcome::ok;
  columns[group].push_back(std::string(to_string(window.outcome)));
  columns[group + "_requests"].push_back(known ? Json(window.requests) : Json());
  columns[group + "_failures"].push_back(known ? Json(window.failures) : Json());
}

bool is_told(SliFinding finding) {
  return finding != SliFinding::no_data && finding != SliFinding::insufficient_traffic;
}

// What one window alone says of an indicator, and all until then, where they were judged.
void add_ratio(Json& columns, std::size_t number, const SliRule& rule, const WindowSeries& series,
               const SliJudgement* judged) {
  const SliWindow& window = series.windows[number];
  const double nothing = std::nan("");
  const bool told = window.ok() && !series.bounds.empty();
  const double baseline = told ? sli_value(rule.sli, series.bounds, window.baseline) : nothing;
  const double canary = told ? sli_value(rule.sli, series.bounds, window.canary) : nothing;
  const bool known = judged != nullptr && is_told(judged->finding);
  columns["window"].push_back(number);
  columns["sli"].push_back(std::string(to_string(rule.sli)));
  columns["baseline"].push_back(number_or_null(baseline));
  columns["canary"].push_back(number_or_null(canary));
  columns["own"].push_back(number_or_null(relative_reward(rule.sli, baseline, canary)));
  columns["value"].push_back(known ? number_or_null(judged->reward.estimate) : Json());
  columns["low"].push_back(known ? number_or_null(judged->reward.low) : Json());
  columns["high"].push_back(known ? number_or_null(judged->reward.high) : Json());
  columns["detectable"].push_back(known ? number_or_null(judged->detectable) : Json());
  columns["finding"].push_back(judged != nullptr ? Json(std::string(to_string(judged->finding)))
                                                 : Json());
}

}  // namespace

Json windows_table(std::span<const CanaryWindow> stored, const WindowSeries& series,
                   std::size_t from) {
  Json table = empty_table({"number", "start", "seconds", "share", "baseline", "baseline_requests",
                            "baseline_failures", "canary", "canary_requests", "canary_failures"});
  Json& columns = table["columns"];
  for (std::size_t i = from; i < stored.size(); ++i) {
    columns["number"].push_back(stored[i].number);
    columns["start"].push_back(std::floor(stored[i].start * kMilliseconds));
    columns["seconds"].push_back(stored[i].seconds);
    columns["share"].push_back(stored[i].share);
    add_group(columns, "baseline", series.windows[i].baseline);
    add_group(columns, "canary", series.windows[i].canary);
  }
  table["rows"] = columns["number"].size();
  return table;
}

Result<Json> ratios_table(std::span<const SliRule> rules, const WindowSeries& series,
                          std::size_t from, std::size_t most_judged) {
  Json table = empty_table({"window", "sli", "baseline", "canary", "own", "value", "low", "high",
                            "detectable", "finding"});
  const JudgeSettings settings{.rules = {rules.begin(), rules.end()}};
  const std::size_t end = series.windows.size();
  const std::size_t step = from < end ? (end - from + most_judged - 1) / most_judged : 1;
  for (std::size_t i = from; i < end; ++i) {
    CanaryJudgement judgement;
    if ((end - 1 - i) % step == 0 && !series.bounds.empty()) {
      const std::span<const SliWindow> until(series.windows.data(), i + 1);
      HONE_TRY(judgement, judge_canary(series.bounds, until, settings));
    }
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      add_ratio(table["columns"], i, rules[rule], series,
                rule < judgement.slis.size() ? &judgement.slis[rule] : nullptr);
    }
  }
  table["rows"] = table["columns"]["window"].size();
  return table;
}

}  // namespace hone
