#include "common/protocol/values.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace hone {
namespace {

// Every spelling in `choices` must parse to a value that is spelled like that again.
template <class Enum>
void expect_round_trip(std::string_view choices, std::optional<Enum> (*parse)(std::string_view),
                       std::size_t count) {
  std::size_t seen = 0;
  for (const std::string_view piece : split(choices, ',')) {
    const std::string_view spelling = trim(piece);
    const std::optional<Enum> value = parse(spelling);
    ASSERT_TRUE(value) << spelling;
    EXPECT_EQ(to_string(*value), spelling);
    ++seen;
  }
  EXPECT_EQ(seen, count);
}

TEST(Values, EverySpellingRoundTrips) {
  expect_round_trip<Outcome>(kOutcomeChoices, parse_outcome, 13);
  expect_round_trip<Verdict>(kVerdictChoices, parse_verdict, 6);
  expect_round_trip<Stage>(kStageChoices, parse_stage, 2);
  expect_round_trip<BaselineKind>(kBaselineKindChoices, parse_baseline_kind, 3);
  expect_round_trip<JobState>(kJobStateChoices, parse_job_state, 5);
  expect_round_trip<CampaignState>(kCampaignStateChoices, parse_campaign_state, 6);
  expect_round_trip<Role>(kRoleChoices, parse_role, 5);
  expect_round_trip<Metric>(kMetricChoices, parse_metric, 11);
  expect_round_trip<Sanitizer>(kSanitizerChoices, parse_sanitizer, 2);
  expect_round_trip<ExperienceSource>("staging, production, session", parse_experience_source, 3);
  expect_round_trip<AttemptState>("leased, completed, failed, expired, cancelled",
                                  parse_attempt_state, 5);
  expect_round_trip<SampleRole>("baseline, candidate", parse_sample_role, 2);
}

TEST(Values, UnknownSpellingsAreRefused) {
  EXPECT_FALSE(parse_outcome("OK"));
  EXPECT_FALSE(parse_outcome(""));
  EXPECT_FALSE(parse_baseline_kind("o3"));
  EXPECT_FALSE(parse_role("administrator"));
}

}  // namespace
}  // namespace hone
