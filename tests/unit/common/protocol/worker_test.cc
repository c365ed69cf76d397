#include "common/protocol/worker.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

TEST(WorkerView, RoundTrips) {
  WorkerView worker;
  worker.name = "w1";
  worker.machine = {"host", "cpu", 4, 16000, "6.1"};
  worker.labels = {{"rack", "7"}, {"empty", ""}, {"a/b~c", "x"}};
  worker.slots = 2;
  worker.version = "0.1.0";
  worker.checks = {{"lz4",
                    3,
                    {Verdict::slower, {-0.02, -0.03, -0.01, 0.95, 12, 0.01, 0.02}, 0.5},
                    0.1,
                    "2026-01-02T03:04:05Z",
                    "two bad checks"},
                   {"zstd", 1, {}, std::nullopt, "2026-01-02T03:04:05Z", ""}};
  worker.checks[1].check.baseline_value = 1;
  worker.checks[1].check.reward.pairs = 12;
  const Result<WorkerView> back = parse_worker(to_json(worker), UnknownKeys::refuse);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(to_json(*back), to_json(worker));
  EXPECT_EQ(back->labels, worker.labels);
  EXPECT_EQ(back->checks.at(0).check, worker.checks[0].check);
}

TEST(WorkerView, InvariantsAreRefusedByPointer) {
  const Json good{{"name", "w1"}};
  EXPECT_TRUE(parse_worker(good, UnknownKeys::refuse).has_value());
  const std::vector<std::pair<Json, std::string>> cases = {
      {Json::object(), "/name"},
      {with(good, "/slots", 0), "/slots"},
      {with(good, "/labels", 3), "/labels"},
      {with(good, "/labels", Json{{"k", 7}}), "/labels/k"},
      {with(good, "/labels", Json{{"k/l", 7}}), "/labels/k~1l"},
      {with(good, "/labels", Json{{std::string(64, 'k'), "v"}}), "/labels/" + std::string(64, 'k')},
      {with(good, "/labels", Json{{std::string("k\0", 2), "v"}}),
       "/labels/" + std::string("k\0", 2)},
      {with(good, "/machine", Json{{"cpus", -1}}), "/machine/cpus"},
      {with(good, "/mood", "good"), "/mood"},
  };
  for (const auto& [document, pointer] : cases) {
    EXPECT_EQ(refused(parse_worker(document, UnknownKeys::refuse)), Pointers{pointer});
  }
}

}  // namespace
}  // namespace hone
