// hone report [CAMPAIGN | JOB] [--format FORMAT] [--verify], hone report push
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/compile_summary.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/fetch_report.h"
#include "build_integration/cli/job_text.h"
#include "build_integration/cli/job_wait.h"
#include "build_integration/cli/junit_report.h"
#include "build_integration/cli/markdown_report.h"
#include "build_integration/cli/report.h"
#include "build_integration/cli/report_cases.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/verification.h"
#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/text.h"
#include "common/json/document.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLogBytes = std::size_t{1} << 30U;
constexpr std::size_t kMaxJobBytes = std::size_t{16} << 20U;  // as JsonLimits has it

struct ReportOptions {
  std::string id;
  std::string target;
  std::string from;
  std::string format;
  bool verify = false;
};

// The confirm job that there is something to compare with, or nullptr.
const JobView* confirmation_of(const ReportRow& row) {
  const bool measured = row.confirm && row.confirm->reward && row.confirm->result &&
                        !row.confirm->result->samples.empty();
  return measured ? &*row.confirm : nullptr;
}

double value_of(const JobView& job) {
  return job.reward ? job.reward->value : 0;
}

// The winner, or, without one, the candidate whose confirmation came out best.
const ReportRow* row_to_verify(const CampaignReport& report) {
  if (const ReportRow* const winner = report.winner(); winner != nullptr) {
    return confirmation_of(*winner) != nullptr ? winner : nullptr;
  }
  const ReportRow* best = nullptr;
  double best_value = 0;
  for (const ReportRow& row : report.rows) {
    const JobView* const confirmation = confirmation_of(row);
    if (confirmation != nullptr && (best == nullptr || value_of(*confirmation) > best_value)) {
      best = &row;
      best_value = value_of(*confirmation);
    }
  }
  return best;
}

Json agreement_to_json(const JobView& first, const JobView& second, const Agreement& agreement) {
  Json document = Json::object();
  document["first_job"] = first.id;
  document["second_job"] = second.id;
  document["first"] = first.reward ? to_json(*first.reward) : Json(nullptr);
  document["second"] = second.reward ? to_json(*second.reward) : Json(nullptr);
  document["confidence"] = kVerifyConfidence;
  document["difference"] = {{"value", agreement.difference.estimate},
                            {"low", agreement.difference.low},
                            {"high", agreement.difference.high}};
  document["agrees"] = agreement.agrees();
  return document;
}

Result<int> verify(const CommandContext& context, const Client& client,
                   const CampaignReport& report) {
  const ReportRow* const row = row_to_verify(report);
  const JobView* const confirmation = row == nullptr ? nullptr : confirmation_of(*row);
  if (confirmation == nullptr || !confirmation->result) {
    fmt::print(stderr,
               "hone: nothing was confirmed in campaign {}, so there is nothing to verify\n",
               report.campaign.id);
    return kExitNoGain;
  }
  HONE_TRY(const TargetSpec target, get_target(client, report.campaign.target));
  JobRequest request;
  request.target = report.campaign.target;
  request.rules = row->candidate.rules;
  request.note = "verification of campaign " + report.campaign.id;
  request.stage = Stage::confirm;
  request.baseline = report.campaign.baseline;
  request.priority = 100;
  HONE_TRY(const std::vector<std::string> ids, submit_jobs(client, {request}));
  fmt::print(stderr, "measuring candidate {} again, job {}\n", row->number, ids.front());
  WaitNews news;
  const auto see = [&news](const JobView& job) {
    if (const std::optional<std::string> told = news.of(job)) {
      fmt::print(stderr, "job {}: {}\n", job.id, *told);
    }
  };
  HONE_TRY(const JobView over, wait_for_job(client, ids.front(), see, context.stop));
  HONE_TRY(const JobView second, get_job(client, over.id, WithSamples::yes));
  if (!second.result || second.outcome != Outcome::ok) {
    fmt::print(stderr, "hone: the second measurement failed: {}\n", verdict_text(second));
    return kExitFailed;
  }
  const JobView& first = *confirmation;
  HONE_TRY(
      const Agreement agreement,
      compare_measurements(first.result->samples, second.result->samples, target.benchmark.metric));
  if (context.json) {
    print_json(agreement_to_json(first, second, agreement));
  } else {
    print(fmt::format(
        "Verification of candidate {} of {}: first {} on {} pairs, now {} on {} fresh pairs.\n"
        "Difference {} to {} (99 % interval): {}.\n",
        row->number, report.campaign.target,
        first.reward ? reward_text(*first.reward) : "no reward", agreement.first_pairs,
        second.reward ? reward_text(*second.reward) : "no reward", agreement.second_pairs,
        percent_text(agreement.difference.low), percent_text(agreement.difference.high),
        agreement.agrees() ? "holds 0, the measurements agree"
                           : "does not hold 0, the measurements DISAGREE"));
  }
  return agreement.agrees() ? kExitOk : kExitDisagrees;
}

// What pipelines show; false for the formats that are not made of cases.
bool print_cases(const std::string& format, const ReportSuite& suite) {
  if (format == "junit") {
    print(junit_report(suite));
  } else if (format == "markdown") {
    print(markdown_report(suite));
  } else {
    return false;
  }
  return true;
}

void print_job_report(const std::string& format, const JobView& job) {
  if (print_cases(format, suite_of(job))) {
    return;
  }
  if (format == "json") {
    print_json(to_json(job));
  } else {
    print(print_job(job));
  }
}

void print_campaign_report(const std::string& format, const CampaignReport& report) {
  if (print_cases(format, suite_of(report))) {
    return;
  }
  if (format == "json") {
    print_json(report_to_json(report));
  } else {
    print(print_report(report));
  }
}

