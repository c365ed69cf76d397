// Runs a search within a budget. Not thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/result.h"
#include "common/search/evaluation_log.h"
#include "common/search/sequence_search.h"

namespace hone {

// What evaluates sequences, as many at once as it likes.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // One for each sequence. A sequence that fails is an evaluation; an error ends the search.
  virtual Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences) = 0;
  // CPU seconds that were spent on evaluating so far.
  virtual double cpu_seconds() const = 0;
};

// Whichever is reached first; what the log knows already counts as an evaluation, at no time.
struct SearchBudget {
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  double cpu_seconds = std::numeric_limits<double>::infinity();
};

struct SearchResult {
  Sequence best;
  double cost = std::numeric_limits<double>::infinity();  // of the best; infinity: none succeeded
  std::size_t evaluations = 0;
  std::size_t remembered = 0;  // of them that the log knew
  std::size_t failed = 0;
  double cpu_seconds = 0;
};

struct SearchHooks {
  std::function<void(const SearchResult&)> on_batch;  // for people to look at
  std::stop_token stop;                               // ends after the batch under way
};

struct LoggedEvaluations {
  std::vector<Evaluation> evaluations;  // one for each sequence
  std::size_t remembered = 0;           // of them that the log knew
};
// What the log knows, and the others evaluated and added to it. Errors of the evaluator and the
// log.
Result<LoggedEvaluations> evaluate_logged(std::span<const Sequence> sequences, Evaluator& evaluator,
                                          EvaluationLog& log);

// The shorter of two sequences of equal cost is the better one. Errors of the evaluator and the
// log.
Result<SearchResult> run_search(SequenceSearch& search, Evaluator& evaluator,
                                const SearchBudget& budget, EvaluationLog& log,
                                const SearchHooks& hooks = {});

}  // namespace hone
