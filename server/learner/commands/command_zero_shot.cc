// hone-learner zero-shot
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "common/json/document.h"
#include "common/policy/policy_json.h"
#include "common/policy/timestamp.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/commands/zero_shot_options.h"
#include "server/learner/zero_shot/member_lab.h"
#include "server/learner/zero_shot/members.h"

namespace hone {
namespace {

// At the others people ask for small code.
bool is_for_time(std::string_view level) {
  return level == "O2" || level == "O3";
}

Result<void> zero_shot(const LearnerContext& context, ZeroShotOptions options) {
  if (!options.evaluate.empty()) {
    return evaluate_choice(context, options);
  }
  if (options.members.empty() || options.output.empty()) {
    return fail(ErrorCode::invalid_argument,
                "a policy is made of --members, to --output; or one is looked at: --evaluate");
  }
  HONE_TRY(options.settings.members, read_members(options.members, options.settings.level));
  std::vector<ChoiceMember> members;
  for (const CandidateMember& candidate : options.settings.members) {
    members.push_back(candidate.member);
  }
  HONE_TRY(const std::vector<TrainedProgram> programs, measure_members(context, options, members));
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (is_for_time(options.settings.level)) {
    options.settings.most_instructions = options.instructions;
  }
  options.settings.objective =
      fmt::format("bytes of code of the object at -{}{}", options.settings.level,
                  is_for_time(options.settings.level) ? ", at no loss of run time" : "");
  options.settings.made_by = "hone-learner " HONE_VERSION;
  options.settings.made_at = format_timestamp(now);
  HONE_TRY(Policy policy, make_choice_policy(programs, options.settings));
  HONE_TRY(const Json own_card, parse_json(policy.card));
  const Json& card = own_card.at("levels").at(options.settings.level);
  if (!options.into.empty()) {
    HONE_TRY(const Policy kept, read_choice_policy(options.into));
    Result<Policy> joined = with_other_levels(std::move(policy), kept);
    if (!joined) {
      return joined.error().within(options.into);
    }
    policy = *std::move(joined);
  }
  policy.sequence = options.sequence;
  policy.created_at = now;
  HONE_CHECK(write_file_atomically(options.output, print_policy(policy) + "\n"));
  for (const Json& depth : card.at("depths")) {
    fmt::print("depth {}: {:+.2f} % smaller where it was grown, {:+.2f} % on held-out families\n",
               depth.at("depth").get<int>(), 100 * depth.at("gain").get<double>(),
               100 * depth.at("gain_held_out").get<double>());
  }
  for (const Json& line : card.at("tree")) {
    fmt::print("{}\n", line.get<std::string>());
  }
  fmt::print("{}: a choice, {} training programs, {:+.2f} % smaller than -{} to be expected\n",
             options.output, programs.size(), 100 * card.at("gain_expected").get<double>(),
             options.settings.level);
  return {};
}

}  // namespace

Result<std::vector<TrainedProgram>> measure_members(const LearnerContext& context,
                                                    const ZeroShotOptions& options,
                                                    const std::vector<ChoiceMember>& members) {
  HONE_TRY(const std::vector<std::string> uris, read_program_list(options.programs));
  const auto say = [](std::string_view text) { fmt::print(stderr, "hone-learner: {}\n", text); };
  ProgramLoaderSettings loading;
  loading.debian_script = shared_file("debian_source.sh");
  loading.say = say;
  loading.stop = context.stop;
  // For -O3 programs are taken as everywhere: as their own flags have them.
  loading.level = options.settings.level == "O3" ? "" : options.settings.level;
  HONE_TRY(ProgramLoader loader, ProgramLoader::create(std::move(loading)));
  HONE_TRY(MemberLab lab,
           MemberLab::create({options.work, {}, options.settings.level, context.stop}));
  std::vector<TrainedProgram> programs;
  for (const std::string& uri : uris) {
    Result<LabResults> results = lab.measure(loader, uri, members);
    if (results) {
      programs.push_back({uri, *std::move(results)});
    } else if (context.stop.stop_requested() || results.error().code == ErrorCode::not_found ||
               results.error().code == ErrorCode::unavailable) {
      return results.error();
    } else {
      say(uri + " is left out: " + results.error().describe());
    }
  }
  return programs;
}

void add_zero_shot(CLI::App& app, LearnerContext& context) {
  CLI::App* const learning = app.add_subcommand(
      "zero-shot", "Make the general policy: a choice for products that nobody tuned");
  const auto options = std::make_shared<ZeroShotOptions>();
  learning->add_option("--programs", options->programs, "File of program URIs, one a line")
      ->required();
  learning->add_option("--members", options->members, "What may be chosen, a JSON file");
  learning->add_option("--work", options->work, "Folder of measurements; the same one goes on")
      ->required();
  learning->add_option("--output", options->output, "The policy, a JSON file");
  learning->add_option("--evaluate", options->evaluate,
                       "Instead: what this policy makes of programs of families that it has not "
                       "seen, bytes of code");
  learning->add_option("--level", options->settings.level, "Of the compiles that the choice is for")
      ->check(CLI::IsMember({"O2", "O3", "Os", "Oz"}))
      ->capture_default_str();
  learning->add_option("--into", options->into,
                       "A general policy whose choices for other levels are taken over");
  learning->add_option("--sequence", options->sequence, "The policy's")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40U))
      ->capture_default_str();
  learning->add_option("--depth", options->settings.most_depth, "Splits to a leaf, at most")
      ->check(CLI::Range(std::size_t{0}, std::size_t{8}))
      ->capture_default_str();
  learning
      ->add_option("--compile-time", options->settings.most_compile_time,
                   "Median compile time of a member, in plain compiles, at most")
      ->check(CLI::Range(1.0, 10.0))
      ->capture_default_str();
  learning
      ->add_option("--instructions", options->instructions,
                   "O2, O3: a member's largest change of instructions on what it was screened on "
                   "(ln), at most; one that was not is left out")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  learning->callback([&context, options] {
    context.action = [&context, options] { return zero_shot(context, *options); };
  });
}

}  // namespace hone
