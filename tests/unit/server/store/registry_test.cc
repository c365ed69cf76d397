// TokenStore, ArtifactIndex, TargetStore, WorkerStore.

#include <boost/asio/co_spawn.hpp>

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

class TokenStoreTest : public StoreTest {};
class ArtifactIndexTest : public StoreTest {};
class TargetStoreTest : public StoreTest {};
class WorkerStoreTest : public StoreTest {};

TEST_F(TokenStoreTest, ATokenOpensUntilItIsRevoked) {
  const NewToken made = get(store->tokens().create("ci", Role::submitter));
  EXPECT_TRUE(made.secret.starts_with("hone_"));
  EXPECT_EQ(made.secret.size(), 69U);
  const TokenView known = get(store->tokens().authenticate(made.secret));
  EXPECT_EQ(known.id, made.view.id);
  EXPECT_EQ(known.role, Role::submitter);
  done(store->tokens().revoke(made.view.id));
  EXPECT_EQ(error_of(store->tokens().authenticate(made.secret)).code, ErrorCode::unauthenticated);
  EXPECT_EQ(error_of(store->tokens().revoke(made.view.id)).code, ErrorCode::not_found);
}

TEST_F(TokenStoreTest, StoresNoSecret) {
  const NewToken made = get(store->tokens().create("ci", Role::viewer));
  EXPECT_EQ(
      sql("SELECT count(*) FROM tokens t WHERE t::text LIKE '%" + made.secret.substr(5) + "%'"),
      "0");
}

TEST_F(TokenStoreTest, NamesAreUniqueWhileInUse) {
  const NewToken first = get(store->tokens().create("ci", Role::viewer));
  EXPECT_EQ(error_of(store->tokens().create("ci", Role::viewer)).code, ErrorCode::conflict);
  done(store->tokens().revoke(first.view.id));
  get(store->tokens().create("ci", Role::viewer));
  EXPECT_EQ(error_of(store->tokens().create("No Name", Role::viewer)).code,
            ErrorCode::invalid_argument);
}

TEST_F(TokenStoreTest, KnowsWhetherThereIsAnAdmin) {
  EXPECT_TRUE(get(store->tokens().has_admin()));
  sql("UPDATE tokens SET revoked_at = now()");
  EXPECT_FALSE(get(store->tokens().has_admin()));
  EXPECT_TRUE(get(store->tokens().list()).empty());
}

TEST_F(TokenStoreTest, TheLastAdminThatDoesNotExpireStays) {
  // Neither another role nor an admin for some time takes its place.
  get(store->tokens().create("reader", Role::viewer));
  const NewToken passing =
      get(store->tokens().create("passing", Role::admin, {.expires_in_s = 3600}));
  const Error refused = error_of(store->tokens().revoke(token));
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  for (const char* told : {"'tester'", "last", "hone token create NAME --role admin", "rotate"}) {
    EXPECT_NE(refused.message.find(told), std::string::npos) << told << ": " << refused.message;
  }
  EXPECT_EQ(get(store->tokens().find(token)).name, "tester");
  done(store->tokens().revoke(passing.view.id));
  const NewToken other = get(store->tokens().create("other", Role::admin));
  done(store->tokens().revoke(token));
  EXPECT_EQ(error_of(store->tokens().revoke(other.view.id)).code, ErrorCode::conflict);
}

TEST_F(TokenStoreTest, OfAdminsThatAllExpireOneStays) {
  const NewToken passing =
      get(store->tokens().create("passing", Role::admin, {.expires_in_s = 3600}));
  sql("UPDATE tokens SET expires_at = now() + interval '1 hour' WHERE name = 'tester'");
  done(store->tokens().revoke(passing.view.id));
  EXPECT_EQ(error_of(store->tokens().revoke(token)).code, ErrorCode::conflict);
}

TEST_F(TokenStoreTest, TwoRevocationsAtOnceLeaveAnAdmin) {
  for (int round = 0; round < 10; ++round) {
    const NewToken other =
        get(store->tokens().create("other-" + std::to_string(round), Role::admin));
    const std::vector<std::string> both = {token, other.view.id};
    std::vector<Result<void>> answers;
    for (const std::string& id : both) {
      boost::asio::co_spawn(context, store->tokens().revoke(id),
                            [&answers](std::exception_ptr, Result<void> answer) {
                              answers.push_back(std::move(answer));
                            });
    }
    context.restart();
    while (answers.size() < 2 && context.run_one() > 0) {
    }
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_NE(answers[0].has_value(), answers[1].has_value());
    EXPECT_EQ(sql("SELECT count(*) FROM tokens WHERE role = 'admin' AND revoked_at IS NULL"), "1");
    token = sql("SELECT id FROM tokens WHERE role = 'admin' AND revoked_at IS NULL");
  }
}

