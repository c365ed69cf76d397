// Results that honed does not take at once, without a lease loop around them.
#include "worker/client/late_results.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/support/fake_job_server.h"
#include "tests/support/fake_lease.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

class NoRunner final : public LeaseRunner {
 public:
  Result<AttemptResult> run(const Lease&, const Slot&, const std::stop_token&) override {
    return fail(ErrorCode::internal, "nothing runs here");
  }
  void accepted(const Lease&, const AttemptResult&) override {}
  bool reuse_refused(const Lease&, const AttemptResult&) override { return false; }
};

class LateResultsTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("late-results-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
  }
  static HeldResult result(const std::string& attempt) {
    HeldResult held;
    held.entry.lease = fake_lease(attempt);
    held.entry.result.outcome = Outcome::build_failed;
    held.entry.result.reason = "no rule";
    return held;
  }

  std::optional<TemporaryFolder> folder_;
  FakeJobServer server_;
  NoRunner runner_;
  std::stop_source over_;
};

TEST_F(LateResultsTest, HoldsOnlySoManyInMemory) {
  server_.failures = {{"complete", 1'000'000}};
  ResultSpool full(folder_->path() / "nowhere");
  ResultSender sender(server_, runner_, full, over_.get_token());
  LateResults late(sender, full, 1h, [](const Error&) {});
  for (std::size_t i = 0; i < LateResults::kMostInMemory; ++i) {
    HeldResult held = result("a" + std::to_string(i));
    ASSERT_TRUE(late.take(held)) << i;
  }
  HeldResult further = result("b");
  EXPECT_FALSE(late.take(further));
  EXPECT_EQ(further.entry.lease.attempt, "b") << "its slot still has it";
  further.kept = true;
  EXPECT_TRUE(late.take(further)) << "of what the spool holds only the name is kept";
  over_.request_stop();
  late.finish();
}

TEST_F(LateResultsTest, OneThatIsRefusedIsSetAsideThoughOnlyMemoryHeldIt) {
  server_.refusals = {{"a", fail(ErrorCode::invalid_argument, "bad result")}};
  ResultSpool spool(folder_->path());
  ResultSender sender(server_, runner_, spool, over_.get_token());
  LateResults late(sender, spool, 5ms, [](const Error&) {});
  HeldResult held = result("a");
  ASSERT_TRUE(late.take(held));
  late.finish();
  EXPECT_TRUE(std::filesystem::exists(folder_->path() / "a.json.refused"));
  EXPECT_TRUE(server_.handed_back.contains("a"));
  EXPECT_FALSE(late.any());
}

TEST_F(LateResultsTest, ATokenThatIsNotKnownEndsTheWorker) {
  server_.refusals = {{"a", fail(ErrorCode::unauthenticated, "revoked")}};
  ResultSpool spool(folder_->path());
  ResultSender sender(server_, runner_, spool, over_.get_token());
  int given_up = 0;
  LateResults late(sender, spool, 5ms, [&](const Error&) { ++given_up; });
  HeldResult held = result("a");
  ASSERT_TRUE(spool.keep(held.entry).has_value());
  late.take_spooled();
  late.finish();
  EXPECT_EQ(given_up, 1);
  EXPECT_EQ(spool.entries().size(), 1U) << "a better token may deliver it";
}

}  // namespace
}  // namespace hone
