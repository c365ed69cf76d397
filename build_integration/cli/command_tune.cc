// hone tune: everything from a source tree to a confirmed policy, in one command.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/budget.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/fetch_report.h"
#include "build_integration/cli/first_candidates.h"
#include "build_integration/cli/idle_workers.h"
#include "build_integration/cli/learner_process.h"
#include "build_integration/cli/progress.h"
#include "build_integration/cli/register_target.h"
#include "build_integration/cli/terminal.h"
#include "build_integration/cli/warm_start.h"
#include "build_integration/cli/winner_files.h"
#include "common/protocol/campaign.h"

namespace hone {
namespace {

struct TuneOptions {
  TargetOptions target;
  std::string budget;
  std::uint64_t seed = 1;
  std::string baseline = "O3";
  std::string output = ".";
  std::int64_t priority = 0;
  std::string proposer = "learner";
  bool cold = false;
};

// How many candidates of the last campaign are tried again before anything else.
constexpr std::size_t kCarriedOverAtMost = 6;
// Of a time's budget, drawn blindly before the learner goes on.
constexpr std::size_t kBlindOfATime = 24;
// A learner that is silent for so long has died, and the campaign goes on with what it has.
constexpr std::int64_t kProposingSeconds = 600;

// Whether sets follow the first one.
bool is_learning(const TuneOptions& options, const Budget& budget) {
  return options.proposer == "learner" &&
         (!budget.candidates || blind_share(static_cast<std::size_t>(*budget.candidates)) <
                                    static_cast<std::size_t>(*budget.candidates));
}

// A time budget does not say how many candidates it is good for: so many that it is the time that
// ends the race, at a candidate a second or slower.
std::size_t candidates_for(const Budget& budget, bool learning) {
  if (learning) {
    return budget.candidates ? blind_share(static_cast<std::size_t>(*budget.candidates))
                             : kBlindOfATime;
  }
  if (budget.candidates) {
    return static_cast<std::size_t>(*budget.candidates);
  }
  return static_cast<std::size_t>(std::clamp<std::int64_t>(budget.seconds.value_or(0), 12, 2000));
}

ProgressStyle progress_style(const CommandContext& context) {
  if (context.json) {
    return ProgressStyle::events;
  }
  return is_terminal(STDERR_FILENO) ? ProgressStyle::terminal : ProgressStyle::lines;
}

Result<CampaignView> create_campaign(const Client& client, const TuneOptions& options,
                                     const TargetSpec& target, const Budget& budget,
                                     BaselineKind baseline) {
  CampaignRequest request;
  request.target = target.name;
  request.budget_candidates = budget.candidates;
  request.budget_seconds = budget.seconds;
  request.seed = options.seed;
  request.baseline = baseline;
  request.priority = options.priority;
  if (is_learning(options, budget)) {
    request.proposing_seconds = kProposingSeconds;
  }
  HONE_TRY(const Json answer, client.post("/v1/campaigns", to_json(request), once()));
  return parse_campaign_view(answer);
}

// The newest campaign of the target that came to its end against the same baseline; nothing if
// there is none.
Result<std::optional<CampaignReport>> last_campaign(const Client& client, const TargetSpec& target,
                                                    BaselineKind baseline) {
  constexpr std::size_t kLooked = 20;
  HONE_TRY(const std::vector<Json> items,
           list_pages(client, "/v1/campaigns?state=finished&target=" + percent_encode(target.name),
                      kLooked));
  for (const Json& item : items) {
    HONE_TRY(const CampaignView campaign, parse_campaign_view(item));
    if (campaign.baseline == baseline) {
      HONE_TRY(CampaignReport report, fetch_report(client, campaign.id));
      return std::optional<CampaignReport>(std::move(report));
    }
  }
  return std::optional<CampaignReport>();
}

// What the last campaign found, then what is drawn blindly.
Result<CandidateSet> first_set(const CampaignView& campaign, const TargetSpec& target,
                               const std::filesystem::path& folder, const TuneOptions& options,
                               std::size_t count, const std::optional<CampaignReport>& last) {
  std::vector<Candidate> carried;
  if (last) {
    carried = carried_over(*last, std::min(kCarriedOverAtMost, count));
  }
  const std::size_t blind = count - carried.size();
  CandidateSet set;
  if (blind > 0) {
    HONE_TRY(set, first_candidates(target, folder, campaign.baseline, blind, options.seed));
  } else {
    set.generator = "hone tune";
    set.seed = options.seed;
  }
  if (!carried.empty()) {
    set.scheme = fmt::format("{} of campaign {}, for certain. {}", carried.size(),
                             last->campaign.id, set.scheme);
    set.candidates.insert(set.candidates.begin(), carried.begin(), carried.end());
  }
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    set.candidates[i].index = static_cast<std::int64_t>(i);
  }
  return set;
}

// A campaign without candidates would wait for ever: it is cancelled when they cannot be posted.
Result<void> propose(const Client& client, const CampaignView& campaign, const TargetSpec& target,
                     const TuneOptions& options, const Budget& budget,
                     const std::optional<CampaignReport>& last) {
  std::error_code ignored_error;
  const std::filesystem::path folder =
      std::filesystem::is_directory(options.target.source, ignored_error) ? options.target.source
                                                                          : "";
  RequestOptions patient;
  patient.timeout = std::chrono::minutes(2);
  const auto post = [&]() -> Result<void> {
    HONE_TRY(const CandidateSet set,
             first_set(campaign, target, folder, options,
                       candidates_for(budget, is_learning(options, budget)), last));
    HONE_TRY(const Json answer,
             client.post(fmt::format("/v1/campaigns/{}/candidate-sets", campaign.id), to_json(set),
                         patient));
    static_cast<void>(answer);
    return {};
  };
  Result<void> posted = post();
  if (!posted) {
    const Result<CampaignView> ignored = cancel_campaign(client, campaign.id);
    static_cast<void>(ignored);
  }
  return posted;
}

// As many as the workers that are there race at once.
std::size_t generation_size(const Client& client) {
  std::size_t slots = 0;
  if (const Result<std::vector<WorkerView>> workers = get_workers(client)) {
    for (const WorkerView& worker : *workers) {
      slots += static_cast<std::size_t>(worker.slots);
    }
  }
  return kCandidatesOfAHeat * std::clamp<std::size_t>(slots, 1, 16);
}

// Nothing where the set that is there is all: that is said, since it changes what can be found.
std::optional<LearnerProcess> start_learner(const CommandContext& context, const Client& client,
                                            const CampaignView& campaign) {
  Result<LearnerProcess> learner =
      LearnerProcess::start(context, campaign.id, generation_size(client));
  if (learner.has_value()) {
    return *std::move(learner);
  }
  fmt::print(stderr, "hone: no candidates but the first ones: {}\n", learner.error().describe());
  close_campaign(client, campaign.id);
  return std::nullopt;
}

// Follows the campaign to its end; Ctrl-C cancels it and keeps what was measured.
Result<CampaignView> follow(const CommandContext& context, const Client& client,
                            const CampaignView& campaign, std::optional<LearnerProcess> learner) {
  Progress progress(progress_style(context));
  IdleWatch idle;
  const auto start = std::chrono::steady_clock::now();
  const auto see = [&](const CampaignView& view) {
    const auto now = std::chrono::steady_clock::now();
    if (idle.is_time(view, now)) {
      // An answer that does not come is no reason to stop waiting for the campaign.
      const Result<std::vector<WorkerView>> workers = get_workers(client);
      for (const std::string& reason : idle.news(workers ? waiting_reasons(*workers, view.target)
                                                         : std::vector<std::string>())) {
        progress.note(reason);
      }
    }
    const std::optional<std::string> silent = learner ? learner->failure() : std::nullopt;
    if (silent && !is_over(view)) {
      progress.note(*silent + "; the campaign goes on with the candidates it has");
      close_campaign(client, campaign.id);
    }
    progress.update(view, std::chrono::duration_cast<std::chrono::seconds>(now - start));
  };
  Result<CampaignView> over = wait_for_campaign(client, campaign.id, see, context.stop);
  if (over || over.error().code != ErrorCode::cancelled || !context.stop.stop_requested()) {
    return over;
  }
  progress.note("cancelling; what was measured is kept (Ctrl-C again leaves at once)");
  return cancel_campaign(client, campaign.id);
}

Result<int> conclude(const CommandContext& context, const Client& client,
                     const TuneOptions& options, const CampaignView& campaign,
                     const std::optional<CampaignReport>& last) {
  HONE_TRY(const CampaignReport report, fetch_report(client, campaign.id));
  const std::optional<std::string> drift = last ? drift_text(report, *last) : std::nullopt;
  std::optional<WinnerFiles> files;
  if (report.campaign.policy_version) {
    HONE_TRY(files, write_winner(client, report.campaign, options.output));
  }
  if (context.json) {
    Json event = report_to_json(report);
    event["event"] = "report";
    event["policy"] = files ? Json(files->document.string()) : Json(nullptr);
    event["index"] = files ? Json(files->index.string()) : Json(nullptr);
    event["drift"] = drift ? Json(*drift) : Json(nullptr);
    print(dump_json(event) + "\n");
    return exit_status(report.campaign);
  }
  print(print_report(report));
  if (drift) {
    print(*drift + "\n");
  }
  if (files) {
    std::error_code ignored;
    const std::filesystem::path root =
        std::filesystem::is_directory(options.target.source, ignored)
            ? std::filesystem::canonical(options.target.source, ignored)
            : std::filesystem::path("<source root>");
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    print("\n" + usage_text(*files, root, self.parent_path() / "hone-cc"));
  }
  return exit_status(report.campaign);
}

Result<int> tune(const CommandContext& context, const TuneOptions& options) {
  HONE_TRY(const Budget budget, parse_budget(options.budget));
  const std::optional<BaselineKind> baseline = parse_baseline_kind(options.baseline);
  if (!baseline) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--baseline is one of {}", kBaselineKindChoices));
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const TargetSpec target, register_target(client, options.target, context.stop));
  std::optional<CampaignReport> last;
  if (!options.cold) {
    HONE_TRY(last, last_campaign(client, target, *baseline));
  }
  HONE_TRY(const CampaignView campaign,
           create_campaign(client, options, target, budget, *baseline));
  HONE_CHECK(propose(client, campaign, target, options, budget, last));
  if (!context.json) {
    fmt::print(stderr, "{}: campaign {}\n", target.name, campaign.id);
  }
  std::optional<LearnerProcess> learner =
      is_learning(options, budget) ? start_learner(context, client, campaign) : std::nullopt;
  HONE_TRY(const CampaignView over, follow(context, client, campaign, std::move(learner)));
  return conclude(context, client, options, over, last);
}

}  // namespace

