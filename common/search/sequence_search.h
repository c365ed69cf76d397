// Searches for a good sequence of pipelines, by turns: the search asks for some sequences to be
// evaluated, is told what they cost, and asks again.
//
// A search is a function of its settings, its seed and the costs: it knows neither the time nor how
// many evaluations ran at once, so that the same costs lead it the same way on every machine. Not
// thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone {

// Pipelines, to be applied one after the other.
using Sequence = std::vector<std::string>;

struct Evaluation {
  std::optional<double> cost;  // the lower, the better; nothing: it failed
  std::string failure;         // why
};

// A sequence that succeeded.
struct RankedSequence {
  Sequence sequence;
  double cost = 0;
};

class SequenceSearch {
 public:
  virtual ~SequenceSearch() = default;
  // What to evaluate next; nothing once the search is at its end.
  virtual std::vector<Sequence> ask() = 0;
  // What came of all that was asked for last, in that order.
  virtual void tell(std::span<const Evaluation> evaluations) = 0;
  // Something good that another search found, between tell() and ask(). May be passed over.
  virtual void hear(const RankedSequence& found) { static_cast<void>(found); }
};

}  // namespace hone
