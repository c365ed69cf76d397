#include "staging/verdict/checked_runs.h"

#include <algorithm>

#include "common/base/text.h"
#include "staging/verdict/metric_value.h"
#include "staging/verdict/output_difference.h"

namespace hone {
namespace {

// Of a benchmark whose output differs in one run of four, nine candidates of ten are not blamed.
constexpr int kBaselineRechecks = 8;
// Fewer of what runs long, as a check may.
constexpr int kLeastRechecks = 2;
constexpr double kRecheckSeconds = 60;

// Of text, in the references of all inputs and checks.
constexpr std::uint64_t kMostKept = std::uint64_t{256} << 20U;

// By itself the program did well when it was checked: what goes wrong in an emulation is no fault
// of the candidate's.
Ending of_measurement(Ending ending, Metric metric) {
  const std::string_view caveat = emulation_caveat(metric);
  if (!caveat.empty() && ending.outcome != Outcome::cancelled) {
    ending.outcome = Outcome::benchmark_failed;
    ending.reason += " (while its " + std::string(to_string(metric)) +
                     " were counted, not before: " + std::string(caveat) + ")";
  }
  return ending;
}

std::string side(SampleRole role) {
  return role == SampleRole::baseline ? "the baseline" : "the candidate";
}

}  // namespace

CheckedRuns::CheckedRuns(Bench& bench, const BenchmarkSpec& benchmark, const std::stop_token& stop)
    : bench_(bench), benchmark_(benchmark), stop_(stop) {
  std::vector<InputSpec> inputs = benchmark.inputs;
  if (inputs.empty()) {
    inputs.emplace_back();
  }
  for (const InputSpec& input : inputs) {
    timed_.push_back(input.name);
    places_.push_back({input.name.empty() ? "" : " on input '" + input.name + "'",
                       input.expected_output_sha256, benchmark.compare_output, std::nullopt});
  }
  if (is_of_build(benchmark.metric.metric)) {
    timed_ = {""};
  }
  for (const CheckSpec& check : benchmark.checks) {
    places_.push_back({" in check '" + check.name + "'", check.expected_output_sha256,
                       check.compare_output, std::nullopt});
  }
  runs_.resize(timed_.size(), 1);
}

MaybeEnding CheckedRuns::check_baseline() {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    BenchRun wanted;
    wanted.input = place;
    wanted.purpose = RunPurpose::check;
    BenchmarkRun made;
    for (int i = 0; i < 2; ++i) {
      if (MaybeEnding ending = run(wanted, made)) {
        return ending;
      }
    }
    if (place < timed_.size()) {
      runs_[place] = runs_per_sample(benchmark_.metric.metric, made);
    }
  }
  return all_files_were_written();
}

MaybeEnding CheckedRuns::check_candidate(std::size_t candidate) {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    BenchRun wanted;
    wanted.role = SampleRole::candidate;
    wanted.candidate = candidate;
    wanted.input = place;
    wanted.purpose = RunPurpose::check;
    BenchmarkRun made;
    if (MaybeEnding ending = run(wanted, made)) {
      return ending;
    }
  }
  return std::nullopt;
}

