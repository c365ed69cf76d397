// hone job submit | wait | show | cancel | retry | list
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <set>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/budget.h"
#include "build_integration/cli/choices.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/deadline.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/job_text.h"
#include "build_integration/cli/job_wait.h"
#include "build_integration/cli/policy_file.h"
#include "build_integration/cli/policy_options.h"
#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"
#include "common/base/text.h"
#include "common/protocol/fields.h"
#include "common/protocol/names.h"

namespace hone {
namespace {

constexpr const char* kTimeoutHelp =
    "With 90s, 20m or 1h30m: wait no longer; the job goes on, exit code 12";

struct SubmitOptions {
  std::string target;
  std::string policy;
  std::string pipeline;
  std::string source = "*";
  std::vector<std::string> knobs;
  std::string stage = "confirm";
  std::string baseline = "O3";
  std::string note;
  std::int64_t priority = 0;
  std::string deadline;
  bool wait = false;
  std::string timeout;
};

// A job has rules alone, and no worker would notice: a policy of another product or compiler is
// measured like any other, and the answer is of no use.
Result<void> check_policy(const Client& client, const Policy& policy,
                          const SubmitOptions& options) {
  if (policy.target != options.target) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is a policy of target {}, not of {}: if that is meant, change "
                            "\"target\" in a copy",
                            options.policy, printable(policy.target), options.target));
  }
  HONE_TRY(const std::vector<WorkerView> workers, get_workers(client));
  std::set<std::int64_t> known;
  bool all = true;
  for (const WorkerView& worker : workers) {
    known.insert(worker.llvm.begin(), worker.llvm.end());
    all = all && std::find(worker.llvm.begin(), worker.llvm.end(), policy.compiler.major) !=
                     worker.llvm.end();
  }
  const bool fits = policy.compiler.family == "clang" &&
                    (workers.empty() || known.contains(policy.compiler.major));
  if (!fits) {
    std::vector<std::string> majors;
    for (const std::int64_t major : known) {
      majors.push_back(std::to_string(major));
    }
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} is a policy for {} {}, and no worker compiles with that (they have "
                    "clang {})",
                    options.policy, printable(policy.compiler.family), policy.compiler.major,
                    majors.empty() ? "of no known version" : join(majors, ", ")));
  }
  if (!all) {
    fmt::print(
        stderr,
        "hone: warning: {} is a policy for clang {}, and not every worker has that: `requires: "
        "{{llvm: [{}]}}` in hone.yaml keeps the target's jobs from the others\n",
        options.policy, policy.compiler.major, policy.compiler.major);
  }
  return {};
}

Result<std::vector<Rule>> rules_of(const Client& client, const SubmitOptions& options) {
  if (!options.policy.empty()) {
    HONE_TRY(const SignedPolicy policy, read_policy_file(options.policy));
    HONE_TRY(ParsedPolicy parsed, policy_from_json(policy.document));
    HONE_CHECK(check_policy(client, parsed.policy, options));
    print_warnings(parsed.warnings);
    return std::move(parsed.policy.rules);
  }
  Rule rule;
  rule.source = options.source;
  if (!options.pipeline.empty()) {
    rule.decision.pipeline = options.pipeline;
  }
  for (const std::string& knob : options.knobs) {
    const std::size_t equals = knob.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid_argument,
                  "--knob wants name=value such as unroll-count=4, not \"" + knob + "\"");
    }
    rule.decision.knobs.push_back(Knob{knob.substr(0, equals), knob.substr(equals + 1)});
  }
  if (options.pipeline.empty() && options.knobs.empty()) {
    return fail(ErrorCode::invalid_argument,
                "what shall be measured? Give --policy FILE, --pipeline TEXT or --knob NAME=VALUE");
  }
  return std::vector<Rule>{std::move(rule)};
}

// Until when to wait; nothing: for as long as it takes. Read before anything is submitted.
using Until = std::optional<std::chrono::steady_clock::time_point>;
Result<Until> parse_timeout(const std::string& timeout) {
  if (timeout.empty()) {
    return Until();
  }
  const Result<std::chrono::seconds> duration = parse_duration(timeout);
  if (!duration) {
    return duration.error().within("--timeout");
  }
  if (duration->count() > kLongestDeadline) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--timeout {} is too long: a year at most", timeout));
  }
  return Until(std::chrono::steady_clock::now() + *duration);
}

