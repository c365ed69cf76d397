// What `hone bench` says about a comparison. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/json/document.h"
#include "common/protocol/target_spec.h"
#include "common/stats/paired_sample.h"
#include "staging/verdict/comparison.h"
#include "staging/verdict/race.h"

namespace hone {

struct BenchReport {
  std::string baseline;  // the commands, as they were given
  std::vector<std::string> candidates;
  std::size_t candidate = 0;  // the one that was compared: the only one, or the race's winner
  std::size_t links = 1;
  std::uint64_t seed = 1;
  MetricSpec metric;
  std::optional<Race> race;  // with several candidates
  Comparison comparison;
  std::vector<PairedSample> pairs;  // of the comparison's samples
};

// "faster: +2.0 % [+1.2, +2.8]", the plot, how it was measured and what puts it in doubt; of a
// number that is the same in every run, "smaller by 2 %" and the values; or the outcome and its
// reason.
std::string bench_text(const BenchReport& report, std::size_t width);

// {"format":"hone-bench/1","outcome":...,"verdict":...,"reward":{...},"samples":[...], ...}. The
// keys of reward and samples are those of an attempt's result in the REST interface; with several
// candidates, "race" is race_json().
Json bench_json(const BenchReport& report);

// A header and a line a run: pair,position,block,layout,role,value.
std::string bench_csv(const BenchReport& report);

}  // namespace hone
