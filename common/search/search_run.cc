#include "common/search/search_run.h"

#include <algorithm>

namespace hone {
namespace {

// What the log knows, and the others evaluated and added to it.
Result<std::vector<Evaluation>> evaluate(std::span<const Sequence> sequences, Evaluator& evaluator,
                                         EvaluationLog& log, SearchResult& result) {
  std::vector<Evaluation> evaluations(sequences.size());
  std::vector<Sequence> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (std::optional<Evaluation> known = log.find(sequences[i])) {
      evaluations[i] = *std::move(known);
      ++result.remembered;
    } else {
      unknown.push_back(sequences[i]);
      places.push_back(i);
    }
  }
  if (unknown.empty()) {
    return evaluations;
  }
  HONE_TRY(std::vector<Evaluation> fresh, evaluator.evaluate(unknown));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    HONE_CHECK(log.add(unknown[i], fresh[i]));
    evaluations[places[i]] = std::move(fresh[i]);
  }
  return evaluations;
}

void take(const Sequence& sequence, const Evaluation& evaluation, SearchResult& result) {
  ++result.evaluations;
  if (!evaluation.cost) {
    ++result.failed;
    return;
  }
  const bool better = *evaluation.cost < result.cost ||
                      (*evaluation.cost == result.cost && sequence.size() < result.best.size());
  if (better) {
    result.cost = *evaluation.cost;
    result.best = sequence;
  }
}

}  // namespace

Result<SearchResult> run_search(SequenceSearch& search, Evaluator& evaluator,
                                const SearchBudget& budget, EvaluationLog& log,
                                const SearchHooks& hooks) {
  SearchResult result;
  const double before = evaluator.cpu_seconds();
  while (result.evaluations < budget.evaluations && result.cpu_seconds < budget.cpu_seconds &&
         !hooks.stop.stop_requested()) {
    const std::vector<Sequence> asked = search.ask();
    if (asked.empty()) {
      break;
    }
    const std::size_t count = std::min(asked.size(), budget.evaluations - result.evaluations);
    HONE_TRY(const std::vector<Evaluation> evaluations,
             evaluate(std::span(asked).first(count), evaluator, log, result));
    for (std::size_t i = 0; i < count; ++i) {
      take(asked[i], evaluations[i], result);
    }
    result.cpu_seconds = evaluator.cpu_seconds() - before;
    if (hooks.on_batch) {
      hooks.on_batch(result);
    }
    if (count < asked.size()) {
      break;  // the search may not be told of half a batch
    }
    search.tell(evaluations);
  }
  return result;
}

}  // namespace hone
