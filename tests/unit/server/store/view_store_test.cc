// ViewStore's histories: every result at once, in hours, in buckets; with a change that was
// planted.

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class ViewStoreHistory : public StoreTest {
 protected:
  // Results of one series, a minute apart and up to now; from `changed` on 10 % slower. One of a
  // hundred has no reward.
  void add_results(int count, int changed) {
    add_target();
    add_worker();
    sql("SET session_replication_role = replica;"
        "INSERT INTO results (attempt, job, outcome, reason, verdict, machine, compiler, "
        "plugin_sha256,"
        " launcher_version, linker, build_seconds, baseline_build_seconds, measure_seconds, log,"
        " warnings, created_at)"
        " SELECT i, i, 'ok', '', 'faster', '{}', '', '', '', '', 1, 1, 1, '', '{}',"
        " now() - (" +
        std::to_string(count) +
        " - i) * interval '1 minute'"
        " FROM generate_series(1, " +
        std::to_string(count) +
        ") AS i;"
        "UPDATE results SET reward = 0.25, reward_low = 0.125, reward_high = 0.5,"
        " reward_confidence = 0.95, reward_pairs = 1, reward_detectable_effect = 1, reward_noise = "
        "1"
        " WHERE attempt % 100 <> 0;"
        "INSERT INTO attempts (job, lane, ordinal, worker, token, state, seed, expires_at, "
        "ended_at,"
        " completion_sha256)"
        " SELECT i, 0, 1, 1, 1, 'completed', 1, now(), now(), repeat('0', 64)"
        " FROM generate_series(1, " +
        std::to_string(count) +
        ") AS i;"
        "INSERT INTO jobs (target, target_version, stage, baseline, priority, max_attempts, rules,"
        " state, attempt, finished_at)"
        " SELECT 1, 1, 'race', 'O3', 0, 1, '[]', 'done', i, now()"
        " FROM generate_series(1, " +
        std::to_string(count) +
        ") AS i;"
        "INSERT INTO measurements (attempt, number, pair, block, layout, position, role, metric,"
        " stage, baseline, value, input)"
        " SELECT i, side, 0, 0, 0, side, (ARRAY['baseline', 'candidate'])[side + 1]::sample_role,"
        " 'cpu_time', 'race', 'O3',"
        " CASE WHEN i >= " +
        std::to_string(changed) +
        " THEN 1.1 ELSE 1 END"
        " * CASE side WHEN 0 THEN 1 ELSE 0.5 END, ''"
        " FROM generate_series(1, " +
        std::to_string(count) +
        ") AS i, generate_series(0, 1) AS side;"
        "SELECT summarise_results(array_agg(attempt)) FROM results;"
        "SET session_replication_role = DEFAULT");
  }

  Json history(std::int64_t points, HistoryDetail detail = HistoryDetail::chart) {
    HistoryQuery query;
    query.target = "lz4";
    query.points = points;
    query.detail = detail;
    return *parse_json(get(store->views().history(std::move(query))), {.bytes = 64U << 20U});
  }
};

TEST_F(ViewStoreHistory, VeryManyResultsComeAllAtOnce) {
  add_results(20'500, 20'001);
  const Json shown = history(100'000);
  EXPECT_EQ(shown["total"], 20'500);
  EXPECT_EQ(shown["bucketed"], false);
  EXPECT_EQ(shown["points"]["rows"], 20'500);
  const Json& columns = shown["points"]["columns"];
  EXPECT_EQ(columns.size(), 5U) << "what a line is drawn from";
  EXPECT_EQ(columns["baseline"][0], 1);
  EXPECT_NEAR(columns["baseline"][20'499].get<double>(), 1.1, 1e-6);
  EXPECT_EQ(columns["candidate"][0], 0.5);
  EXPECT_EQ(columns["reward"][0], 0.25);
  EXPECT_TRUE(columns["reward"][99].is_null()) << "no reward is none, not 0";
  EXPECT_EQ(columns["version"][7], 1);
  EXPECT_EQ(columns["at"][1].get<std::int64_t>() - columns["at"][0].get<std::int64_t>(), 60'000);
  // A file has every column of the same rows.
  const Json whole = history(kAllHistoryPoints, HistoryDetail::all);
  EXPECT_EQ(whole["points"]["rows"], 20'500);
  const Json& all = whole["points"]["columns"];
  EXPECT_EQ(all["reward_high"][0], 0.5);
  EXPECT_EQ(all["at"][20'499], columns["at"][20'499]);
  EXPECT_EQ(all["job"][3].get<std::string>().size(), 36U);
}

TEST_F(ViewStoreHistory, BucketsHoldEveryResultOnceAndShowTheChange) {
  add_results(6'000, 3'001);
  // 100 hours: of whole hours for 100 points, of results for 2,000.
  for (const std::int64_t points : {100, 2'000}) {
    const Json shown = history(points);
    EXPECT_EQ(shown["bucketed"], true) << points;
    EXPECT_EQ(shown["total"], 6'000) << points;
    const Json& columns = shown["points"]["columns"];
    EXPECT_LE(shown["points"]["rows"].get<std::int64_t>(), points + 1);
    EXPECT_GE(shown["points"]["rows"].get<std::int64_t>(), points * 9 / 10);
    std::int64_t results = 0;
    for (const Json& count : columns["count"]) {
      results += count.get<std::int64_t>();
    }
    EXPECT_EQ(results, 6'000) << points;
    EXPECT_NEAR(columns["baseline"][0].get<double>(), 1, 1e-6);
    EXPECT_NEAR(columns["reward"][0].get<double>(), 0.25, 1e-6);
    ASSERT_EQ(shown["changes"].size(), 1U) << points << shown["changes"];
    const Json& change = shown["changes"][0];
    EXPECT_EQ(change["of"], "baseline");
    EXPECT_NEAR(change["change"].get<double>(), std::log(1.1), 0.01);
    const std::int64_t planted = columns["at"][0].get<std::int64_t>() + 3'000 * 60'000;
    EXPECT_NEAR(static_cast<double>(change["at"].get<std::int64_t>() - planted), 0, 3'700'000);
    EXPECT_LT(change["not_before"], change["at"]);
  }
}

TEST_F(ViewStoreHistory, AResultIsSummarisedOnce) {
  add_results(50, 51);
  EXPECT_EQ(sql("SELECT sum(results) FROM history_hours"), "50");
  sql("SELECT summarise_results(array_agg(attempt)) FROM results");
  EXPECT_EQ(sql("SELECT sum(results) FROM history_hours"), "50");
  EXPECT_EQ(sql("SELECT count(*) FROM result_summaries"), "50");
  EXPECT_EQ(sql("SELECT sum(rewards) FROM history_hours"), "50");
}

}  // namespace
}  // namespace hone::test
