#include "server/learner/buffer/experience_features.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "server/learner/buffer/experience_stream.h"

namespace hone {
namespace {

constexpr std::size_t kMost = 4096;
constexpr std::array<std::string_view, 3> kBaselines{"own", "O3", "Oz"};

std::optional<double> knob_value(const Json& value) {
  if (!value.is_string()) {
    return std::nullopt;
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text == "true" || text == "false") {
    return text == "true" ? 1 : 0;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<std::vector<RuleKnob>> knobs_of_rules(const std::string& rules) {
  std::vector<RuleKnob> knobs;
  if (rules.empty()) {
    return knobs;
  }
  HONE_TRY(const Json document, parse_json(rules));
  if (!document.is_array()) {
    return fail(ErrorCode::invalid_argument, "rules are no list");
  }
  for (const Json& rule : document) {
    const auto found = rule.is_object() ? rule.find("knobs") : rule.end();
    if (!rule.is_object() || found == rule.end() || !found->is_object()) {
      continue;
    }
    for (const auto& [name, value] : found->items()) {
      if (const std::optional<double> number = knob_value(value)) {
        knobs.push_back({name, *number});
      }
    }
  }
  return knobs;
}

Result<ExperienceFeatures> ExperienceFeatures::of_file(const std::filesystem::path& ndjson,
                                                       const std::stop_token& stop) {
  std::set<std::string> targets;
  std::set<std::string> knobs;
  ExperienceStream rows({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(rows.read(
      [&](const Experience& row, std::string_view) -> Result<bool> {
        targets.insert(row.target);
        HONE_TRY(const std::vector<RuleKnob> set, knobs_of_rules(row.rules));
        for (const RuleKnob& knob : set) {
          knobs.insert(knob.name);
        }
        if (targets.size() > kMost || knobs.size() > kMost) {
          return fail(ErrorCode::too_large,
                      fmt::format("there are more than {} targets or knobs: export them as "
                                  "--format ndjson",
                                  kMost));
        }
        return true;
      },
      stop));
  ExperienceFeatures features;
  features.targets_.assign(targets.begin(), targets.end());
  features.knobs_.assign(knobs.begin(), knobs.end());
  return features;
}

std::vector<std::string> ExperienceFeatures::context_names() const {
  std::vector<std::string> names;
  for (const std::string& target : targets_) {
    names.push_back("target=" + target);
  }
  for (const std::string_view baseline : kBaselines) {
    names.push_back(fmt::format("baseline={}", baseline));
  }
  names.insert(names.end(), {"stage=confirm", "source=production", "ln(1+objects)",
                             "ln(1+objects that rules govern)"});
  return names;
}

std::vector<double> ExperienceFeatures::context(const Experience& row) const {
  std::vector<double> numbers;
  numbers.reserve(targets_.size() + kBaselines.size() + 4);
  for (const std::string& target : targets_) {
    numbers.push_back(target == row.target ? 1 : 0);
  }
  for (const std::string_view baseline : kBaselines) {
    numbers.push_back(baseline == row.baseline ? 1 : 0);
  }
  numbers.push_back(row.stage == "confirm" ? 1 : 0);
  numbers.push_back(row.source == "production" ? 1 : 0);
  numbers.push_back(std::log1p(static_cast<double>(row.decisions.size())));
  numbers.push_back(std::log1p(
      static_cast<double>(std::ranges::count(row.decisions, true, &ExperienceDecision::meant))));
  return numbers;
}

std::vector<std::string> ExperienceFeatures::knob_names() const {
  std::vector<std::string> names;
  for (const std::string& knob : knobs_) {
    names.push_back("knob " + knob);
  }
  return names;
}

Result<std::vector<double>> ExperienceFeatures::knobs(const Experience& row) const {
  HONE_TRY(const std::vector<RuleKnob> set, knobs_of_rules(row.rules));
  std::vector<double> numbers(knobs_.size(), -1);
  for (std::size_t i = 0; i < knobs_.size(); ++i) {
    const auto found = std::ranges::find(set, knobs_[i], &RuleKnob::name);
    numbers[i] = found == set.end() ? -1 : found->value;
  }
  return numbers;
}

}  // namespace hone
