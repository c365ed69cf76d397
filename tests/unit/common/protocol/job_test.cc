#include "common/protocol/job.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

TEST(JobBatch, RoundTrips) {
  JobRequest request;
  request.target = "lz4";
  request.rules.resize(1);
  request.rules[0].decision.pipeline = "function(sroa)";
  request.note = "by hand";
  request.stage = Stage::race;
  request.baseline = BaselineKind::oz;
  request.priority = 100;
  request.max_attempts = 1;
  const Json batch{{"jobs", Json::array({to_json(request)})}};
  const Result<std::vector<JobRequest>> back = parse_job_batch(batch);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  ASSERT_EQ(back->size(), 1U);
  EXPECT_EQ(to_json(back->front()), to_json(request));
}

TEST(JobBatch, InvariantsAreRefusedByPointer) {
  const Json good = Json::parse(R"({"jobs":[{"target":"lz4"},{"target":"dc"}]})");
  ASSERT_TRUE(parse_job_batch(good).has_value());
  Json many{{"jobs", Json::array()}};
  for (std::size_t i = 0; i <= kMaxJobsPerBatch; ++i) {
    many["jobs"].push_back(good["jobs"][0]);
  }
  const std::vector<std::pair<Json, std::string>> cases = {
      {Json::object(), "/jobs"},
      {with(good, "/jobs", Json::array()), "/jobs"},
      {with(good, "/jobs", 7), "/jobs"},
      {many, "/jobs"},
      {with(good, "/jobs/1", "x"), "/jobs/1"},
      {with(good, "/jobs/1/target", nullptr), "/jobs/1/target"},
      {with(good, "/jobs/1/target", Json::array()), "/jobs/1/target"},
      {with(good, "/jobs/0/max_attempts", 11), "/jobs/0/max_attempts"},
      {with(good, "/jobs/0/stage", "sprint"), "/jobs/0/stage"},
      {with(good, "/jobs/0/prio", 1), "/jobs/0/prio"},
      {with(good, "/more", 1), "/more"},
  };
  for (const auto& [document, pointer] : cases) {
    EXPECT_EQ(refused(parse_job_batch(document)), Pointers{pointer});
  }
}

TEST(JobView, RoundTrips) {
  JobView view;
  view.id = "j1";
  view.target = "lz4";
  view.campaign = "c1";
  view.candidate = "k1";
  view.origin = "knob";
  view.metric = Metric::text_bytes;
  view.state = JobState::done;
  view.outcome = Outcome::miscompiled;
  view.reason = "output differs";
  view.created_at = "2026-11-27T23:00:00Z";
  view.attempts = {{"a1", 1, "w1", AttemptState::completed, "", "2026-11-27T23:00:01Z", ""}};
  view.rules.resize(2);
  view.result = AttemptResult{};
  view.result->outcome = Outcome::miscompiled;
  view.result->reason = "output differs";
  Json document = to_json(view);
  document["added_later"] = true;
  const Result<JobView> back = parse_job_view(document);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(to_json(*back), to_json(view));
  EXPECT_EQ(back->result, view.result);
  document.erase("metric");
  EXPECT_EQ(parse_job_view(document)->metric, Metric::cpu_time);
}

TEST(JobView, ListsLeaveLongPartsOut) {
  JobView view;
  view.id = "j1";
  view.target = "lz4";
  const Json document = to_json(view);
  EXPECT_FALSE(document.contains("attempts"));
  EXPECT_FALSE(document.contains("rules"));
  EXPECT_FALSE(document.contains("result"));
}

}  // namespace
}  // namespace hone
