#include "staging/verdict/checked_runs.h"

#include "staging/verdict/metric_value.h"

namespace hone {
namespace {

// Of a benchmark whose output differs in one run of four, nine candidates of ten are not blamed.
constexpr int kBaselineRechecks = 8;

std::string side(SampleRole role) {
  return role == SampleRole::baseline ? "the baseline" : "the candidate";
}

}  // namespace

CheckedRuns::CheckedRuns(Bench& bench, const BenchmarkSpec& benchmark, const std::stop_token& stop)
    : bench_(bench), benchmark_(benchmark), stop_(stop), inputs_(benchmark.inputs) {
  if (inputs_.empty()) {
    inputs_.emplace_back();
  }
  references_.resize(inputs_.size());
  runs_.resize(inputs_.size(), 1);
}

std::string CheckedRuns::where(std::size_t input) const {
  return inputs_[input].name.empty() ? "" : " on input '" + inputs_[input].name + "'";
}

MaybeEnding CheckedRuns::check_baseline() {
  const Metric metric = benchmark_.metric.metric;
  for (std::size_t input = 0; input < inputs_.size(); ++input) {
    BenchRun wanted;
    wanted.input = input;
    BenchmarkRun made;
    if (MaybeEnding ending = run(wanted, made)) {
      return ending;
    }
    if (benchmark_.compare_output && references_[input].empty()) {
      references_[input] = made.output_sha256;
    }
    if (MaybeEnding ending = run(wanted, made)) {
      return ending;
    }
    runs_[input] =
        runs_per_sample(metric, metric == Metric::wall_time ? made.wall_seconds : made.cpu_seconds);
  }
  return std::nullopt;
}

MaybeEnding CheckedRuns::check_candidate(std::size_t candidate) {
  for (std::size_t input = 0; input < inputs_.size(); ++input) {
    BenchRun wanted;
    wanted.role = SampleRole::candidate;
    wanted.candidate = candidate;
    wanted.input = input;
    BenchmarkRun made;
    if (MaybeEnding ending = run(wanted, made)) {
      return ending;
    }
  }
  return std::nullopt;
}

MaybeEnding CheckedRuns::sample(const BenchRun& wanted, double& value) {
  double sum = 0;
  for (int i = 0; i < runs_[wanted.input]; ++i) {
    BenchmarkRun made;
    if (MaybeEnding ending = run(wanted, made)) {
      return ending;
    }
    const Result<double> one = metric_value(made, benchmark_.metric.metric);
    if (!one) {
      return Ending{
          wanted.role == SampleRole::baseline ? Outcome::benchmark_failed : Outcome::miscompiled,
          side(wanted.role) + where(wanted.input) + ": " + one.error().message};
    }
    sum += *one;
  }
  value = sum / runs_[wanted.input];
  return std::nullopt;
}

MaybeEnding CheckedRuns::run(const BenchRun& wanted, BenchmarkRun& made) {
  if (stop_.stop_requested()) {
    return Ending{Outcome::cancelled, "stopped on request"};
  }
  made = bench_.run(wanted, stop_);
  MaybeEnding ending =
      made.run_class == RunClass::ok ? wrong_output(wanted, made) : failed(wanted, made);
  return ending && ending->outcome == Outcome::miscompiled ? blamed(wanted, *std::move(ending))
                                                           : ending;
}

MaybeEnding CheckedRuns::blamed(const BenchRun& wanted, Ending ending) {
  BenchRun again = wanted;
  again.role = SampleRole::baseline;
  for (int i = 0; i < kBaselineRechecks; ++i) {
    BenchmarkRun made;
    if (MaybeEnding other = run(again, made)) {
      other->reason += "; before, " + ending.reason;
      return other;
    }
  }
  return ending;
}

MaybeEnding CheckedRuns::wrong_output(const BenchRun& wanted, const BenchmarkRun& made) const {
  const bool baseline = wanted.role == SampleRole::baseline;
  const std::string& expected = inputs_[wanted.input].expected_output_sha256;
  if (!expected.empty() && made.output_sha256 != expected) {
    return Ending{baseline ? Outcome::baseline_failed : Outcome::miscompiled,
                  side(wanted.role) + "'s output" + where(wanted.input) + " has SHA-256 " +
                      made.output_sha256 + ", expected is " + expected};
  }
  const std::string& reference = references_[wanted.input];
  if (reference.empty() || made.output_sha256 == reference) {
    return std::nullopt;
  }
  if (baseline) {
    return Ending{Outcome::nondeterministic, "two runs of the baseline" + where(wanted.input) +
                                                 " gave different outputs (SHA-256 " + reference +
                                                 " and " + made.output_sha256 + ")"};
  }
  return Ending{Outcome::miscompiled, "the candidate's output" + where(wanted.input) +
                                          " has SHA-256 " + made.output_sha256 +
                                          ", the baseline's " + reference};
}

Ending CheckedRuns::failed(const BenchRun& wanted, const BenchmarkRun& made) const {
  if (made.run_class == RunClass::stopped) {
    return {Outcome::cancelled, "stopped on request"};
  }
  const std::string what = side(wanted.role) + where(wanted.input) + ": " + made.reason;
  // What the machine cannot do is nobody's fault; a program that is none is its own.
  const bool machine = made.error && made.error->code == ErrorCode::unavailable;
  if (wanted.role == SampleRole::baseline || machine) {
    return {Outcome::benchmark_failed, what};
  }
  switch (made.run_class) {
    case RunClass::timed_out:
      return {Outcome::timed_out, what};
    case RunClass::limit_exceeded:
      return {Outcome::limit_exceeded, what};
    default:
      return {Outcome::miscompiled, what + " (the baseline does not fail)"};
  }
}

}  // namespace hone
