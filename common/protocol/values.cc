#include "common/protocol/values.h"

#include <array>
#include <cstddef>
#include <utility>

namespace hone {
namespace {

// One row a value: its spelling and the value itself, in the order of the enumeration.
template <class Enum, std::size_t N>
using Spellings = std::array<std::pair<std::string_view, Enum>, N>;

template <class Enum, std::size_t N>
std::string_view spell(const Spellings<Enum, N>& table, Enum value) {
  return table.at(static_cast<std::size_t>(value)).first;
}

template <class Enum, std::size_t N>
std::optional<Enum> look_up(const Spellings<Enum, N>& table, std::string_view text) {
  for (const auto& [spelling, value] : table) {
    if (spelling == text) {
      return value;
    }
  }
  return std::nullopt;
}

// Whether every row stands at its value's own index, which spell() relies on.
template <class Enum, std::size_t N>
constexpr bool in_order(const Spellings<Enum, N>& table) {
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(table[i].second) != i) {
      return false;
    }
  }
  return true;
}

constexpr Spellings<Outcome, 13> kOutcomes{{{"ok", Outcome::ok},
                                            {"fetch_failed", Outcome::fetch_failed},
                                            {"baseline_failed", Outcome::baseline_failed},
                                            {"build_failed", Outcome::build_failed},
                                            {"compiler_crashed", Outcome::compiler_crashed},
                                            {"timed_out", Outcome::timed_out},
                                            {"limit_exceeded", Outcome::limit_exceeded},
                                            {"miscompiled", Outcome::miscompiled},
                                            {"benchmark_failed", Outcome::benchmark_failed},
                                            {"nondeterministic", Outcome::nondeterministic},
                                            {"no_data", Outcome::no_data},
                                            {"insufficient_traffic", Outcome::insufficient_traffic},
                                            {"cancelled", Outcome::cancelled}}};
static_assert(in_order(kOutcomes));

constexpr Spellings<Verdict, 6> kVerdicts{{{"faster", Verdict::faster},
                                           {"slower", Verdict::slower},
                                           {"no_change", Verdict::no_change},
                                           {"within_noise", Verdict::within_noise},
                                           {"inconclusive", Verdict::inconclusive},
                                           {"too_noisy", Verdict::too_noisy}}};
static_assert(in_order(kVerdicts));

constexpr Spellings<Stage, 2> kStages{{{"race", Stage::race}, {"confirm", Stage::confirm}}};
static_assert(in_order(kStages));

constexpr Spellings<BaselineKind, 3> kBaselineKinds{
    {{"own", BaselineKind::own}, {"O3", BaselineKind::o3}, {"Oz", BaselineKind::oz}}};
static_assert(in_order(kBaselineKinds));

constexpr Spellings<ExperienceSource, 3> kExperienceSources{
    {{"staging", ExperienceSource::staging},
     {"production", ExperienceSource::production},
     {"session", ExperienceSource::session}}};
static_assert(in_order(kExperienceSources));

constexpr Spellings<JobState, 5> kJobStates{{{"queued", JobState::queued},
                                             {"leased", JobState::leased},
                                             {"done", JobState::done},
                                             {"dead", JobState::dead},
                                             {"cancelled", JobState::cancelled}}};
static_assert(in_order(kJobStates));

constexpr Spellings<AttemptState, 5> kAttemptStates{{{"leased", AttemptState::leased},
                                                     {"completed", AttemptState::completed},
                                                     {"failed", AttemptState::failed},
                                                     {"expired", AttemptState::expired},
                                                     {"cancelled", AttemptState::cancelled}}};
static_assert(in_order(kAttemptStates));

constexpr Spellings<CampaignState, 6> kCampaignStates{{{"waiting", CampaignState::waiting},
                                                       {"racing", CampaignState::racing},
                                                       {"confirming", CampaignState::confirming},
                                                       {"finished", CampaignState::finished},
                                                       {"cancelled", CampaignState::cancelled},
                                                       {"failed", CampaignState::failed}}};
static_assert(in_order(kCampaignStates));

constexpr Spellings<Role, 5> kRoles{{{"viewer", Role::viewer},
                                     {"submitter", Role::submitter},
                                     {"worker", Role::worker},
                                     {"learner", Role::learner},
                                     {"admin", Role::admin}}};
static_assert(in_order(kRoles));

constexpr Spellings<Metric, 11> kMetrics{{{"cpu_time", Metric::cpu_time},
                                          {"wall_time", Metric::wall_time},
                                          {"printed", Metric::printed},
                                          {"peak_rss_bytes", Metric::peak_rss_bytes},
                                          {"instructions", Metric::instructions},
                                          {"text_bytes", Metric::text_bytes},
                                          {"binary_bytes", Metric::binary_bytes},
                                          {"hardware_instructions", Metric::hardware_instructions},
                                          {"cycles", Metric::cycles},
                                          {"energy", Metric::energy},
                                          {"compile_time", Metric::compile_time}}};
