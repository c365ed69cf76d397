#include "server/canaries/window_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr double kMostCount = 1e15;

std::optional<WindowOutcome> parse_outcome(std::string_view text) {
  for (const WindowOutcome outcome : kWindowOutcomes) {
    if (to_string(outcome) == text) {
      return outcome;
    }
  }
  return std::nullopt;
}

std::vector<double> number_list(ObjectReader& reader, const Json& list) {
  std::vector<double> numbers;
  for (const Json& number : list.is_array() ? list : Json::array()) {
    if (!number.is_number()) {
      reader.refuse("latencies", "must be a list of numbers");
      return {};
    }
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

// JSON has no infinity: an end that is not known is null.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(const SliJudgement& sli) {
  return {{"sli", std::string(to_string(sli.rule.sli))},
          {"finding", std::string(to_string(sli.finding))},
          {"baseline", finite(sli.baseline)},
          {"canary", finite(sli.canary)},
          {"reward",
           {{"value", finite(sli.reward.estimate)},
            {"low", finite(sli.reward.low)},
            {"high", finite(sli.reward.high)}}},
          {"tolerance", sli.rule.tolerance},
          {"floor", sli.rule.floor},
          {"detectable", finite(sli.detectable)},
          {"windows", sli.windows}};
}

}  // namespace

Json to_json(const GroupWindow& group) {
  Json document{{"outcome", std::string(to_string(group.outcome))}};
  if (group.outcome == WindowOutcome::ok) {
    document["requests"] = group.requests;
    document["failures"] = group.failures;
    document["cpu_seconds"] = group.cpu_seconds;
    document["latencies"] = group.latencies;
  }
  return document;
}

Result<GroupWindow> parse_group_window(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  GroupWindow group;
  group.outcome = reader.one_of("outcome", parse_outcome, "a window's outcomes");
  if (group.outcome == WindowOutcome::ok) {
    group.requests = reader.number("requests", 0, kMostCount);
    group.failures = reader.number("failures", 0, kMostCount);
    group.cpu_seconds = reader.number("cpu_seconds", 0, kMostCount);
    const Json* const counts = reader.require("latencies");
    group.latencies = counts != nullptr ? number_list(reader, *counts) : std::vector<double>();
  }
  if (auto error = problems.as_error("canary window")) {
    return *std::move(error);
  }
  return group;
}

Result<SliWindow> parse_window(const CanaryWindow& stored) {
  SliWindow window;
  window.start = stored.start;
  window.seconds = stored.seconds;
  HONE_TRY(window.baseline, parse_group_window(stored.baseline));
  HONE_TRY(window.canary, parse_group_window(stored.canary));
  return window;
}

Json to_json(const CanaryJudgement& judgement) {
  Json slis = Json::array();
  for (const SliJudgement& sli : judgement.slis) {
    slis.push_back(to_json(sli));
  }
  Json left_out = Json::object();
  for (const auto& [outcome, windows] : judgement.left_out) {
    left_out[std::string(to_string(outcome))] = windows;
  }
  return {{"finding", std::string(to_string(judgement.finding))},
          {"reason", judgement.reason},
          {"baseline_requests", judgement.baseline_requests},
          {"canary_requests", judgement.canary_requests},
          {"windows_left_out", std::move(left_out)},
          {"slis", std::move(slis)}};
}

Json to_json(const BudgetState& state, const ServedRequests& served) {
  return {{"requests", served.all},          {"bad", served.bad},
          {"bad_canary", served.bad_canary}, {"allowed", state.allowed},
          {"left_share", state.left_share},  {"spent", state.spent()}};
}

}  // namespace hone
