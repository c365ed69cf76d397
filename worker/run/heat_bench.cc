#include "worker/run/heat_bench.h"

#include <chrono>

#include "worker/run/all_stops.h"

namespace hone {
namespace {

BenchmarkRun not_run(RunClass run_class, std::string reason) {
  BenchmarkRun run;
  run.run_class = run_class;
  run.reason = std::move(reason);
  return run;
}

}  // namespace

std::vector<std::stop_token> HeatBench::waiting() const {
  std::vector<std::stop_token> stops;
  for (const HeatSide& side : sides_) {
    if (!side.over) {
      stops.push_back(side.stop);
    }
  }
  return stops;
}

// The first one: what fails after it may be for the same reason.
void HeatBench::note(const Error& trouble, const BenchRun& of) {
  if (!trouble_) {
    trouble_ = trouble;
    if (of.role == SampleRole::candidate) {
      troubled_ = of.candidate;
    }
  }
}

BenchmarkRun HeatBench::run(const BenchRun& wanted, const std::stop_token& stop) {
  const HeatSide& side = sides_[number_of(wanted)];
  const bool candidate = wanted.role == SampleRole::candidate;
  const AllStops all(stop, candidate ? std::vector{side.stop} : waiting());
  if (all.token().stop_requested()) {
    return not_run(RunClass::stopped, "stopped on request");
  }
  if (candidate) {
    if (const Result<void> placed = builds_.place(side.build); !placed) {
      note(placed.error(), wanted);
      BenchmarkRun failed = not_run(RunClass::not_started, trouble_->message);
      failed.error = fail(ErrorCode::unavailable, trouble_->message);
      return failed;
    }
  }
  const auto started = std::chrono::steady_clock::now();
  BenchmarkRun made = side.bench.run(wanted, all.token());
  if (candidate) {
    seconds_[wanted.candidate] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  }
  if (side.bench.trouble()) {
    note(*side.bench.trouble(), wanted);
  }
  return made;
}

}  // namespace hone
