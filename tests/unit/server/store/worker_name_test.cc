// Whose a worker's name is, and how many leases it may hold.

#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class WorkerName : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    owner = get(store->tokens().create("owner", Role::worker)).view.id;
    other = get(store->tokens().create("other", Role::worker)).view.id;
  }
  static WorkerView worker(const std::string& rack) {
    WorkerView worker;
    worker.name = "w1";
    worker.labels = {{"rack", rack}};
    return worker;
  }
  std::string rack() { return get(store->workers().find("w1")).labels.at("rack"); }
  bool known_as(const std::string& whose) {
    return get(store->workers().kinds({{"w1", whose}})).front().registered;
  }

  std::string owner;
  std::string other;
};

TEST_F(WorkerName, IsItsTokensAlone) {
  get(store->workers().put(worker("a"), owner));
  const Error refused = error_of(store->workers().put(worker("b"), other));
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_NE(refused.message.find("/v1/workers/w1/free"), std::string::npos) << refused.message;
  EXPECT_EQ(rack(), "a");
  submit(2);
  EXPECT_FALSE(known_as(other));
  EXPECT_EQ(error_of(store->jobs().claim("w1", other, 60)).code, ErrorCode::not_found);
  EXPECT_TRUE(known_as(owner));
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60)));
  // It restarts.
  get(store->workers().put(worker("c"), owner));
  EXPECT_EQ(rack(), "c");
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60)));
}

TEST_F(WorkerName, ATokenThatIsRotatedStaysTheSame) {
  get(store->workers().put(worker("a"), owner));
  get(store->tokens().rotate(owner, 0));
  get(store->workers().put(worker("b"), owner));
  EXPECT_EQ(rack(), "b");
}

TEST_F(WorkerName, IsFreeWhenItsTokenIsGoodNoMore) {
  get(store->workers().put(worker("a"), owner));
  done(store->tokens().revoke(owner));
  submit(1);
  EXPECT_EQ(error_of(store->jobs().claim("w1", other, 60)).code, ErrorCode::not_found)
      << "whoever has it next registers first";
  get(store->workers().put(worker("b"), other));
  EXPECT_EQ(rack(), "b");
  EXPECT_TRUE(get(store->jobs().claim("w1", other, 60)));
  sql("UPDATE tokens SET expires_at = now() WHERE id = '" + other + "'");
  get(store->workers().put(worker("c"), token));
  EXPECT_EQ(rack(), "c");
}

TEST_F(WorkerName, OnlyItsOwnSaysGoodBye) {
  get(store->workers().put(worker("a"), owner));
  EXPECT_EQ(error_of(store->workers().leave("w1", other)).code, ErrorCode::not_found);
  EXPECT_EQ(get(store->workers().find("w1")).left_at, "");
  EXPECT_FALSE(get(store->workers().leave("w1", owner)).empty());
}

TEST_F(WorkerName, AnAdminFreesIt) {
  get(store->workers().put(worker("a"), owner));
  done(store->workers().free("w1"));
  submit(2);
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60))) << "until somebody registers it";
  sql("UPDATE workers SET last_seen_at = now() - interval '1 minute'");
  EXPECT_TRUE(known_as(owner));
  get(store->workers().put(worker("b"), other));
  EXPECT_EQ(error_of(store->jobs().claim("w1", owner, 60)).code, ErrorCode::not_found);
  EXPECT_EQ(error_of(store->workers().free("w9")).code, ErrorCode::not_found);
}

TEST_F(WorkerName, OfAnEarlierReleaseIsOfWhoeverAsksForJobsAsIt) {
  sql("INSERT INTO workers (name, machine, labels, slots, version, last_seen_at) "
      "VALUES ('w1', '{}', '{}', 1, '', now() - interval '1 minute')");
  submit(1);
  EXPECT_TRUE(known_as(owner));
  EXPECT_FALSE(known_as(other));
  EXPECT_EQ(error_of(store->workers().put(worker("b"), other)).code, ErrorCode::conflict);
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60)));
}

TEST_F(WorkerName, OfAnEarlierReleaseIsOfWhoeverRegistersItNext) {
  sql("INSERT INTO workers (name, machine, labels, slots, version) "
      "VALUES ('w1', '{}', '{}', 1, '')");
  submit(2);
  EXPECT_TRUE(known_as(owner));
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60)));
  get(store->workers().put(worker("a"), owner));
  EXPECT_EQ(error_of(store->workers().put(worker("b"), other)).code, ErrorCode::conflict);
}

TEST_F(WorkerName, HoldsNoMoreLeasesThanItsSlotsCanBeBusyWith) {
  WorkerView mine = worker("a");
  get(store->workers().put(mine, owner));
  const auto most = static_cast<std::size_t>(kLargestHeat);
  submit(3 * most);
  // Many that ask at once as the same one, too.
  const std::vector<Claimant> many(kMaxClaimants, Claimant{"w1", owner});
  std::string last;
  for (std::size_t i = 0; i + 2 < most; ++i) {
    last = get(store->jobs().claim("w1", owner, 60)).value().attempt;
  }
  const Claims claims = get(store->jobs().claim_many(many, 60));
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(claims.each[i].status, i < 2 ? ClaimStatus::leased : ClaimStatus::full) << i;
  }
  EXPECT_EQ(error_of(store->jobs().claim("w1", owner, 60)).code, ErrorCode::resource_exhausted);
  get(store->jobs().hand_back(last, owner, {.reason = "no", .count_attempt = false}));
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60)));
  mine.slots = 2;
  get(store->workers().put(mine, owner));
  EXPECT_TRUE(get(store->jobs().claim("w1", owner, 60)));
}

}  // namespace
}  // namespace hone::test