static_assert(in_order(kMetrics));

constexpr Spellings<MetricFormat, 3> kMetricFormats{
    {{"google_benchmark", MetricFormat::google_benchmark},
     {"hyperfine", MetricFormat::hyperfine},
     {"bmf", MetricFormat::bmf}}};
static_assert(in_order(kMetricFormats));

constexpr Spellings<Sanitizer, 2> kSanitizers{
    {{"address", Sanitizer::address}, {"undefined", Sanitizer::undefined}}};
static_assert(in_order(kSanitizers));

constexpr Spellings<SampleRole, 2> kSampleRoles{
    {{"baseline", SampleRole::baseline}, {"candidate", SampleRole::candidate}}};
static_assert(in_order(kSampleRoles));

}  // namespace

const std::string_view kOutcomeChoices =
    "ok, fetch_failed, baseline_failed, build_failed, compiler_crashed, timed_out, limit_exceeded, "
    "miscompiled, benchmark_failed, nondeterministic, no_data, insufficient_traffic, cancelled";
const std::string_view kVerdictChoices =
    "faster, slower, no_change, within_noise, inconclusive, too_noisy";
const std::string_view kStageChoices = "race, confirm";
const std::string_view kBaselineKindChoices = "own, O3, Oz";
const std::string_view kJobStateChoices = "queued, leased, done, dead, cancelled";
const std::string_view kCampaignStateChoices =
    "waiting, racing, confirming, finished, cancelled, failed";
const std::string_view kRoleChoices = "viewer, submitter, worker, learner, admin";
const std::string_view kMetricChoices =
    "cpu_time, wall_time, printed, peak_rss_bytes, instructions, text_bytes, binary_bytes, "
    "hardware_instructions, cycles, energy, compile_time";
const std::string_view kMetricFormatChoices = "google_benchmark, hyperfine, bmf";
const std::string_view kSanitizerChoices = "address, undefined";

std::string_view to_string(Outcome value) {
  return spell(kOutcomes, value);
}
std::optional<Outcome> parse_outcome(std::string_view text) {
  return look_up(kOutcomes, text);
}

std::string_view to_string(Verdict value) {
  return spell(kVerdicts, value);
}
std::optional<Verdict> parse_verdict(std::string_view text) {
  return look_up(kVerdicts, text);
}

std::string_view to_string(Stage value) {
  return spell(kStages, value);
}
std::optional<Stage> parse_stage(std::string_view text) {
  return look_up(kStages, text);
}

std::string_view to_string(BaselineKind value) {
  return spell(kBaselineKinds, value);
}
std::optional<BaselineKind> parse_baseline_kind(std::string_view text) {
  return look_up(kBaselineKinds, text);
}

std::string_view to_string(ExperienceSource value) {
  return spell(kExperienceSources, value);
}
std::optional<ExperienceSource> parse_experience_source(std::string_view text) {
  return look_up(kExperienceSources, text);
}

std::string_view to_string(JobState value) {
  return spell(kJobStates, value);
}
std::optional<JobState> parse_job_state(std::string_view text) {
  return look_up(kJobStates, text);
}

std::string_view to_string(AttemptState value) {
  return spell(kAttemptStates, value);
}
std::optional<AttemptState> parse_attempt_state(std::string_view text) {
  return look_up(kAttemptStates, text);
}

std::string_view to_string(CampaignState value) {
  return spell(kCampaignStates, value);
}
std::optional<CampaignState> parse_campaign_state(std::string_view text) {
  return look_up(kCampaignStates, text);
}

std::string_view to_string(Role value) {
  return spell(kRoles, value);
}
std::optional<Role> parse_role(std::string_view text) {
  return look_up(kRoles, text);
}

std::string_view to_string(Metric value) {
  return spell(kMetrics, value);
}
std::optional<Metric> parse_metric(std::string_view text) {
  return look_up(kMetrics, text);
}

std::string_view to_string(MetricFormat value) {
  return spell(kMetricFormats, value);
}
std::optional<MetricFormat> parse_metric_format(std::string_view text) {
  return look_up(kMetricFormats, text);
}

std::string_view to_string(Sanitizer value) {
  return spell(kSanitizers, value);
}
std::optional<Sanitizer> parse_sanitizer(std::string_view text) {
  return look_up(kSanitizers, text);
}

std::string_view to_string(SampleRole value) {
  return spell(kSampleRoles, value);
}
std::optional<SampleRole> parse_sample_role(std::string_view text) {
  return look_up(kSampleRoles, text);
}

}  // namespace hone
