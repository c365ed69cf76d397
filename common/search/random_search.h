// Random episodes, as CompilerGym's random_search: each draws actions until it has `length`.
#pragma once

#include <cstdint>

#include "common/base/random.h"
#include "common/search/sequence_search.h"

namespace hone {

class RandomSearch final : public SequenceSearch {
 public:
  // Sequences of 1 to `length` (at least 1) of `actions` (at least one), `width` at a time.
  RandomSearch(std::vector<std::string> actions, std::size_t length, std::size_t width,
               std::uint64_t seed)
      : actions_(std::move(actions)), length_(length), width_(width), random_(seed) {}

  std::vector<Sequence> ask() override;
  void tell(std::span<const Evaluation>) override {}

 private:
  std::vector<std::string> actions_;
  std::size_t length_;
  std::size_t width_;
  Random random_;
};

}  // namespace hone
