// Which pass is drawn behind which: by what it was seen to gain there, or wherever it stands.
//
// Without it, passes are drawn alike. With it, one draw in three still is, so that nothing is out
// of reach; the others go by the gains. Names are those of passes without parameters, but
// default<Oz> and its like, which are as many names as levels. common/search/synergy_graph.h makes
// one of what was mined. Thread safe while nobody sets; the generator is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/pipelines/forest.h"

namespace hone {

// A gain above this counts as this.
inline constexpr double kMostPassGain = 1;

class SuccessorWeights {
 public:
  // Gains are logarithms of a ratio of costs; below 0 (or no number) counts as 0.
  void set(const std::string& pass, double gain);
  // Directly behind `before`.
  void set(const std::string& before, const std::string& pass, double gain);

  bool empty() const { return passes_.empty(); }
  // In units of 1e-9; of a pass that it does not know 0.
  std::uint64_t weight(std::string_view before, std::string_view pass) const;

  // Which of `passes` (at least one) follows `before`, which is empty at the beginning. A name that
  // is there several times shares its weight among them.
  std::size_t draw(std::string_view before, std::span<const std::string> passes,
                   Random& random) const;

 private:
  struct Gains {
    std::uint64_t anywhere = 0;
    std::map<std::string, std::uint64_t, std::less<>> behind;
  };
  std::map<std::string, Gains, std::less<>> passes_;
};

// The name by which a pass is known here: "gvn" of gvn<memdep>, "default<Oz>".
std::string pass_name(const PipelineNode& pass);
// Of the first and the last pass within, however deep; empty if there is none.
std::string first_pass(std::span<const PipelineNode> nodes);
std::string last_pass(std::span<const PipelineNode> nodes);

struct PassEnds {
  std::string first;
  std::string last;
  std::size_t passes = 0;
};
// Of a pipeline's text; all empty for one that is none.
PassEnds pass_ends(std::string_view pipeline);

}  // namespace hone