void add_tune(CLI::App& app, CommandContext& context) {
  CLI::App* const tuning = app.add_subcommand(
      "tune", "Find a faster policy for a product: exit code 0 gain confirmed, 10 none found");
  const auto options = std::make_shared<TuneOptions>();
  tuning
      ->add_option("source", options->target.source,
                   "Folder of the product, or URL@COMMIT of a git repository")
      ->required();
  tuning
      ->add_option("--budget", options->budget,
                   "How much to try: candidates (20) or a time (90s, 20m, 1h30m)")
      ->required();
  tuning->add_option("--seed", options->seed, "Seed of the candidates")->capture_default_str();
  tuning->add_option("--target-file", options->target.target_file,
                     "The hone.yaml to use [default: hone.yaml in the folder]");
  tuning->add_option("--name", options->target.name,
                     "Name of the target [default: as hone.yaml says]");
  tuning
      ->add_option("--baseline", options->baseline,
                   fmt::format("What to compare with: {}", kBaselineKindChoices))
      ->capture_default_str();
  tuning
      ->add_option("--proposer", options->proposer,
                   "Where candidates come from: learner (two fifths drawn blindly, the rest by "
                   "hone-learner from what these came to) or seeded (all drawn blindly)")
      ->check(CLI::IsMember({"learner", "seeded"}))
      ->capture_default_str();
  tuning->add_flag("--cold", options->cold,
                   "Do not begin with what the last campaign of this target found");
  tuning
      ->add_option("--output", options->output,
                   "Folder for the winner's policy (TARGET.policy.json) and index (TARGET.policy)")
      ->capture_default_str();
  tuning->add_option("--priority", options->priority, "-100 to 100, higher first")
      ->check(CLI::Range(-100, 100))
      ->capture_default_str();
  tuning->callback([&context, options] {
    context.action = [&context, options] { return tune(context, *options); };
  });
}

}  // namespace hone
