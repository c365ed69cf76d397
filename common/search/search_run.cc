#include "common/search/search_run.h"

#include <algorithm>

namespace hone {
namespace {

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

Result<LoggedEvaluations> evaluate_logged(std::span<const Sequence> sequences, Evaluator& evaluator,
                                          EvaluationLog& log) {
  LoggedEvaluations result;
  result.evaluations.resize(sequences.size());
  std::vector<Sequence> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (std::optional<Evaluation> known = log.find(sequences[i])) {
      result.evaluations[i] = *std::move(known);
      ++result.remembered;
    } else {
      unknown.push_back(sequences[i]);
      places.push_back(i);
    }
  }
  if (unknown.empty()) {
    return result;
  }
  HONE_TRY(std::vector<Evaluation> fresh, evaluator.evaluate(unknown));
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    HONE_CHECK(log.add(unknown[i], fresh[i]));
    result.evaluations[places[i]] = std::move(fresh[i]);
  }
  return result;
}

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
    HONE_TRY(const LoggedEvaluations logged,
             evaluate_logged(std::span(asked).first(count), evaluator, log));
    const std::vector<Evaluation>& evaluations = logged.evaluations;
    result.remembered += logged.remembered;
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
