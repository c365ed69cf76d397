#include "server/learner/commands/lab_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "common/base/random.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/lab/lab_program.h"
#include "server/learner/lab/module_features.h"
#include "server/learner/lab/program_features.h"
#include "server/learner/lab/sequence_edit.h"
#include "server/learner/lab/step_actions.h"

namespace hone {
namespace {

// What is tried on a program, and which member each is.
struct Tries {
  std::vector<Sequence> sequences;
  std::vector<std::optional<std::size_t>> members;
};
using Choose = std::function<Tries(Random& random)>;
// What is put behind the program's features.
using Describe = std::function<void(const Sequence& sequence, std::vector<float>& features)>;

double reward_of(const Evaluation& evaluation, double oz) {
  return evaluation.cost ? std::max(std::log(oz / std::max(*evaluation.cost, 1.0)), kWorstReward)
                         : kWorstReward;
}

// How many numbers of IR2Vec stand in each row: what the first program has, since the vocabulary
// alone decides.
Result<std::size_t> ir2vec_size(const LearnerContext& context, const TrainOptions& options) {
  if (options.ir2vec.empty()) {
    return std::size_t{0};
  }
  HONE_TRY(const std::vector<std::string> programs, read_program_list(options.programs));
  HONE_TRY(ProgramLoader loader, program_loader(context));
  Error last = fail(ErrorCode::invalid_argument, "none of the programs can be learned from");
  for (const std::string& uri : programs) {
    const Result<Program> program = loader.load(uri);
    const Result<std::vector<double>> features =
        program ? module_features(program->file.string(), {{}, options.ir2vec})
                : Result<std::vector<double>>(program.error());
    if (features) {
      return features->size() - kProgramFeatures;
    }
    last = features.error();
  }
  return last;
}

int version_of(const TrainOptions& options) {
  return options.ir2vec.empty() ? kFeatureVersion : kFeatureVersionIr2Vec;
}

Result<void> try_on(ProgramLoader& loader, const std::string& uri, const LabSettings& lab,
                    const std::string& ir2vec, const Tries& tries, const Describe& describe,
                    double log_propensity, TrainingRows& rows) {
  HONE_TRY(const Program program, loader.load(uri));
  HONE_TRY(const std::vector<double> features,
           module_features(program.file.string(), {{}, ir2vec}));
  HONE_TRY(LabProgram opened, LabProgram::open(loader, uri, lab));
  HONE_TRY(const std::vector<Evaluation> evaluations, opened.evaluate(tries.sequences));
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    TrainingRow row;
    row.features.assign(features.begin(), features.end());
    describe(tries.sequences[i], row.features);
    row.reward = reward_of(evaluations[i], opened.oz());
    row.program = opened.uri();
    row.member = tries.members[i];
    row.log_propensity = log_propensity;
    HONE_CHECK(rows.add(row));
  }
  return {};
}

Result<void> collect(const LearnerContext& context, const TrainOptions& options,
                     const Choose& choose, const Describe& describe, double log_propensity,
                     TrainingRows& rows) {
  HONE_TRY(const std::vector<std::string> programs, read_program_list(options.programs));
  HONE_TRY(ProgramLoader loader, program_loader(context));
  LabSettings lab;
  HONE_TRY(lab.cost, trained_cost(options));
  lab.folder = options.work;
  lab.at_once = options.at_once;
  Random random(options.seed);
  for (const std::string& uri : programs) {
    if (context.stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped; the same command goes on from where it was");
    }
    // Drawn also for a program that is left out: the others' draws do not depend on it.
    const Tries tries = choose(random);
    const Result<void> tried =
        try_on(loader, uri, lab, options.ir2vec, tries, describe, log_propensity, rows);
    if (!tried) {
      say(fmt::format("{} is left out: {}", uri, tried.error().describe()));
    }
  }
  if (rows.rows() == 0) {
    return fail(ErrorCode::invalid_argument, "none of the programs can be learned from");
  }
  say(fmt::format("{} rows of {} programs", rows.rows(), rows.programs().size()));
  return {};
}

}  // namespace

Result<TrainingRows> rows_of_members(const LearnerContext& context, const TrainOptions& options,
                                     const Portfolio& portfolio) {
  const std::vector<Sequence> members = portfolio.sequences();
  HONE_TRY(const std::size_t ir2vec, ir2vec_size(context, options));
  TrainingRows rows(program_feature_names(ir2vec), version_of(options), members.size());
  const Choose choose = [&](Random& random) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    Tries tries;
    for (std::size_t i = 0; i < (members.size() + 1) / 2; ++i) {
      tries.sequences.push_back(members[order[i]]);
      tries.members.emplace_back(order[i]);
    }
    return tries;
  };
  HONE_CHECK(collect(
      context, options, choose, [](const Sequence&, std::vector<float>&) {},
      -std::log(static_cast<double>(members.size())), rows));
  return rows;
}

Result<TrainingRows> rows_of_edits(const LearnerContext& context, const TrainOptions& options,
                                   const Portfolio& portfolio) {
  const std::vector<Sequence> members = portfolio.sequences();
  HONE_TRY(const std::vector<std::string> actions, step_actions(portfolio));
  HONE_TRY(const std::size_t ir2vec, ir2vec_size(context, options));
  std::vector<std::string> names = program_feature_names(ir2vec);
  for (const std::string& action : actions) {
    names.push_back("taken." + action);
  }
  TrainingRows rows(std::move(names), version_of(options), members.size());
  const Choose choose = [&](Random& random) {
    Tries tries;
    for (std::size_t i = 0; i < members.size(); ++i) {
      tries.sequences.push_back(members[i]);
      tries.sequences.push_back(edited(members[i], 0, actions, random));
    }
    tries.members.assign(tries.sequences.size(), std::nullopt);
    return tries;
  };
  const Describe describe = [&](const Sequence& sequence, std::vector<float>& features) {
    const std::vector<float> counts = taken(sequence, actions);
    features.insert(features.end(), counts.begin(), counts.end());
  };
  HONE_CHECK(collect(context, options, choose, describe, 0, rows));
  return rows;
}

}  // namespace hone