Result<JobView> job_in_file(const std::string& file) {
  HONE_TRY(const std::string text, read_file(file, kMaxJobBytes));
  if (trim(text).empty()) {
    return fail(ErrorCode::invalid_argument,
                file +
                    " is empty, there is no job in it: the command that was to write one there "
                    "(`hone job submit --wait --json`) failed, and what it said and its exit "
                    "code tell why");
  }
  Result<JobView> job = fail(ErrorCode::internal, "not read");
  if (const Result<Json> document = parse_json(text); !document) {
    job = document.error();
  } else {
    job = parse_job_view(*document);
  }
  if (!job) {
    return job.error().within(file + " is no job as `hone job show --json` prints one");
  }
  return job;
}

// Options that contradict each other.
Result<void> check(const CommandContext& context, const ReportOptions& options) {
  if (context.json && !options.format.empty() && options.format != "json") {
    return fail(ErrorCode::invalid_argument,
                "--json and --format " + options.format + " ask for two formats: leave one out");
  }
  if (!options.from.empty() && !(options.id + options.target).empty()) {
    return fail(ErrorCode::invalid_argument,
                "--from is the report's job: leave the id and --target out");
  }
  if (options.verify && !(options.from + options.format).empty()) {
    return fail(ErrorCode::invalid_argument,
                "--verify measures a campaign's winner: it goes without --from and --format");
  }
  return {};
}

Result<int> report(const CommandContext& context, const ReportOptions& options) {
  HONE_CHECK(check(context, options));
  const std::string format = context.json ? "json" : options.format;
  if (!options.from.empty()) {
    HONE_TRY(const JobView job, job_in_file(options.from));
    print_job_report(format, job);
    return 0;
  }
  HONE_TRY(const Client client, context.client());
  std::string id = options.id;
  if (id.empty()) {
    HONE_TRY(const CampaignView latest, latest_campaign(client, options.target));
    id = latest.id;
  }
  const Result<CampaignReport> made = fetch_report(client, id);
  if (!made && made.error().code == ErrorCode::not_found && !options.verify) {
    Result<JobView> job = get_job(client, id, WithSamples::no);
    if (!job && job.error().code == ErrorCode::not_found) {
      return fail(ErrorCode::not_found, "no campaign or job has the id " + id);
    }
    HONE_TRY(const JobView found, std::move(job));
    print_job_report(format, found);
    return 0;
  }
  if (!made) {
    return made.error();
  }
  if (options.verify) {
    return verify(context, client, *made);
  }
  print_campaign_report(format, *made);
  return 0;
}

Result<int> push(const CommandContext& context, const std::string& given) {
  std::filesystem::path log = given;
  if (log.empty()) {
    const char* const folder = std::getenv("HONE_STATE_DIR");
    if (folder == nullptr || *folder == '\0') {
      return fail(ErrorCode::invalid_argument,
                  "which log? Give the launcher's compiles.ndjson or set HONE_STATE_DIR");
    }
    log = std::filesystem::path(folder) / "compiles.ndjson";
  } else if (std::filesystem::is_directory(log)) {
    log /= "compiles.ndjson";
  }
  HONE_TRY(const std::string text, read_file(log, kMaxLogBytes));
  const CompileSummary summary = summarize_compiles(text);
  // The bytes that were counted are the ones uploaded, also if a build goes on writing.
  HONE_TRY(const TemporaryFolder temporary, TemporaryFolder::create("hone-report"));
  const std::filesystem::path copy = temporary.path() / "compiles.ndjson";
  HONE_CHECK(write_file_atomically(copy, text, 0600));
  const std::string sha256 = sha256_hex(text);
  HONE_TRY(const Client client, context.client());
  HONE_CHECK(client.upload_file(copy, sha256, context.stop));
  if (context.json) {
    Json document = summary_to_json(summary);
    document["artifact"] = sha256;
    print_json(document);
  } else {
    print(print_summary(summary) + fmt::format("Uploaded as artifact {}.\n", sha256));
  }
  return 0;
}

}  // namespace

void add_report(CLI::App& app, CommandContext& context) {
  CLI::App* const reporting = app.add_subcommand(
      "report", "A campaign's table: every candidate's reward with its interval; or a job's");
  const auto options = std::make_shared<ReportOptions>();
  reporting->add_option("id", options->id,
                        "The campaign's or job's [default: the newest campaign]");
  reporting->add_option("--target", options->target, "The newest campaign of this target");
  reporting
      ->add_option("--format", options->format,
                   "text, markdown (a comment), junit (XML, one test case a candidate) or json")
      ->check(CLI::IsMember({"text", "markdown", "junit", "json"}));
  reporting->add_option("--from", options->from,
                        "File with a job as `hone job submit --wait --json` printed it, instead of "
                        "asking the coordinator");
  reporting->add_flag("--verify", options->verify,
                      "Measure the winner once more on fresh pairs; exit code 1 if the 99 % "
                      "interval of the difference does not hold 0");
  reporting->callback([&context, options] {
    if (!context.action) {  // `report push` has set its own
      context.action = [&context, options] { return report(context, *options); };
    }
  });

  CLI::App* const pushing = reporting->add_subcommand(
      "push", "Upload the launcher's log of compiles and print the counts");
  const auto log = std::make_shared<std::string>();
  pushing->add_option("log", *log,
                      "compiles.ndjson or its folder [default: HONE_STATE_DIR/compiles.ndjson]");
  pushing->callback(
      [&context, log] { context.action = [&context, log] { return push(context, *log); }; });
}

}  // namespace hone
