// hone tune: everything from a source tree to a confirmed policy, in one command.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/budget.h"
#include "build_integration/cli/choices.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/deadline.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/fetch_report.h"
#include "build_integration/cli/idle_workers.h"
#include "build_integration/cli/job_wait.h"
#include "build_integration/cli/learner_process.h"
#include "build_integration/cli/new_campaign.h"
#include "build_integration/cli/progress.h"
#include "build_integration/cli/register_target.h"
#include "build_integration/cli/terminal.h"
#include "build_integration/cli/warm_start.h"
#include "build_integration/cli/winner_files.h"
#include "common/json/document.h"
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
  std::string deadline;
  std::string proposer = "learner";
  bool cold = false;
};

ProgressStyle progress_style(const CommandContext& context) {
  if (context.json) {
    return ProgressStyle::events;
  }
  return is_terminal(STDERR_FILENO) ? ProgressStyle::terminal : ProgressStyle::lines;
}

// As many as the workers that are there race at once.
std::size_t generation_size(const Client& client) {
  std::size_t slots = 0;
  if (const Result<std::vector<WorkerView>> workers = get_workers(client)) {
    for (const WorkerView& worker : *workers) {
      if (takes_jobs(worker)) {
        slots += static_cast<std::size_t>(worker.slots);
      }
    }
  }
  return kCandidatesOfAHeat * std::clamp<std::size_t>(slots, 1, 16);
}

// Should it fail, that is told, and the campaign goes on by itself after ten minutes of silence.
std::string close_text(const Client& client, const CampaignView& campaign) {
  const Result<void> closed = close_campaign(client, campaign.id);
  return closed || closed.error().code == ErrorCode::conflict
             ? "the campaign goes on with the candidates it has"
             : fmt::format(
                   "the campaign goes on with the candidates it has in ten minutes, since it "
                   "could not be closed: {}",
                   closed.error().describe());
}

// Nothing where the set that is there is all: that is said, since it changes what can be found.
std::optional<LearnerProcess> start_learner(const CommandContext& context, const Client& client,
                                            const CampaignView& campaign) {
  Result<LearnerProcess> learner =
      LearnerProcess::start(context, campaign.id, generation_size(client));
  if (learner.has_value()) {
    return *std::move(learner);
  }
  fmt::print(stderr, "hone: no candidates but the first ones: {}; {}\n", learner.error().describe(),
             close_text(client, campaign));
  return std::nullopt;
}

// Why a campaign that does not get on may have to wait. An answer that does not come is no reason.
std::vector<std::string> reasons_to_wait(const Client& client, const CampaignView& campaign) {
  const Result<std::vector<WorkerView>> workers = get_workers(client);
  if (!workers) {
    return {};
  }
  std::vector<std::string> reasons = waiting_reasons(*workers, campaign.target);
  const std::string queued = "/v1/jobs?state=queued&campaign=" + percent_encode(campaign.id);
  const Result<std::vector<Json>> first = list_pages(client, queued, 1);
  if (reasons.empty() && first && !first->empty()) {
    const Result<JobView> listed = parse_job_view(first->front());
    const Result<JobView> job = listed ? get_job(client, listed->id, WithSamples::no) : listed;
    if (job && !job->unmet.empty()) {
      reasons.push_back(wait_reason(*job));
    }
  }
  return reasons;
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
      for (const std::string& reason : idle.news(reasons_to_wait(client, view))) {
        progress.note(reason);
      }
    }
    for (const std::string& line : learner ? learner->news() : std::vector<std::string>()) {
      progress.note(line);
    }
    const std::optional<std::string> silent = learner ? learner->failure() : std::nullopt;
    if (silent && !is_over(view)) {
      progress.note(*silent + "; " + close_text(client, campaign));
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
  CampaignPlan plan;
  HONE_TRY(plan.budget, parse_budget(options.budget));
  const std::optional<BaselineKind> baseline = parse_baseline_kind(options.baseline);
  if (!baseline) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--baseline is one of {}", kBaselineKindChoices));
  }
  plan.baseline = *baseline;
  plan.seed = options.seed;
  plan.priority = options.priority;
  if (!options.deadline.empty()) {
    HONE_TRY(const std::chrono::seconds left, parse_deadline(options.deadline, std::time(nullptr)));
    plan.deadline_seconds = left.count();
  }
  plan.learner = options.proposer == "learner";
  std::error_code ignored;
  if (std::filesystem::is_directory(options.target.source, ignored)) {
    plan.folder = options.target.source;
  }
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const TargetSpec target, register_target(client, options.target, context.stop));
  if (!options.cold) {
    HONE_TRY(plan.last, last_campaign(client, target.name, plan.baseline));
    if (plan.baseline != BaselineKind::oz) {  // of size production says nothing
      HONE_TRY(plan.lessons, canary_lessons(client, target.name));
    }
  }
  HONE_TRY(const CampaignView campaign, start_campaign(client, target, plan));
  if (!context.json) {
    fmt::print(stderr, "{}: campaign {}\n", target.name, campaign.id);
  }
  std::optional<LearnerProcess> learner =
      is_learning(plan) ? start_learner(context, client, campaign) : std::nullopt;
  HONE_TRY(const CampaignView over, follow(context, client, campaign, std::move(learner)));
  return conclude(context, client, options, over, plan.last);
}

}  // namespace

void add_tune(CLI::App& app, CommandContext& context) {
  CLI::App* const tuning = app.add_subcommand(
      "tune", "Find a faster policy for a product: exit code 0 gain confirmed, 10 none found");
  const auto options = std::make_shared<TuneOptions>();
  add_target_options(*tuning, options->target);
  tuning
      ->add_option("--budget", options->budget,
                   "How much to try: candidates (20) or a time (90s, 20m, 1h30m)")
      ->required();
  tuning->add_option("--seed", options->seed, "Seed of the candidates")
      ->check(CLI::Range(std::int64_t{0}, kMaxExactInteger))
      ->capture_default_str();
  tuning->add_option("--baseline", options->baseline, "What to compare with")
      ->check(one_of(kBaselineKindChoices))
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
  tuning->add_option("--deadline", options->deadline,
                     "When it must be over: a duration (90m, 2h, or seconds) or a time "
                     "(2026-11-30T07:00:00Z) "
                     "[default: deadline_seconds of hone.yaml's tune, if that says so]");
  tuning->add_option("--priority", options->priority, "-100 to 100, higher first")
      ->check(CLI::Range(-100, 100))
      ->capture_default_str();
  tuning->callback([&context, options] {
    context.action = [&context, options] { return tune(context, *options); };
  });
}

}  // namespace hone