TEST_F(TokenStoreTest, RemembersItsLastUse) {
  const NewToken made = get(store->tokens().create("ci", Role::viewer));
  EXPECT_EQ(made.view.last_used_at, "");
  get(store->tokens().authenticate(made.secret));
  EXPECT_NE(get(store->tokens().list()).back().last_used_at, "");
}

TEST_F(ArtifactIndexTest, RecordsAnArtifactOnce) {
  const std::string hash = sha256_hex("content");
  EXPECT_EQ(error_of(store->artifacts().use(hash)).code, ErrorCode::not_found);
  done(store->artifacts().begin_storing(hash, 7, token));
  EXPECT_EQ(error_of(store->artifacts().use(hash)).code, ErrorCode::not_found);
  EXPECT_TRUE(get(store->artifacts().stored(hash, token)));
  done(store->artifacts().begin_storing(hash, 7, token));
  EXPECT_EQ(get(store->artifacts().use(hash)).size_bytes, 7);
  EXPECT_FALSE(get(store->artifacts().stored(hash, token)));
}

TEST_F(TargetStoreTest, AChangedSpecIsANewVersion) {
  const PutTarget first = get(store->targets().put(example_target("lz4"), token));
  EXPECT_TRUE(first.created);
  EXPECT_EQ(first.record.version, 1);
  EXPECT_EQ(first.record.spec, example_target("lz4"));
  const PutTarget same = get(store->targets().put(example_target("lz4"), token));
  EXPECT_FALSE(same.created);
  EXPECT_EQ(same.record.version, 1);
  TargetSpec changed = example_target("lz4");
  changed.tune.exclude = {"tests/*"};
  const PutTarget second = get(store->targets().put(changed, token));
  EXPECT_FALSE(second.created);
  EXPECT_EQ(second.record.version, 2);
  EXPECT_EQ(get(store->targets().find("lz4")).spec, changed);
  EXPECT_EQ(get(store->targets().find_version("lz4", 1)).spec, example_target("lz4"));
  EXPECT_EQ(error_of(store->targets().find_version("lz4", 3)).code, ErrorCode::not_found);
  EXPECT_EQ(error_of(store->targets().find("zlib")).code, ErrorCode::not_found);
}

TEST_F(TargetStoreTest, ConcurrentRegistrationsGetVersionsOneByOne) {
  int left = 6;
  for (int i = 0; i < 6; ++i) {
    TargetSpec spec = example_target("lz4");
    spec.benchmark.timeout_seconds = 10 + i;
    boost::asio::co_spawn(context, store->targets().put(spec, token),
                          [&](std::exception_ptr, Result<PutTarget> put) {
                            EXPECT_TRUE(put) << put.error().describe();
                            --left;
                          });
  }
  context.restart();
  while (left > 0 && context.run_one() > 0) {
  }
  EXPECT_EQ(get(store->targets().find("lz4")).version, 6);
}

TEST_F(TargetStoreTest, ListsByNameInPages) {
  for (const std::string name : {"c", "a", "d", "b", "e"}) {
    add_target(name);
  }
  std::string names;
  PageRequest page;
  page.limit = 2;
  do {
    const Page<TargetRecord> list = get(store->targets().list(page));
    for (const TargetRecord& target : list.items) {
      names += target.name;
    }
    page.cursor = list.next_cursor;
  } while (!page.cursor.empty());
  EXPECT_EQ(names, "abcde");
}

TEST_F(WorkerStoreTest, RegisteringAgainReplaces) {
  WorkerView worker;
  worker.name = "w1";
  worker.machine = {"host", "cpu", 8, 1024, "6.1"};
  worker.labels = {{"arch", "x86-64"}};
  worker.slots = 2;
  worker.version = "0.1";
  WorkerView stored = get(store->workers().put(worker));
  EXPECT_EQ(stored.machine, worker.machine);
  EXPECT_EQ(stored.labels, worker.labels);
  EXPECT_EQ(stored.slots, 2);
  EXPECT_NE(stored.last_seen_at, "");
  EXPECT_EQ(stored.current_job, "");
  worker.slots = 3;
  get(store->workers().put(worker));
  add_worker("w0");
  const std::vector<WorkerView> all = get(store->workers().list());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "w0");
  EXPECT_EQ(all[1].slots, 3);
  EXPECT_EQ(error_of(store->workers().find("w9")).code, ErrorCode::not_found);
}

TEST_F(WorkerStoreTest, ClaimingAndHeartbeatsCountAsSeen) {
  add_target();
  add_worker();
  const auto forget = [&] { sql("UPDATE workers SET last_seen_at = now() - interval '1 hour'"); };
  const auto seen = [&] {
    return sql("SELECT last_seen_at > now() - interval '1 minute' FROM workers") == "t";
  };
  forget();
  EXPECT_FALSE(claim());
  EXPECT_TRUE(seen());
  submit(1);
  const std::optional<Lease> lease = claim();
  forget();
  get(store->jobs().heartbeat(lease->attempt, token, 60));
  EXPECT_TRUE(seen());
}

}  // namespace
}  // namespace hone::test
