// A program that sequences are tried on in compile sessions of our own, with what is known of it
// kept in a log: a run that was interrupted goes on from where it was. Not thread safe.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "build_integration/programs/program_loader.h"
#include "build_integration/programs/session_evaluator.h"
#include "common/base/result.h"
#include "common/search/evaluation_log.h"
#include "common/search/search_run.h"
#include "common/sessions/reward_space.h"

namespace hone {

struct LabSettings {
  Cost cost = Cost::ir_instruction_count;
  std::filesystem::path folder;    // of the logs, made if it is not there
  std::size_t at_once = 2;         // sessions that work at a time
  std::filesystem::path sessions;  // the program hone-session; empty: the one beside us
};

class LabProgram {
 public:
  // Loads the program and evaluates -Oz. Errors of the loader, of starting sessions and of the log;
  // unsupported if -Oz fails on it or leaves nothing to be counted.
  static Result<LabProgram> open(ProgramLoader& loader, const std::string& uri,
                                 const LabSettings& settings);

  const std::string& uri() const { return uri_; }
  double oz() const { return oz_; }
  // All that was ever evaluated, in the order of the log.
  Result<std::vector<EvaluatedSequence>> tried() const { return EvaluationLog::read(log_.file()); }
  // CPU seconds of the sessions since open().
  double cpu_seconds() const { return evaluator_.cpu_seconds(); }

  // One for each sequence; what the log knows is not evaluated again.
  Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences);
  Result<SearchResult> search(SequenceSearch& search, const SearchBudget& budget,
                              const SearchHooks& hooks);

 private:
  LabProgram(std::string uri, SessionEvaluator evaluator, EvaluationLog log)
      : uri_(std::move(uri)), evaluator_(std::move(evaluator)), log_(std::move(log)) {}

  std::string uri_;
  SessionEvaluator evaluator_;
  EvaluationLog log_;
  double oz_ = 0;
};

}  // namespace hone
