// Rewards that cannot be stored: nobody waits for them, and none is lost.
#include "common/base/log.h"
#include "tests/unit/server/canaries/canary_controller_test.h"

namespace hone::test {
namespace {

class CanaryRewardTest : public CanaryControllerTest {
 protected:
  // From now on the database refuses rewards, in this way.
  void refuse(const std::string& sqlstate) {
    sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
        "'a test refuses it' USING ERRCODE = '" +
        sqlstate +
        "'; END $$; CREATE TRIGGER refused BEFORE INSERT ON experiences "
        "FOR EACH ROW EXECUTE FUNCTION refuse()");
  }
  void accept() { sql("DROP TRIGGER refused ON experiences; DROP FUNCTION refuse()"); }

  // A canary that has ended, its reward being due.
  std::string ended() {
    const std::string id = begin();
    pass(15);
    withdraw(id);
    return id;
  }
  void withdraw(const std::string& id) {
    get(store->canaries().change(
        id, [](CanaryStatus status) { return ended_by_hand(std::move(status), "ann", "lunch"); }));
  }
  std::int64_t missing() { return get(store->operations().canary_gauges()).rewards_missing; }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST_F(CanaryRewardTest, OneThatIsRefusedIsToldOnceAndKept) {
  refuse("P0001");
  const std::string id = ended();
  testing::internal::CaptureStderr();
  pass(30);
  EXPECT_TRUE(last) << last.error().describe();
  const std::string next = begin({.steps = {5, 50}, .step_windows = 3}, publish());
  pass(5);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(state(next), CanaryState::ramping) << "others go on";
  EXPECT_EQ(service.share, 5);
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(passing_failures, 0);
  EXPECT_EQ(count(log, "canary_reward_refused"), 1U) << log;
  EXPECT_EQ(count(log, "a test refuses it"), 1U) << log;
  EXPECT_EQ(count(log, "canary_step_failed"), 0U) << log;
  EXPECT_TRUE(view(id).follows) << "its traffic is as it should be";
  EXPECT_EQ(missing(), 1);
  // Its windows stay for as long as it takes.
  sql("UPDATE canaries SET ended_at = ended_at - interval '1000 days' WHERE id = '" + id + "'");
  EXPECT_EQ(get(store->retention().remove_some(Retained::canary_windows, 1, 0)).removed, 0);
  EXPECT_GT(view(id).windows, 0);
  withdraw(next);
  pass(2);
  EXPECT_EQ(refusals, 2) << "each for itself";
  EXPECT_EQ(missing(), 2);
  accept();
  service.now += 3'600;
  pass(2);
  EXPECT_EQ(missing(), 0);
  EXPECT_EQ(view(id).experience["canary"], id);
  EXPECT_GT(get(store->retention().remove_some(Retained::canary_windows, 1, 0)).removed, 0);
}

TEST_F(CanaryRewardTest, OneThatTheDatabaseHasNoRoomForIsTriedAgainAfterGrowingPauses) {
  refuse("53100");
  const std::string id = ended();
  pass(120);
  EXPECT_EQ(refusals, 0);
  // At 0, 1, 3, 7, 15, 31, 63 s.
  EXPECT_EQ(passing_failures, 7);
  EXPECT_EQ(missing(), 1);
  accept();
  pass(61);
  EXPECT_EQ(missing(), 0);
  EXPECT_EQ(only_experience()["canary"], id);
}

// As a coordinator leaves it that died when the end was stored and the reward was not.
TEST_F(CanaryRewardTest, OneThatWasLeftIsStoredByAnother) {
  refuse("P0001");
  const std::string id = ended();
  pass(2);
  ASSERT_TRUE(view(id).follows);
  accept();
  service.share = 7;  // somebody else's by now
  restart("b");
  sql("UPDATE canaries SET owner_until = now() - interval '1 second'");
  pass(1);
  EXPECT_EQ(only_experience()["canary"], id);
  EXPECT_EQ(service.share, 7);
}

}  // namespace
}  // namespace hone::test
