// What costs no more per row for thousands of rows than for ten, whatever the statistics say.

#include <nlohmann/json.hpp>

#include "server/store/pg/view_sql.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

using ManyRows = StoreTest;

// All rows that the nodes of an executed plan gave or threw away.
double rows_touched(const Json& plan) {
  double rows = 0;
  for (const char* kind :
       {"Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter"}) {
    rows += plan.value(kind, 0.0);
  }
  rows *= plan.value("Actual Loops", 1.0);
  for (const Json& child : plan.value("Plans", Json::array())) {
    rows += rows_touched(child);
  }
  return rows;
}

TEST_F(ManyRows, ACampaignsCandidatesAreReadByTheirKeys) {
  constexpr std::int64_t kRows = 2000;
  add_target();
  race(3);
  // As when the tables had ten rows: what is inserted next is not known to the planner.
  sql("ANALYZE");
  const std::string id = race(kRows);
  std::string statement = campaign_candidates_sql();
  const std::string number = sql("SELECT number FROM campaigns WHERE id = '" + id + "'");
  for (std::size_t at = statement.find("$1"); at != std::string::npos; at = statement.find("$1")) {
    statement.replace(at, 2, number + "::bigint");
  }
  const Json plan = Json::parse(sql("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + statement));
  EXPECT_GE(plan[0]["Plan"]["Actual Rows"], kRows);
  EXPECT_LT(rows_touched(plan[0]["Plan"]), 20.0 * kRows) << plan.dump(1);
}

// PL/pgSQL keeps the plan that it made for the first few changes, of one row each. Made for one
// row, a join of the rows before with those after looks at each pair of them.
TEST_F(ManyRows, NoTriggerJoinsTheRowsBeforeWithTheRowsAfter) {
  EXPECT_EQ(sql(R"sql(
    SELECT coalesce(string_agg(DISTINCT p.proname, ' '), '')
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgoldtable IS NOT NULL AND t.tgnewtable IS NOT NULL
      AND p.prosrc ~* '(JOIN|,)\s+(old_rows|new_rows)\M')sql"),
            "");
}

TEST_F(ManyRows, OfManyJobsThatChangeAtOnceEachIsNoted) {
  add_target();
  add_worker();
  const std::string first = race(8);
  for (int i = 0; i < 8; ++i) {  // plans of single rows are kept
    const std::optional<Lease> lease = claim();
    ASSERT_TRUE(lease);
    get(store->jobs().hand_back(lease->attempt, token, {.reason = "no", .count_attempt = false}));
  }
  const std::string id = race(500);
  get(store->campaigns().cancel(id));
  EXPECT_EQ(
      sql("SELECT count(*) || ' ' || count(DISTINCT e.job) FROM events e JOIN campaigns c ON "
          "c.number = e.campaign WHERE e.kind = 'job' AND e.state = 'cancelled' AND e.reason = "
          "'the campaign was cancelled' AND c.id = '" +
          id + "'"),
      "500 500");
  EXPECT_EQ(sql("SELECT count_jobs('cancelled')"), "500");
  EXPECT_EQ(sql("SELECT count_jobs('queued')"), "8");
}

}  // namespace
}  // namespace hone::test
