// Collection of artifacts: what it takes, what it never takes, and that no order of uploads, uses,
// references, collections and crashes loses what somebody needs.
#include "server/store/artifacts/artifact_gc.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

#include <boost/asio/steady_timer.hpp>

#include "common/base/random.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/artifact_folder.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

class ArtifactGcTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    folder = *ArtifactFolder::open(temporary.path() / "artifacts");
  }
  void TearDown() override {
    folder.reset();
    StoreTest::TearDown();
  }

  // The steps of an upload, and all of them.
  void begin(const std::string& name) { done(store->artifacts().begin_storing(name, 1, token)); }
  bool may_begin(const std::string& name) {
    return run_on(context, store->artifacts().begin_storing(name, 1, token)).has_value();
  }
  void place(const std::string& name) {
    const fs::path file = temporary.path() / "file";
    std::ofstream(file) << name;
    done(folder->keep(name, file));
  }
  bool finish(const std::string& name) {
    return run_on(context, store->artifacts().stored(name, "")).has_value();
  }
  void upload(const std::string& name) {
    begin(name);
    place(name);
    ASSERT_TRUE(finish(name));
  }
  bool ask(const std::string& name) {
    return run_on(context, store->artifacts().use(name)).has_value();
  }
  void refer(const std::string& name, const std::string& target) {
    TargetSpec spec = example_target(target);
    spec.source.artifact = name;
    get(store->targets().put(spec, token));
  }
  void age() {
    sql("UPDATE artifacts SET used_at = used_at - interval '8 days', "
        "removing_until = removing_until - interval '8 days'");
  }
  // As if all removals that were under way were so long ago that they are over.
  void pass_fences() { sql("UPDATE artifacts SET removing_until = now()"); }
  RemoveFile remover(const std::string& name) {
    return [this, name](std::chrono::steady_clock::time_point until) {
      return folder->remove(name, until);
    };
  }
  Collected collect() { return get(collect_artifacts(store->artifacts(), *folder, {})); }
  bool file_there(const std::string& name) { return get(folder->holds(name)); }
  std::string state(const std::string& name) {
    return sql("SELECT coalesce(max(state::text), 'none') FROM artifacts WHERE sha256 = '" + name +
               "'");
  }
  // Without running the context: for coroutines that it runs.
  bool file_there_now() const {
    return fs::exists(temporary.path() / "artifacts" / artifact_key(hash));
  }
  // SQL beside the store, from within a coroutine; gives `n` of its first row.
  Async<std::string> ask_beside(std::string text) {
    PgConnectOptions options;
    options.url = url;
    auto connection = co_await PgConnection::connect(context.get_executor(), options);
    if (!connection) {
      co_return connection.error().to_error();
    }
    const PgOutcome<PgResult> found = co_await (*connection)->run(std::move(text));
    if (!found) {
      co_return found.error().to_error();
    }
    co_return found->row(0).text("n");
  }
  // Whether somebody waits for a lock.
  Async<bool> waiting_for_lock() {
    const Result<std::string> waiting = co_await ask_beside(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND datname = current_database()");
    HONE_CO_CHECK(waiting);
    co_return *waiting != "0";
  }
  // Ends the store's connections that are within a transaction; gives how many.
  Async<std::string> cut_transactions() {
    Result<std::string> cut = co_await ask_beside(
        "SELECT count(pg_terminate_backend(pid, 10000)) AS n FROM pg_stat_activity "
        "WHERE datname = current_database() AND state = 'idle in transaction'");
    co_return cut;
  }
  bool there(const std::string& name) { return state(name) == "kept" && file_there(name); }

  TemporaryFolder temporary = passable_folder();
  std::unique_ptr<ArtifactFolder> folder;
  const std::string hash = sha256_hex("artifact");
};

