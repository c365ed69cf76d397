// The closed sets of values on the wire and in the store, spelled alike everywhere. Thread safe.
//
// to_string gives the spelling; parse_<type> gives nothing for an unknown one; k<Type>Choices lists
// the spellings for messages.
#pragma once

#include <optional>
#include <string_view>

namespace hone {

// How an attempt ended. Everything but ok carries a reason and never a reward.
enum class Outcome {
  ok,
  fetch_failed,      // the source could not be had or unpacked
  baseline_failed,   // the baseline does not build or run: nothing can be compared
  build_failed,      // the candidate does not compile or link
  compiler_crashed,  // the compiler crashed or the plugin refused on a tuned compile
  timed_out,         // a tuned compile, build or benchmark ran past its time limit
  limit_exceeded,    // memory, output or file size
  miscompiled,       // output differs from the baseline's, or only the candidate crashes
  benchmark_failed,  // the baseline's benchmark fails too, or prints no metric
  nondeterministic,  // the baseline disagrees with itself
  no_data,
  insufficient_traffic,
  cancelled,
};
std::string_view to_string(Outcome value);
std::optional<Outcome> parse_outcome(std::string_view text);
extern const std::string_view kOutcomeChoices;

// What the samples say, only with outcome ok.
enum class Verdict { faster, slower, no_change, within_noise, inconclusive, too_noisy };
std::string_view to_string(Verdict value);
std::optional<Verdict> parse_verdict(std::string_view text);
extern const std::string_view kVerdictChoices;

// race: a first look, possibly lucky. confirm: fresh pairs, the full procedure; the published
// value.
enum class Stage { race, confirm };
std::string_view to_string(Stage value);
std::optional<Stage> parse_stage(std::string_view text);
extern const std::string_view kStageChoices;

enum class BaselineKind { own, o3, oz };
std::string_view to_string(BaselineKind value);
std::optional<BaselineKind> parse_baseline_kind(std::string_view text);
extern const std::string_view kBaselineKindChoices;

enum class ExperienceSource { staging, production, session };
std::string_view to_string(ExperienceSource value);
std::optional<ExperienceSource> parse_experience_source(std::string_view text);

// queued -> leased -> (done | dead | cancelled); leased -> queued when a lease expires or is handed
// back. done: one result counted, whatever its outcome. dead: attempts used up without a result.
enum class JobState { queued, leased, done, dead, cancelled };
std::string_view to_string(JobState value);
std::optional<JobState> parse_job_state(std::string_view text);
extern const std::string_view kJobStateChoices;

// leased -> completed | failed (handed back with a reason) | expired | cancelled
enum class AttemptState { leased, completed, failed, expired, cancelled };
std::string_view to_string(AttemptState value);
std::optional<AttemptState> parse_attempt_state(std::string_view text);

// waiting (no candidate set yet) -> racing -> confirming -> finished | cancelled | failed
enum class CampaignState { waiting, racing, confirming, finished, cancelled, failed };
std::string_view to_string(CampaignState value);
std::optional<CampaignState> parse_campaign_state(std::string_view text);
extern const std::string_view kCampaignStateChoices;

enum class Role { viewer, submitter, worker, learner, admin };
std::string_view to_string(Role value);
std::optional<Role> parse_role(std::string_view text);
extern const std::string_view kRoleChoices;

// What a sample's value is.
enum class Metric {
  cpu_time,               // seconds, user + system of the whole process tree
  wall_time,              // seconds
  printed,                // a number that the benchmark prints
  peak_rss_bytes,         // of the largest process
  instructions,           // as valgrind's callgrind counts them: a filter, no substitute for time
  text_bytes,             // executable sections of the built files: no run is needed
  binary_bytes,           // the built files, likewise
  hardware_instructions,  // as the processor counts them, outside of the kernel
  cycles,                 // likewise
  energy,                 // joules of the machine's processors, whoever uses them
  compile_time,           // seconds, user + system, of the build of a side and not of its runs
};
std::string_view to_string(Metric value);
std::optional<Metric> parse_metric(std::string_view text);
extern const std::string_view kMetricChoices;

// Whose report of several benchmarks the metric `printed` is taken from.
enum class MetricFormat { google_benchmark, hyperfine, bmf };
std::string_view to_string(MetricFormat value);
std::optional<MetricFormat> parse_metric_format(std::string_view text);
extern const std::string_view kMetricFormatChoices;

// What a second build of both sides may be instrumented with, spelled as clang's -fsanitize has it.
enum class Sanitizer { address, undefined };
std::string_view to_string(Sanitizer value);
std::optional<Sanitizer> parse_sanitizer(std::string_view text);
extern const std::string_view kSanitizerChoices;

enum class SampleRole { baseline, candidate };
std::string_view to_string(SampleRole value);
std::optional<SampleRole> parse_sample_role(std::string_view text);

}  // namespace hone
