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
#include "server/learner/zero_shot/choice_policy.h"
#include "server/learner/zero_shot/member_lab.h"
#include "server/learner/zero_shot/members.h"

namespace hone {
namespace {

struct ZeroShotOptions {
  std::string programs;
  std::string members;
  std::string work;
  std::string output;
  std::size_t sequence = 1;
  ChoicePolicySettings settings;
};

Result<std::vector<TrainedProgram>> measure_all(const LearnerContext& context,
                                                const ZeroShotOptions& options) {
  HONE_TRY(const std::vector<std::string> uris, read_program_list(options.programs));
  const auto say = [](std::string_view text) { fmt::print(stderr, "hone-learner: {}\n", text); };
  ProgramLoaderSettings loading;
  loading.debian_script = shared_file("debian_source.sh");
  loading.say = say;
  loading.stop = context.stop;
  HONE_TRY(ProgramLoader loader, ProgramLoader::create(std::move(loading)));
  HONE_TRY(MemberLab lab, MemberLab::create({options.work, {}, context.stop}));
  std::vector<ChoiceMember> members;
  for (const CandidateMember& candidate : options.settings.members) {
    members.push_back(candidate.member);
  }
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

Result<void> zero_shot(const LearnerContext& context, ZeroShotOptions options) {
  HONE_TRY(options.settings.members, read_members(options.members));
  HONE_TRY(const std::vector<TrainedProgram> programs, measure_all(context, options));
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  options.settings.made_by = "hone-learner " HONE_VERSION;
  options.settings.made_at = format_timestamp(now);
  HONE_TRY(Policy policy, make_choice_policy(programs, options.settings));
  policy.sequence = options.sequence;
  policy.created_at = now;
  HONE_CHECK(write_file_atomically(options.output, print_policy(policy) + "\n"));
  HONE_TRY(const Json card, parse_json(policy.card));
  for (const Json& depth : card.at("depths")) {
    fmt::print("depth {}: {:+.2f} % smaller where it was grown, {:+.2f} % on held-out families\n",
               depth.at("depth").get<int>(), 100 * depth.at("gain").get<double>(),
               100 * depth.at("gain_held_out").get<double>());
  }
  for (const Json& line : card.at("tree")) {
    fmt::print("{}\n", line.get<std::string>());
  }
  fmt::print("{}: a choice, {} training programs, {:+.2f} % smaller than -O3 to be expected\n",
             options.output, programs.size(), 100 * card.at("gain_expected").get<double>());
  return {};
}

}  // namespace

void add_zero_shot(CLI::App& app, LearnerContext& context) {
  CLI::App* const learning = app.add_subcommand(
      "zero-shot", "Make the general policy: a choice for products that nobody tuned");
  const auto options = std::make_shared<ZeroShotOptions>();
  learning->add_option("--programs", options->programs, "File of program URIs, one a line")
      ->required();
  learning->add_option("--members", options->members, "What may be chosen, a JSON file")
      ->required();
  learning->add_option("--work", options->work, "Folder of measurements; the same one goes on")
      ->required();
  learning->add_option("--output", options->output, "The policy, a JSON file")->required();
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
  learning->callback([&context, options] {
    context.action = [&context, options] { return zero_shot(context, *options); };
  });
}

}  // namespace hone