MaybeEnding CheckedRuns::sample(const BenchRun& wanted, double& value) {
  if (const std::optional<double> known = bench_.known_value(wanted)) {
    value = *known;
    return std::nullopt;
  }
  double sum = 0;
  for (int i = 0; i < runs_[wanted.input]; ++i) {
    BenchmarkRun made;
    if (MaybeEnding ending = run(wanted, made)) {
      return of_measurement(*std::move(ending), benchmark_.metric.metric);
    }
    const Result<double> one = metric_value(made, benchmark_.metric.metric);
    if (!one) {
      // A number that the candidate prints is its own; one that is counted may be too small to see.
      const bool candidates =
          wanted.role == SampleRole::candidate && benchmark_.metric.metric == Metric::printed;
      return Ending{candidates ? Outcome::miscompiled : Outcome::benchmark_failed,
                    side(wanted.role) + places_[wanted.input].where + ": " + one.error().message};
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
  if (is_of_build(benchmark_.metric.metric) && wanted.purpose == RunPurpose::measure) {
    return made.run_class == RunClass::ok ? std::nullopt : not_built(wanted, made);
  }
  MaybeEnding ending =
      made.run_class == RunClass::ok ? wrong_output(wanted, made) : failed(wanted, made);
  return ending && ending->outcome == Outcome::miscompiled ? blamed(wanted, *std::move(ending))
                                                           : ending;
}

MaybeEnding CheckedRuns::blamed(const BenchRun& wanted, Ending ending) {
  BenchRun again = wanted;
  again.role = SampleRole::baseline;
  double seconds = 0;
  for (int i = 0; i < kBaselineRechecks && (i < kLeastRechecks || seconds < kRecheckSeconds); ++i) {
    BenchmarkRun made;
    if (MaybeEnding other = run(again, made)) {
      other->reason += "; before, " + ending.reason;
      return other;
    }
    seconds += made.wall_seconds;
  }
  return ending;
}

MaybeEnding CheckedRuns::wrong_output(const BenchRun& wanted, BenchmarkRun& made) {
  Place& place = places_[wanted.input];
  // With a tolerance the expected output is the baseline's, and others may lie near it.
  const bool exactly = !benchmark_.tolerance || !place.compare_output || !place.reference;
  if (exactly && !place.expected.empty() && made.output_sha256 != place.expected) {
    return Ending{
        wanted.role == SampleRole::baseline ? Outcome::baseline_failed : Outcome::miscompiled,
        side(wanted.role) + "'s output" + place.where + " has SHA-256 " + made.output_sha256 +
            ", expected is " + place.expected};
  }
  std::vector<WrittenOutput> outputs = compared(place, std::move(made.outputs));
  return place.reference ? differs(wanted, *place.reference, outputs)
                         : keep_reference(place, std::move(outputs));
}

std::vector<WrittenOutput> CheckedRuns::compared(const Place& place,
                                                 std::vector<WrittenOutput> outputs) const {
  std::erase_if(outputs, [&](const WrittenOutput& output) {
    switch (output.kind) {
      case OutputKind::standard_output:
        return !place.compare_output;
      case OutputKind::standard_error:
        return !benchmark_.compare_stderr;
      case OutputKind::file:
        break;
    }
    return false;
  });
  return outputs;
}

MaybeEnding CheckedRuns::keep_reference(Place& place, std::vector<WrittenOutput> outputs) {
  for (const WrittenOutput& output : outputs) {
    kept_bytes_ += output.text.size();
    if (output.kind == OutputKind::file) {
      files_.insert(output.name);
    }
  }
  if (benchmark_.tolerance && kept_bytes_ > kMostKept) {
    return Ending{Outcome::benchmark_failed, "all inputs and checks together write more than the " +
                                                 std::to_string(kMostKept >> 20U) +
                                                 " MiB that can be compared with a tolerance"};
  }
  place.reference = std::move(outputs);
  return std::nullopt;
}

// A name that was mistyped would compare nothing, and nobody would know.
MaybeEnding CheckedRuns::all_files_were_written() const {
  for (const std::string& pattern : benchmark_.outputs) {
    const bool written = std::ranges::any_of(
        files_, [&](const std::string& file) { return matches_glob(pattern, file); });
    if (!written) {
      return Ending{Outcome::benchmark_failed,
                    "the baseline writes no file '" + pattern + "' that could be compared"};
    }
  }
  return std::nullopt;
}

MaybeEnding CheckedRuns::differs(const BenchRun& wanted,
                                 const std::vector<WrittenOutput>& reference,
                                 const std::vector<WrittenOutput>& outputs) const {
  const std::string& where = places_[wanted.input].where;
  const std::optional<OutputDifference> difference =
      find_difference(reference, outputs, benchmark_.tolerance);
  if (!difference) {
    return std::nullopt;
  }
  if (wanted.role == SampleRole::baseline) {
    return Ending{Outcome::nondeterministic, "two runs of the baseline" + where +
                                                 " gave different outputs: " + difference->output +
                                                 ", " + difference->detail};
  }
  return Ending{Outcome::miscompiled, "the candidate's " + difference->output + where +
                                          " differs from the baseline's: " + difference->detail};
}

// Both were built before; what fails now is the build's fault, not a run's.
MaybeEnding CheckedRuns::not_built(const BenchRun& wanted, const BenchmarkRun& made) {
  if (made.run_class == RunClass::stopped) {
    return Ending{Outcome::cancelled, "stopped on request"};
  }
  const std::string what = side(wanted.role) + ", built to be timed: " + made.reason;
  if (made.error && made.error->code == ErrorCode::unavailable) {
    return Ending{Outcome::benchmark_failed, what};
  }
  if (wanted.role == SampleRole::baseline) {
    return Ending{Outcome::baseline_failed, what};
  }
  switch (made.run_class) {
    case RunClass::timed_out:
      return Ending{Outcome::timed_out, what};
    case RunClass::limit_exceeded:
      return Ending{Outcome::limit_exceeded, what};
    default:
      return Ending{Outcome::build_failed, what};
  }
}

Ending CheckedRuns::failed(const BenchRun& wanted, const BenchmarkRun& made) const {
  if (made.run_class == RunClass::stopped) {
    return {Outcome::cancelled, "stopped on request"};
  }
  const std::string what = side(wanted.role) + places_[wanted.input].where + ": " + made.reason;
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
