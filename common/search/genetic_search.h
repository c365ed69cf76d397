// A genetic search over whole pipelines: forests, changed and crossed as common/pipelines does, so
// that every member is valid. The fittest of each generation live on (elitism); parents are chosen
// by tournaments of three.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/base/random.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/successor_weights.h"
#include "common/search/sequence_search.h"

namespace hone {

struct GeneticSettings {
  std::size_t population = 32;  // at least 4
  std::size_t elite = 4;        // of them that live on; below the population
  std::size_t length = 20;      // passes of a first member, on average
  std::uint64_t seed = 1;
  int llvm_major = 19;
  std::shared_ptr<const SuccessorWeights> successors;  // null: passes are drawn alike
};

class GeneticSearch final : public SequenceSearch {
 public:
  // `start` members are in the first generation, for example the flattened O3.
  GeneticSearch(const GeneticSettings& settings, std::vector<Forest> start);

  // Members as sequences of one pipeline each.
  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation> evaluations) override;
  // As one more member, in the place of the worst.
  void hear(const RankedSequence& found) override;

 private:
  struct Member {
    Forest forest;
    std::optional<double> cost;
  };
  const Member& tournament();
  Forest child();
  void rank();

  GeneticSettings settings_;
  Random random_;
  std::vector<Member> members_;  // told, best first
  std::vector<Forest> asked_;
};

}  // namespace hone