Result<int> wait_for(const CommandContext& context, const Client& client, const std::string& id,
                     const Until& until) {
  WaitNews news;
  const auto see = [&news](const JobView& job) {
    if (const std::optional<std::string> text = news.of(job)) {
      fmt::print(stderr, "job {}: {}\n", job.id, *text);
    }
  };
  HONE_TRY(const JobView job, wait_for_job(client, id, see, context.stop, until));
  if (!is_over(job)) {
    fmt::print(stderr,
               "hone: job {0} was not done when the time of --timeout was up ({1}). It goes on: "
               "`hone job wait {0}` waits on, `hone job cancel {0}` ends it\n",
               job.id, wait_text(job));
  }
  if (context.json) {
    print_json(to_json(job));
  } else {
    print(print_job(job));
  }
  return exit_status(job);
}

// Of a batch the API tells which target of it is not there, as a bad field; of one job that is a
// thing not found like any other.
Error submission_error(const Error& error, const std::string& target) {
  if (error.fields.size() == 1 && error.fields[0].pointer == "/jobs/0/target" &&
      is_valid_name(target)) {
    return fail(ErrorCode::not_found, error.fields[0].detail);
  }
  return error;
}

Result<int> submit(const CommandContext& context, const SubmitOptions& options) {
  const std::optional<Stage> stage = parse_stage(options.stage);
  const std::optional<BaselineKind> baseline = parse_baseline_kind(options.baseline);
  if (!stage || !baseline) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--stage is one of {}, --baseline one of {}", kStageChoices,
                            kBaselineKindChoices));
  }
  JobRequest request;
  request.target = options.target;
  request.note = options.note;
  request.stage = *stage;
  request.baseline = *baseline;
  request.priority = options.priority;
  if (!options.deadline.empty()) {
    HONE_TRY(const std::chrono::seconds left, parse_deadline(options.deadline, std::time(nullptr)));
    request.deadline_seconds = left.count();
  }
  if (!options.timeout.empty() && !options.wait) {
    return fail(ErrorCode::invalid_argument, "--timeout is for --wait: give both, or none");
  }
  HONE_TRY(const Until until, parse_timeout(options.timeout));
  HONE_TRY(const Client client, context.client());
  HONE_TRY(request.rules, rules_of(client, options));
  const Result<std::vector<std::string>> submitted = submit_jobs(client, {request});
  if (!submitted) {
    return submission_error(submitted.error(), options.target);
  }
  const std::vector<std::string>& ids = *submitted;
  if (options.wait) {
    fmt::print(stderr, "job {}\n", ids.front());
    return wait_for(context, client, ids.front(), until);
  }
  if (context.json) {
    Json answer = Json::object();
    answer["id"] = ids.front();
    print_json(answer);
  } else {
    print(ids.front() + "\n");
  }
  return 0;
}

Result<int> wait(const CommandContext& context, const std::string& id, const std::string& timeout) {
  HONE_TRY(const Until until, parse_timeout(timeout));
  HONE_TRY(const Client client, context.client());
  return wait_for(context, client, id, until);
}

Result<int> show(const CommandContext& context, const std::string& id, bool samples) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const JobView job, get_job(client, id, samples ? WithSamples::yes : WithSamples::no));
  if (context.json) {
    print_json(to_json(job));
  } else {
    print(print_job(job));
  }
  return 0;
}

// What POST /v1/jobs/{id}/cancel and /retry have in common.
Result<int> act(const CommandContext& context, const std::string& id, const std::string& action) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const Json answer,
           client.post("/v1/jobs/" + percent_encode(id) + "/" + action, Json::object()));
  HONE_TRY(const JobView job, parse_job_view(answer));
  if (context.json) {
    print_json(answer);
  } else if (action == "cancel" && job.state == JobState::leased) {
    print(fmt::format("Job {} is being cancelled: the worker that runs it is told, and stops.\n",
                      job.id));
  } else {
    print(fmt::format("Job {} is {}.\n", job.id, to_string(job.state)));
  }
  return 0;
}

struct ListOptions {
  std::string target;
  std::string campaign;
  std::string state;
  std::size_t limit = 100;
};

