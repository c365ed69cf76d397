#include "server/learner/lab/lab_program.h"

#include "build_integration/programs/evaluation_subject.h"
#include "common/base/hash.h"
#include "common/base/program_beside.h"

namespace hone {

Result<LabProgram> LabProgram::open(ProgramLoader& loader, const std::string& uri,
                                    const LabSettings& settings) {
  HONE_TRY(const Program program, loader.load(uri));
  std::filesystem::path sessions = settings.sessions;
  if (sessions.empty()) {
    HONE_TRY(sessions, program_beside_us("hone-session"));
  }
  HONE_TRY(SessionClient client, SessionClient::start(sessions));
  std::error_code error;
  std::filesystem::create_directories(settings.folder, error);
  if (error) {
    return system_error(settings.folder.string(), error.value());
  }
  const std::string cost = to_string(RewardSpace{settings.cost, RewardForm::difference});
  HONE_TRY(const std::string subject, evaluation_subject(cost, program));
  HONE_TRY(EvaluationLog log,
           EvaluationLog::open(settings.folder / (to_hex(hash128(subject)) + ".log"), subject));
  LabProgram lab(
      program.uri,
      SessionEvaluator(std::move(client), program.file.string(), settings.cost, settings.at_once),
      std::move(log));
  const std::vector<Sequence> oz = {{"default<Oz>"}};
  HONE_TRY(const std::vector<Evaluation> evaluations, lab.evaluate(oz));
  const Evaluation& evaluation = evaluations[0];
  if (!evaluation.cost || !(*evaluation.cost > 0)) {
    return fail(ErrorCode::unsupported,
                program.uri + ": " + cost + " of the compiler's own pipeline is " +
                    (evaluation.cost ? "0" : "not to be had: " + evaluation.failure));
  }
  lab.oz_ = *evaluation.cost;
  return lab;
}

Result<std::vector<Evaluation>> LabProgram::evaluate(std::span<const Sequence> sequences) {
  HONE_TRY(LoggedEvaluations logged, evaluate_logged(sequences, evaluator_, log_));
  return std::move(logged.evaluations);
}

Result<SearchResult> LabProgram::search(SequenceSearch& search, const SearchBudget& budget,
                                        const SearchHooks& hooks) {
  return run_search(search, evaluator_, budget, log_, hooks);
}

}  // namespace hone
