// Where a baseline's time goes: who is asked for it, and what is kept.

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class SourceProfileStore : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  std::string learn(std::int64_t candidates) {
    CampaignRequest request;
    request.target = "lz4";
    request.budget_candidates = 50;
    request.proposing_seconds = 60;
    const std::string id = get(store->campaigns().create(request, std::nullopt, token)).view.id;
    get(store->campaigns().add_candidate_set(id, example_set(candidates)));
    return id;
  }
  void finish(const Lease& lease, std::optional<SourceProfile> profile) {
    AttemptResult result = example_result();
    result.profile = std::move(profile);
    done(store->jobs().complete(lease.attempt, token, result, sha256_hex(lease.attempt)));
  }
  std::optional<SourceProfile> kept() { return get(store->targets().find("lz4")).profile; }
};

const SourceProfile kNone{"no valgrind", {}};
const SourceProfile kKnown{"", {{"lib/lz4hc.c", 0.9}, {"lib/lz4.c", 0.05}}};

TEST_F(SourceProfileStore, IsAskedForUntilSomebodyHasToldIt) {
  learn(4);
  const std::optional<Lease> first = claim();
  EXPECT_TRUE(first->profile);
  EXPECT_FALSE(kept().has_value());
  finish(*first, kKnown);
  EXPECT_EQ(kept(), kKnown);
  EXPECT_FALSE(claim()->profile);
  add_worker("w2");
  EXPECT_FALSE(claim("w2")->profile) << "it is the target's, not the worker's";
}

TEST_F(SourceProfileStore, WhoCouldNotTellIsAskedAgainTheNextDay) {
  learn(5);
  finish(*claim(), kNone);
  EXPECT_EQ(kept(), kNone);
  EXPECT_FALSE(claim()->profile);
  sql("UPDATE source_profiles SET measured_at = measured_at - interval '25 hours'");
  const std::optional<Lease> again = claim();
  EXPECT_TRUE(again->profile);
  add_worker("w2");
  const std::optional<Lease> other = claim("w2");
  EXPECT_TRUE(other->profile) << "another machine may have what this one lacks";
  finish(*other, kKnown);
  finish(*again, kNone);
  EXPECT_EQ(kept(), kKnown);
}

TEST_F(SourceProfileStore, IsNotAskedForWhereNobodyLearns) {
  race(1);
  EXPECT_FALSE(claim()->profile);
  submit(1);
  EXPECT_FALSE(claim()->profile);
}

TEST_F(SourceProfileStore, IsOfOneVersionOfTheTarget) {
  learn(1);
  finish(*claim(), kKnown);
  TargetSpec changed = example_target("lz4");
  changed.benchmark.timeout_seconds += 1;
  get(store->targets().put(changed, token));
  EXPECT_FALSE(kept().has_value());
  learn(1);
  EXPECT_TRUE(claim()->profile);
  changed.benchmark.metric.metric = Metric::text_bytes;
  get(store->targets().put(changed, token));
  learn(1);
  EXPECT_FALSE(claim()->profile) << "sizes have no time that goes anywhere";
}

}  // namespace
}  // namespace hone::test