Result<int> list(const CommandContext& context, const ListOptions& options) {
  HONE_TRY(const Client client, context.client());
  std::string path = "/v1/jobs";
  char joint = '?';
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"target", options.target},
                                    {"campaign", options.campaign},
                                    {"state", options.state}}) {
    if (!value.empty()) {
      path += fmt::format("{}{}={}", joint, name, percent_encode(value));
      joint = '&';
    }
  }
  HONE_TRY(const std::vector<Json> items, list_pages(client, path, options.limit));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  std::vector<JobView> jobs;
  for (const Json& item : items) {
    HONE_TRY(JobView job, parse_job_view(item));
    jobs.push_back(std::move(job));
  }
  print(print_jobs(jobs));
  return 0;
}

}  // namespace

void add_job(CLI::App& app, CommandContext& context) {
  CLI::App* const job = app.add_subcommand("job", "Measure one candidate by hand");
  job->require_subcommand(1);

  CLI::App* const submitting =
      job->add_subcommand("submit", "Measure a policy, a pipeline or knobs against the baseline");
  const auto options = std::make_shared<SubmitOptions>();
  submitting->add_option("target", options->target, "A registered target")->required();
  submitting->add_option("--policy", options->policy, "Policy file whose rules are measured");
  submitting->add_option("--pipeline", options->pipeline,
                         "Pipeline text, for example 'default<O3>'");
  submitting->add_option("--knob", options->knobs,
                         "LLVM knob, for example unroll-count=4; may be repeated");
  submitting
      ->add_option("--source", options->source,
                   "Source files that --pipeline and --knob apply to, a glob")
      ->capture_default_str();
  submitting->add_option("--stage", options->stage, "race (quick) or confirm (full procedure)")
      ->check(one_of(kStageChoices))
      ->capture_default_str();
  submitting->add_option("--baseline", options->baseline, "What to compare with")
      ->check(one_of(kBaselineKindChoices))
      ->capture_default_str();
  submitting->add_option("--note", options->note, "A word for people");
  submitting->add_option("--priority", options->priority, "-100 to 100, higher first")
      ->capture_default_str();
  submitting
      ->add_option(
          "--deadline,--deadline-seconds", options->deadline,
          "A job that is not done by then is dead: so long from now (90m, 2h, or seconds), "
          "or a time (2026-11-30T07:00:00Z)")
      ->type_name("TIME");
  submitting->add_flag("--wait", options->wait,
                       "Wait for the result; what it waits for is told on standard error");
  submitting->add_option("--timeout", options->timeout, kTimeoutHelp);
  submitting->callback([&context, options] {
    context.action = [&context, options] { return submit(context, *options); };
  });

  const auto id = std::make_shared<std::string>();
  CLI::App* const waiting = job->add_subcommand(
      "wait",
      "Wait for a job: exit code 0 faster, 10 not faster, 11 failed, 12 not done in time, 130 "
      "cancelled");
  waiting->add_option("job", *id, "Its id")->required();
  const auto timeout = std::make_shared<std::string>();
  waiting->add_option("--timeout", *timeout, kTimeoutHelp);
  waiting->callback([&context, id, timeout] {
    context.action = [&context, id, timeout] { return wait(context, *id, *timeout); };
  });

  CLI::App* const showing = job->add_subcommand("show", "Show a job, its attempts and result");
  const auto samples = std::make_shared<bool>(false);
  showing->add_option("job", *id, "Its id")->required();
  showing->add_flag("--samples", *samples, "With the raw samples (in --json)");
  showing->callback([&context, id, samples] {
    context.action = [&context, id, samples] { return show(context, *id, *samples); };
  });

  CLI::App* const cancelling = job->add_subcommand("cancel", "Cancel a job");
  cancelling->add_option("job", *id, "Its id")->required();
  cancelling->callback(
      [&context, id] { context.action = [&context, id] { return act(context, *id, "cancel"); }; });

  CLI::App* const retrying =
      job->add_subcommand("retry", "Queue a dead job again, with all its attempts before it");
  retrying->add_option("job", *id, "Its id")->required();
  retrying->callback(
      [&context, id] { context.action = [&context, id] { return act(context, *id, "retry"); }; });

  CLI::App* const listing = job->add_subcommand("list", "List jobs");
  const auto filter = std::make_shared<ListOptions>();
  listing->add_option("--target", filter->target, "Only those of this target");
  listing->add_option("--campaign", filter->campaign, "Only those of this campaign");
  listing->add_option("--state", filter->state, "Only those in this state")
      ->check(one_of(kJobStateChoices));
  listing->add_option("--limit", filter->limit, "At most this many")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  listing->callback([&context, filter] {
    context.action = [&context, filter] { return list(context, *filter); };
  });
}

}  // namespace hone
