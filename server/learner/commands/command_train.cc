// hone-learner train
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "server/learner/commands/command.h"
#include "server/learner/commands/train_options.h"
#include "server/learner/models/tree_ensemble.h"

namespace hone {
namespace {

Result<void> train(const LearnerContext& context, const TrainOptions& options) {
  const std::optional<ModelKind> kind = parse_model_kind(options.kind);
  if (!kind) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--kind '{}' is none of {}", options.kind, kModelKindChoices));
  }
  if (options.programs.empty() && (options.rows.empty() || *kind == ModelKind::ppo)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--kind {} needs --programs{}", options.kind,
                            *kind == ModelKind::ppo ? "" : " and --work, or --rows"));
  }
  if (!options.programs.empty() && !options.rows.empty()) {
    return fail(ErrorCode::invalid_argument, "--programs and --rows exclude each other");
  }
  if (*kind != ModelKind::ppo && !options.programs.empty() && options.work.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--programs needs --work, the folder that evaluations are kept in");
  }
  if (!options.ir2vec.empty() && (*kind == ModelKind::ppo || options.programs.empty())) {
    return fail(ErrorCode::invalid_argument,
                "--ir2vec describes the --programs of --kind trees and bandit: rows of a file have "
                "their features already, and steps are seen without it");
  }
  switch (*kind) {
    case ModelKind::trees:
      return train_trees(context, options);
    case ModelKind::bandit:
      return train_bandit(context, options);
    case ModelKind::ppo:
      return train_step_policy(context, options);
  }
  return fail(ErrorCode::internal, "no such kind");
}

}  // namespace

void add_train(CLI::App& app, LearnerContext& context) {
  CLI::App* const training = app.add_subcommand("train", "Train a model and write it to a file");
  const auto options = std::make_shared<TrainOptions>();
  training->add_option("--kind", options->kind, std::string(kModelKindChoices))->required();
  training->add_option("--programs", options->programs, "File of program URIs, one a line");
  training->add_option("--cost", options->cost, "IrInstructionCount or ObjectTextSizeBytes")
      ->capture_default_str();
  training->add_option("--rows", options->rows,
                       "trees, bandit: a file of rows instead of programs");
  training->add_option("--work", options->work,
                       "trees, bandit: folder of evaluations; the same one goes on");
  training->add_option("--output", options->output, "The model, a file")->required();
  training->add_option("--ir2vec", options->ir2vec,
                       "trees, bandit with --programs: file of IR2Vec's vocabulary; programs are "
                       "described by its embedding, too");
  training->add_option("--seed", options->seed, "Of all random choices")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U))
      ->capture_default_str();
  training->add_option("--ensemble", options->ensemble, "trees: boosters")
      ->check(CLI::Range(std::size_t{2}, kMaxEnsemble))
      ->capture_default_str();
  training->add_option("--rounds", options->rounds, "trees: of each booster")
      ->check(CLI::Range(std::size_t{1}, kMaxRounds))
      ->capture_default_str();
  training->add_option("--threads", options->threads, "trees: at most")
      ->check(CLI::Range(std::size_t{1}, kMaxThreads))
      ->capture_default_str();
  training->add_option("--at-once", options->at_once, "trees, bandit: sessions that work at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{256}))
      ->capture_default_str();
  training->add_option("--steps", options->steps, "ppo: passes that are applied in training")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->capture_default_str();
  training->add_option("--length", options->length, "ppo: passes of an episode, at most")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000}))
      ->capture_default_str();
  training
      ->add_option(
          "--rewards", options->rewards,
          "ppo: immediate (of each pass), final (when the episode ends), or both (the last "
          "three tenths final)")
      ->capture_default_str();
  training->add_option("--batch", options->batch, "ppo: episodes between two changes of the policy")
      ->check(CLI::Range(std::size_t{2}, std::size_t{10'000}))
      ->capture_default_str();
  training->add_option("--rate", options->rate, "ppo: learning rate, falling to a tenth")
      ->check(CLI::Range(1e-8, 1.0))
      ->capture_default_str();
  training->add_option("--entropy", options->entropy, "ppo: weight of the policy's entropy")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  training->add_option("--portfolio", options->portfolio,
                       "Whose pipelines are tried [the one installed for the cost]");
  training->callback([&context, options] {
    context.action = [&context, options] { return train(context, *options); };
  });
}

}  // namespace hone
