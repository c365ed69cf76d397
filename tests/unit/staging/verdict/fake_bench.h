// A bench whose runs are made up, for tests of the procedures.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "staging/verdict/bench.h"

namespace hone {

// Runs that are made up by a function of side, input and how often that side has run.
class FakeBench final : public Bench {
 public:
  using Make = std::function<BenchmarkRun(SampleRole, std::size_t input, int count)>;
  explicit FakeBench(Make make) : make_(std::move(make)) {}

  std::size_t candidates() const override { return candidate_count; }
  std::size_t layouts() const override { return layout_count; }
  std::optional<double> known_value(const BenchRun& wanted) const override {
    return known ? std::optional(known(wanted)) : std::nullopt;
  }
  BenchmarkRun run(const BenchRun& wanted, const std::stop_token& stop) override {
    if (stop.stop_requested()) {
      BenchmarkRun run;
      run.run_class = RunClass::stopped;
      return run;
    }
    log.push_back(wanted);
    BenchmarkRun made = make_(wanted.role, wanted.input, counts_[wanted.role]++);
    made.cpu_seconds *= layout_factor(wanted);
    return made;
  }

  std::vector<BenchRun> log;
  std::size_t candidate_count = 1;
  std::size_t layout_count = 1;
  std::function<double(const BenchRun&)> known;  // sizes, if the metric is one
  std::function<double(const BenchRun&)> layout_factor = [](const BenchRun&) { return 1.0; };

 private:
  Make make_;
  std::map<SampleRole, int> counts_;
};

// An output whose text is its hash: what differs in one differs in the other.
inline WrittenOutput wrote(OutputKind kind, const std::string& text, const std::string& name = "") {
  WrittenOutput output;
  output.kind = kind;
  output.name = name;
  output.sha256 = output.text = text;
  output.bytes = text.size();
  return output;
}

inline BenchmarkRun took(double seconds, const std::string& output = "same") {
  BenchmarkRun run;
  run.outputs = {wrote(OutputKind::standard_output, output)};
  run.cpu_seconds = seconds;
  run.wall_seconds = seconds;
  run.output_sha256 = output;
  return run;
}

inline BenchmarkRun counted(double count) {
  BenchmarkRun run = took(1);
  run.counted = count;
  return run;
}

inline BenchmarkRun broke(RunClass run_class, const std::string& reason) {
  BenchmarkRun run;
  run.run_class = run_class;
  run.reason = reason;
  return run;
}

}  // namespace hone
