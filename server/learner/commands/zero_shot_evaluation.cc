// hone-learner zero-shot --evaluate
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/printable.h"
#include "common/base/text.h"
#include "common/json/document.h"
#include "common/policy/policy_json.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/commands/zero_shot_options.h"

namespace hone {
namespace {

constexpr std::size_t kMaxPolicyBytes = std::size_t{16} << 20U;

Result<ChoiceModel> choice_for(const Policy& policy, const ZeroShotOptions& options) {
  const std::vector<std::string> levels = {options.settings.level};
  const auto rule = std::ranges::find(policy.rules, levels, &Rule::levels);
  if (rule == policy.rules.end() || rule->decision.choice.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("{} has no choice for -{}", options.evaluate, options.settings.level));
  }
  ChoiceModel model;
  if (const std::string wrong = parse_choice(rule->decision.choice, model); !wrong.empty()) {
    return fail(ErrorCode::invalid_argument, options.evaluate + ": " + wrong);
  }
  return model;
}

Result<void> check_unseen(const Policy& policy, const ZeroShotOptions& options,
                          const std::vector<std::string>& uris) {
  HONE_TRY(const Json card, parse_json(policy.card.empty() ? "{}" : policy.card));
  const Json programs =
      card.value(Json::json_pointer("/levels/" + options.settings.level + "/programs"), Json());
  if (!programs.is_array()) {
    return fail(ErrorCode::invalid_argument,
                options.evaluate + " has no card that says what it was trained on");
  }
  std::set<std::string> seen;
  for (const Json& uri : programs) {
    seen.insert(family_of(uri.is_string() ? uri.get<std::string>() : ""));
  }
  for (const std::string& uri : uris) {
    if (seen.contains(family_of(uri))) {
      return fail(ErrorCode::conflict,
                  fmt::format("{} was trained on the family of {}", options.evaluate, uri));
    }
  }
  return {};
}

}  // namespace

Result<Policy> read_choice_policy(const std::string& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxPolicyBytes));
  Result<ParsedPolicy> read = parse_policy(text);
  if (!read) {
    return read.error().within(file);
  }
  return std::move(read->policy);
}

Result<void> evaluate_choice(const LearnerContext& context, const ZeroShotOptions& options) {
  HONE_TRY(const Policy policy, read_choice_policy(options.evaluate));
  HONE_TRY(const ChoiceModel model, choice_for(policy, options));
  HONE_TRY(const std::vector<std::string> uris, read_program_list(options.programs));
  HONE_CHECK(check_unseen(policy, options, uris));
  HONE_TRY(const std::vector<TrainedProgram> programs,
           measure_members(context, options, model.members));
  std::map<std::string, std::pair<double, double>> families;  // sum of ln, programs
  double sum = 0;
  std::size_t smaller = 0;
  std::size_t larger = 0;
  std::size_t failed = 0;
  for (const TrainedProgram& program : programs) {
    const std::uint32_t member = choose_member(model, program.results.features);
    const std::int64_t own = program.results.members[0].text_bytes;
    std::int64_t made = program.results.members[member].text_bytes;
    failed += made == 0 ? 1 : 0;
    made = made == 0 ? own : made;  // the launcher's plain command
    const double gain = std::log(static_cast<double>(own) / static_cast<double>(made));
    const double change = 100.0 * static_cast<double>(made - own) / static_cast<double>(own);
    sum += gain;
    smaller += made < own ? 1 : 0;
    larger += made > own ? 1 : 0;
    auto& [total, count] = families[family_of(program.uri)];
    total += gain;
    ++count;
    fmt::print("{:<64} {:>8} {:>8}  member {}  {:+.2f} %\n", printable(program.uri), own, made,
               member, change);
  }
  if (programs.empty()) {
    return fail(ErrorCode::invalid_argument, "none of the programs could be compiled");
  }
  double by_family = 0;
  for (const auto& [family, total] : families) {
    by_family += total.first / total.second / static_cast<double>(families.size());
  }
  fmt::print(
      "{} programs of {} families at -{}: {} smaller, {} larger, {} failed; bytes of code "
      "{:+.2f} % (families weighing alike {:+.2f} %)\n",
      programs.size(), families.size(), options.settings.level, smaller, larger, failed,
      100 * std::expm1(-sum / static_cast<double>(programs.size())), 100 * std::expm1(-by_family));
  return {};
}

}  // namespace hone
