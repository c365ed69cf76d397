// Leases end by the time in which honeds served, whoever of them did.
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class ServedTimeTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
    submit(1);
    claim("w1", 60);
  }
  std::int64_t note() { return get(store->served_time().note(60)); }
  // As if the last service was, and the lease ends, so many seconds from now.
  void set(const std::string& last_service, const std::string& lease_end) {
    sql("UPDATE serving SET until = now() + interval '" + last_service + "'");
    sql("UPDATE attempts SET expires_at = now() + interval '" + lease_end + "'");
  }
  double left() {
    return std::stod(sql("SELECT extract(epoch FROM expires_at - now()) FROM attempts"));
  }
  std::size_t expired() { return get(store->jobs().expire_leases()).size(); }
};

TEST_F(ServedTimeTest, TheFirstTimeAllLeasesGetTheirWholeTime) {
  sql("UPDATE attempts SET expires_at = now() - interval '1 second'");
  EXPECT_EQ(note(), 1);
  EXPECT_NEAR(left(), 60, 5);
  EXPECT_EQ(expired(), 0U);
}

TEST_F(ServedTimeTest, NoticedEverySecondItChangesNothing) {
  note();
  set("-1 s", "-0.5 s");
  EXPECT_EQ(note(), 0);
  EXPECT_EQ(expired(), 1U);
}

TEST_F(ServedTimeTest, WhileNobodyServedNoTimeWentBy) {
  set("-100 s", "-70 s");  // 30 s were left when the last honed died
  EXPECT_EQ(note(), 1);
  EXPECT_NEAR(left(), 28, 5);
  EXPECT_EQ(note(), 0) << "another honed that comes back with this one";
  EXPECT_EQ(expired(), 0U);
}

TEST_F(ServedTimeTest, NothingEndsBeforeAGapIsNoticed) {
  set("-100 s", "-70 s");
  EXPECT_EQ(expired(), 0U) << "sent again by a pool whose connection was lost for so long";
  note();
  EXPECT_EQ(expired(), 0U);
  sql("UPDATE serving SET until = NULL");
  sql("UPDATE attempts SET expires_at = now() - interval '1 second'");
  EXPECT_EQ(expired(), 0U) << "nobody has served yet";
}

TEST_F(ServedTimeTest, NoLeaseIsGivenMoreThanItsWholeTime) {
  set("-3600 s", "50 s");  // leased, or renewed, a moment ago
  note();
  EXPECT_NEAR(left(), 60, 5);
}

TEST_F(ServedTimeTest, AHonedThatIsStartedAgainAndAgainDoesNotKeepALeaseAlive) {
  note();
  sql("UPDATE attempts SET expires_at = now() + interval '10 s'");
  int starts = 0;
  while (expired() == 0) {
    ASSERT_LT(++starts, 10);
    // It is down for 30 s; then another moment of service has gone by.
    sql("UPDATE serving SET until = until - interval '30 s'");
    sql("UPDATE attempts SET expires_at = expires_at - interval '30 s' WHERE state = 'leased'");
    note();
  }
}

TEST_F(ServedTimeTest, AClockThatIsSetForwardEndsNoLease) {
  set("-1 h", "-59 min -10 s");
  note();
  EXPECT_EQ(expired(), 0U);
  EXPECT_NEAR(left(), 48, 5);
}

TEST_F(ServedTimeTest, AClockThatIsSetBackMakesNoLeaseEndless) {
  set("1 h", "1 h 40 s");
  EXPECT_EQ(note(), 1);
  EXPECT_NEAR(left(), 60, 5);
  EXPECT_EQ(note(), 0);
}

TEST_F(ServedTimeTest, OfTwoThatNoticeTheSameGapOneActs) {
  set("-100 s", "-70 s");
  std::int64_t changed = 0;
  int running = 8;
  for (int i = 0; i < 8; ++i) {
    boost::asio::co_spawn(context, store->served_time().note(60),
                          [&](std::exception_ptr, Result<std::int64_t> leases) {
                            EXPECT_TRUE(leases) << leases.error().describe();
                            changed += *leases;
                            --running;
                          });
  }
  context.restart();
  while (running > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(changed, 1);
  EXPECT_NEAR(left(), 28, 5);
}

}  // namespace
}  // namespace hone::test