TEST_F(ArtifactGcTest, TakesWhatNobodyNeedsAfterItsTime) {
  upload(hash);
  EXPECT_EQ(collect().removed.artifacts, 0);
  EXPECT_EQ(get(store->artifacts().count_unneeded(7 * 86'400)).artifacts, 0);
  age();
  EXPECT_EQ(get(store->artifacts().count_unneeded(7 * 86'400)).artifacts, 1);
  const Collected collected = collect();
  EXPECT_EQ(collected.removed.artifacts, 1);
  EXPECT_EQ(collected.removed.bytes, 1);
  EXPECT_FALSE(file_there(hash));
  EXPECT_EQ(state(hash), "none");
  EXPECT_FALSE(ask(hash));
  upload(hash);
  EXPECT_TRUE(there(hash));
}

TEST_F(ArtifactGcTest, MakesRoomWhileNothingElseIsWritten) {
  upload(hash);
  age();
  store->set_read_only(true);
  EXPECT_FALSE(may_begin(sha256_hex("another")));
  EXPECT_EQ(error_of(collect_artifacts(store->artifacts(), *folder, {})).code,
            ErrorCode::unavailable);
  EXPECT_EQ(get(collect_artifacts(store->collected_artifacts(), *folder, {})).removed.artifacts, 1);
  EXPECT_EQ(state(hash), "none");
  EXPECT_FALSE(file_there(hash));
  // The connection that it wrote through takes no other's writes.
  EXPECT_FALSE(may_begin(sha256_hex("another")));
  store->set_read_only(false);
  EXPECT_TRUE(may_begin(sha256_hex("another")));
}

TEST_F(ArtifactGcTest, AUseIsCountedAnew) {
  upload(hash);
  age();
  EXPECT_TRUE(ask(hash));
  EXPECT_EQ(collect().removed.artifacts, 0);
  EXPECT_TRUE(there(hash));
}

TEST_F(ArtifactGcTest, WhatIsReferredToStays) {
  upload(hash);
  refer(hash, "lz4");
  const std::string program = sha256_hex("program");
  upload(program);
  sql("INSERT INTO episodes (id, session, program, start, machine, compiler, begun_at) VALUES "
      "(gen_random_uuid(), gen_random_uuid(), '" +
      program + "', 'open', '{}', 'LLVM 19', now())");
  // A later version without it does not free the earlier one: jobs and policies may be of that.
  refer(sha256_hex("other"), "lz4");
  age();
  EXPECT_EQ(collect().removed.artifacts, 0);
  EXPECT_TRUE(there(hash));
  EXPECT_TRUE(there(program));
}

TEST_F(ArtifactGcTest, AnInterruptedRemovalIsGoneOnWith) {
  upload(hash);
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  EXPECT_FALSE(ask(hash)) << "one that is being removed must not be promised";
  EXPECT_EQ(collect().removed.artifacts, 1);
  EXPECT_FALSE(file_there(hash));
  // Likewise when the file was removed, and not the record.
  upload(hash);
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  done(folder->remove(hash, std::chrono::steady_clock::time_point::max()));
  EXPECT_EQ(collect().removed.artifacts, 1);
  EXPECT_EQ(state(hash), "none");
}

TEST_F(ArtifactGcTest, AnInterruptedUploadIsCollected) {
  begin(hash);
  place(hash);
  EXPECT_FALSE(ask(hash));
  age();
  EXPECT_EQ(collect().removed.artifacts, 1);
  EXPECT_FALSE(file_there(hash));
  EXPECT_FALSE(finish(hash)) << "the upload must be told that it is gone";
}

TEST_F(ArtifactGcTest, AnUploadBringsAMarkedOneBack) {
  upload(hash);
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  begin(hash);
  EXPECT_FALSE(get(store->artifacts().remove_marked(hash, remover(hash))));
  place(hash);
  EXPECT_TRUE(finish(hash));
  EXPECT_TRUE(there(hash));
}

// The file is being removed when the upload begins: it must wait, or its own file would be removed.
TEST_F(ArtifactGcTest, AnUploadWaitsForARemovalUnderWay) {
  upload(hash);
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  bool uploaded = false;
  std::function<Async<void>()> upload_it = [&]() -> Async<void> {
    const Result<void> begun = co_await store->artifacts().begin_storing(hash, 1, token);
    EXPECT_TRUE(begun);
    EXPECT_FALSE(file_there_now()) << "the upload did not wait";
    uploaded = true;
    co_return begun;
  };
  RemoveFile remove_file = [&](std::chrono::steady_clock::time_point until) -> Async<void> {
    boost::asio::co_spawn(context, upload_it(), [](const std::exception_ptr& error, Result<void>) {
      EXPECT_EQ(error, nullptr);
    });
    // Until the upload waits for the record's lock, as PostgreSQL sees it.
    for (int i = 0; i < 1000; ++i) {
      const Result<bool> waits = co_await waiting_for_lock();
      if (waits && *waits) {
        break;
      }
      boost::asio::steady_timer timer(context, std::chrono::milliseconds(5));
      co_await timer.async_wait(boost::asio::use_awaitable);
    }
    EXPECT_FALSE(uploaded);
    Result<void> removed = co_await folder->remove(hash, until);
    co_return removed;
  };
  EXPECT_TRUE(get(store->artifacts().remove_marked(hash, remove_file)));
  while (!uploaded && context.run_one() > 0) {
  }
  EXPECT_EQ(state(hash), "storing");
  place(hash);
  EXPECT_TRUE(finish(hash));
  EXPECT_TRUE(there(hash));
}

// The connection with the record's lock ends while the file is being removed: an upload must not
// bring the artifact back then, or its file would be removed.
TEST_F(ArtifactGcTest, ARemovalThatLostItsLockTakesNoNewFile) {
  upload(hash);
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  int calls = 0;
  RemoveFile remove_file = [&](std::chrono::steady_clock::time_point until) -> Async<void> {
    if (++calls == 1) {
      const Result<std::string> cut = co_await cut_transactions();
      EXPECT_EQ(cut.value(), "1");
      // By another coordinator, which also finds that nothing is left to be collected.
      const Result<void> begun = co_await store->artifacts().begin_storing(hash, 1, token);
      EXPECT_FALSE(begun.has_value()) << "its file would be removed now";
      if (!begun) {
        EXPECT_EQ(begun.error().code, ErrorCode::unavailable) << begun.error().message;
      }
      const auto other = co_await store->artifacts().mark_unneeded(86'400, {});
      EXPECT_TRUE(other && !*other) << "whoever removed the record would let uploads in";
      const Result<bool> both = co_await store->artifacts().remove_marked(hash, remover(hash));
      EXPECT_TRUE(both && !*both);
    }
    Result<void> removed = co_await folder->remove(hash, until);
    co_return removed;
  };
  EXPECT_TRUE(get(store->artifacts().remove_marked(hash, remove_file))) << "it goes on by itself";
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(state(hash), "none");
  upload(hash);
  EXPECT_TRUE(there(hash));
}

TEST_F(ArtifactGcTest, ARemovalWhoseEndIsNotKnownIsWaitedFor) {
  upload(hash);
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  const RemoveFile fails = [](std::chrono::steady_clock::time_point until) -> Async<void> {
    EXPECT_LE(until, std::chrono::steady_clock::now() + kRemovalTime);
    co_return fail(ErrorCode::unavailable, "no answer");
  };
  EXPECT_FALSE(run_on(context, store->artifacts().remove_marked(hash, fails)));
  EXPECT_FALSE(may_begin(hash)) << "the request may still be under way";
  EXPECT_EQ(get(store->artifacts().count_unneeded(86'400)).artifacts, 0);
  EXPECT_EQ(collect().removed.artifacts, 0);
  EXPECT_EQ(state(hash), "deleting");
  EXPECT_EQ(sql("SELECT removing_until BETWEEN now() + interval '4 minutes' AND now() + interval "
                "'6 minutes' FROM artifacts"),
            "t");
  pass_fences();
  EXPECT_TRUE(may_begin(hash));
  place(hash);
  EXPECT_TRUE(finish(hash));
  EXPECT_TRUE(there(hash));
  EXPECT_EQ(sql("SELECT removing_until IS NULL FROM artifacts"), "t");
  // Or the next run removes it.
  age();
  ASSERT_TRUE(get(store->artifacts().mark_unneeded(86'400, {})));
  EXPECT_FALSE(run_on(context, store->artifacts().remove_marked(hash, fails)));
  pass_fences();
  EXPECT_EQ(collect().removed.artifacts, 1);
}

// One of the actors of a random history: where it is in what it does.
struct Actor {
  int step = 0;
  std::string hash;
  std::string marked;
};

TEST_F(ArtifactGcTest, NoOrderOfStepsLosesWhatIsNeeded) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  std::vector<std::string> hashes;
  for (int i = 0; i < 4; ++i) {
    hashes.push_back(sha256_hex(std::to_string(i)));
  }
  const auto any = [&] { return hashes[random.below(hashes.size())]; };
  std::vector<Actor> uploaders(2);
  std::vector<Actor> collectors(2);
  std::vector<Actor> clients(2);
  std::map<std::string, bool> referred;
  std::map<std::string, bool> promised;  // since the last ageing
  std::map<std::string, int> done_steps;
  // Asked for by collectors that lost the database or their life then: they happen at any time
  // before the fence is over.
  std::vector<std::string> late;
  int targets = 0;
  // A history in which one of these never came says nothing of it, and chance makes such ones of
  // 350 steps: it goes on until each was there often enough.
  const auto all_were_there = [&] {
    return done_steps["uploaded"] > 3 && done_steps["removed"] > 0 && done_steps["referred"] > 0;
  };
  for (int i = 0; i < 350 || (i < 5000 && !all_were_there()); ++i) {
    const std::uint64_t dice = random.below(100);
    if (dice < 40) {
      Actor& actor = uploaders[random.below(uploaders.size())];
      if (random.below(12) == 0) {
        actor.step = 0;  // it died
      } else if (actor.step == 0) {
        actor.hash = any();
        actor.step = may_begin(actor.hash) ? 1 : 0;
      } else if (actor.step == 1) {
        place(actor.hash);
        actor.step = 2;
      } else {
        if (finish(actor.hash)) {
          promised[actor.hash] = true;
          ++done_steps["uploaded"];
        }
        actor.step = 0;
      }
    } else if (dice < 65) {
      Actor& actor = collectors[random.below(collectors.size())];
      if (actor.step == 0) {
        const auto marked = get(store->artifacts().mark_unneeded(7 * 86'400, {}));
        actor.marked = marked ? marked->sha256 : "";
        actor.step = marked ? 1 : 0;
      } else {
        // It may die before it begins, or when the file is gone, or will be, and the record is not.
        const std::uint64_t end = random.below(6);
        if (end == 1 || end == 2) {
          const RemoveFile dies = [&](std::chrono::steady_clock::time_point until) -> Async<void> {
            if (end == 1) {
              const Result<void> removed = co_await folder->remove(actor.marked, until);
              EXPECT_TRUE(removed);
            } else {
              late.push_back(actor.marked);
            }
            co_return fail(ErrorCode::internal, "died");
          };
          static_cast<void>(run_on(context, store->artifacts().remove_marked(actor.marked, dies)));
        } else if (end > 2) {
          done_steps["removed"] +=
              get(store->artifacts().remove_marked(actor.marked, remover(actor.marked)));
        }
        actor.step = 0;
      }
    } else if (dice < 70) {
      if (!late.empty()) {
        done(folder->remove(late.back(), std::chrono::steady_clock::time_point::max()));
        late.pop_back();
      }
    } else if (dice < 73) {
      pass_fences();
      late.clear();
    } else if (dice < 96) {
      Actor& actor = clients[random.below(clients.size())];
      if (actor.step == 0) {
        actor.hash = any();
        const bool told = ask(actor.hash);
        promised[actor.hash] = promised[actor.hash] || told;
        actor.step = told && random.below(8) == 0 ? 1 : 0;
      } else {
        refer(actor.hash, "t" + std::to_string(targets++));
        referred[actor.hash] = true;
        ++done_steps["referred"];
        actor.step = 0;
      }
    } else {
      // A week passes: who asked before it and did nothing was told too long ago, and no upload
      // takes so long.
      age();
      late.clear();
      promised.clear();
      for (Actor& actor : uploaders) {
        actor.step = 0;
      }
      for (Actor& actor : clients) {
        actor.step = 0;
      }
    }
    const std::string records =
        sql("SELECT coalesce(string_agg(sha256 || '=' || state, ' '), 'none') FROM artifacts");
    for (const std::string& name : hashes) {
      const bool file = fs::exists(temporary.path() / "artifacts" / artifact_key(name));
      const bool kept = file && records.find(name + "=kept") != std::string::npos;
      ASSERT_TRUE(kept || !referred[name]) << "step " << i << ": " << name << " of " << records;
      ASSERT_TRUE(kept || !promised[name]) << "step " << i << ": " << name << " of " << records;
      ASSERT_TRUE(!file || records.find(name) != std::string::npos)
          << "step " << i << ": a file without a record";
    }
    if (std::ranges::all_of(hashes, [&](const auto& name) { return referred[name]; })) {
      // So that there is something left to collect.
      sql("DELETE FROM target_versions");
      referred.clear();
    }
  }
  EXPECT_GT(done_steps["uploaded"], 3);
  EXPECT_GT(done_steps["removed"], 0);
  EXPECT_GT(done_steps["referred"], 0);
}

}  // namespace
}  // namespace hone::test
