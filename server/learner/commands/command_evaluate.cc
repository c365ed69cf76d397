// hone-learner evaluate
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/printable.h"
#include "common/json/document.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/evaluate_options.h"
#include "server/learner/commands/server_options.h"

namespace hone {
namespace {

// The policy stays a candidate: as `hone` ends where there was no gain.
constexpr int kStaysCandidate = 10;

Result<void> check(const EvaluateOptions& options) {
  if (options.target.empty() == options.rows.empty()) {
    return fail(ErrorCode::invalid_argument,
                "the log is either a target's (--target) or a file of rows (--rows)");
  }
  const bool of_rows = !options.rows.empty();
  if (of_rows && (options.publish || !options.buffer.empty() || options.version != 0)) {
    return fail(ErrorCode::invalid_argument,
                "--publish, --buffer and --version are of --target; a model that is fit goes to "
                "--output");
  }
  if (!of_rows && (!options.fresh.empty() || !options.output.empty())) {
    return fail(ErrorCode::invalid_argument,
                "--fresh and --output are of --rows; of a target the confirm jobs are the fresh "
                "pairs, and --publish makes a version");
  }
  return {};
}

Result<void> evaluate(LearnerContext& context, const EvaluateOptions& options) {
  HONE_CHECK(check(options));
  Result<EvaluateOutcome> made =
      options.rows.empty() ? evaluate_on_target(context, options) : evaluate_on_rows(options);
  HONE_TRY(const EvaluateOutcome outcome, std::move(made));
  if (options.json) {
    Json document = to_json(outcome.evaluation);
    document["version"] = outcome.version == 0 ? Json() : Json(outcome.version);
    fmt::print("{}\n", dump_json(document));
  } else {
    fmt::print("{}", text_of(outcome.evaluation));
    if (!outcome.published.empty()) {
      fmt::print("{}\n", printable(outcome.published));
    }
  }
  context.exit_status = outcome.evaluation.decision.publish ? 0 : kStaysCandidate;
  return {};
}

}  // namespace

void add_evaluate(CLI::App& app, LearnerContext& context) {
  CLI::App* const evaluating = app.add_subcommand(
      "evaluate",
      "Say from logged decisions what a policy would have earned, and whether it may be published. "
      "Exit code 0: it may, 10: it stays a candidate");
  const auto options = std::make_shared<EvaluateOptions>();
  evaluating->add_option("--target", options->target, "Whose experiences on staging are the log");
  evaluating->add_option("--rows", options->rows,
                         "Or a file of rows with members and propensities, for models of --kind "
                         "bandit");
  evaluating
      ->add_option("--policy", options->policy,
                   "The new one: a policy's JSON file; with --rows a model's file")
      ->required();
  evaluating->add_option("--against", options->against,
                         "The current one: a file, \"baseline\", and of a target a version of its "
                         "policies or \"promoted\" [of a target the promoted one, of rows the "
                         "baseline]");
  evaluating->add_option("--buffer", options->buffer,
                         "Target: experiences.ndjson as export wrote it, instead of the "
                         "coordinator's stream");
  evaluating
      ->add_option("--baseline", options->baseline, "Target: what rewards are measured against")
      ->check(CLI::IsMember({"own", "O3", "Oz"}))
      ->capture_default_str();
  evaluating->add_option("--version", options->version, "Target: of this version alone")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53U));
  evaluating->add_option("--fresh", options->fresh,
                         "Rows: others, of programs that stand in no log and trained no model");
  evaluating->add_flag("--publish", options->publish,
                       "Target: make it a version of the target's policies if it is fit");
  evaluating->add_option("--output", options->output,
                         "Rows: where the model goes if it is fit, such as the current one's file");
  evaluating->add_flag("--json", options->json, "A document for machines");
  add_server_options(*evaluating, options->server);
  evaluating->callback([&context, options] {
    context.action = [&context, options] { return evaluate(context, *options); };
  });
}

}  // namespace hone
