// ExperienceStore, EventStore, Notifications: streams that skip nothing.

#include <algorithm>
#include <set>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class StreamTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    add_target();
    add_worker();
  }
  std::string finish_next(const AttemptResult& result = example_result()) {
    const std::optional<Lease> lease = claim();
    if (!lease) {
      throw std::runtime_error("no job is queued");
    }
    done(store->jobs().complete(lease->attempt, token, result, sha256_hex("x")));
    return lease->job;
  }
  LinePage read(const std::string& after, std::int64_t rows = 100) {
    return get(store->experiences().read({.after = after, .rows = rows}));
  }
  static std::vector<Json> documents(const LinePage& page) {
    std::vector<Json> all;
    std::istringstream lines(page.lines);
    for (std::string line; std::getline(lines, line);) {
      all.push_back(*parse_json(line));
    }
    return all;
  }
  // A connection with a transaction that stays open.
  std::unique_ptr<PgConnection> connect() {
    PgConnectOptions options;
    options.url = url;
    auto made = run_on(context, PgConnection::connect(context.get_executor(), options));
    if (!made) {
      throw std::runtime_error(made.error().message);
    }
    return *std::move(made);
  }
  void run(PgConnection& connection, const std::string& text) {
    const auto result = run_on(context, connection.run(text));
    ASSERT_TRUE(result) << result.error().message;
  }
};
using ExperienceStoreTest = StreamTest;
using EventStoreTest = StreamTest;
using NotificationsTest = StreamTest;

TEST_F(ExperienceStoreTest, HoldsWhatALearnerNeeds) {
  const std::string campaign = race(3);
  finish_next();
  const LinePage page = read("");
  ASSERT_EQ(page.count, 1);
  const Json line = documents(page).at(0);
  const CandidateView candidate = get(store->campaigns().candidates(campaign)).at(0);
  EXPECT_EQ(line["cursor"], page.next_cursor);
  EXPECT_EQ(line["id"], sql("SELECT id FROM experiences"));
  EXPECT_EQ(line["created_at"], sql("SELECT rfc3339(created_at) FROM experiences"));
  EXPECT_EQ(line["source"], "staging");
  EXPECT_EQ(line["target"], "lz4");
  EXPECT_EQ(line["target_version"], 1);
  EXPECT_EQ(line["campaign"], campaign);
  EXPECT_EQ(line["candidate"], candidate.candidate.id);
  EXPECT_EQ(line["candidate_set"], candidate.set);
  EXPECT_EQ(line["candidate_index"], 0);
  EXPECT_EQ(line["log_propensity"], *candidate.candidate.log_propensity);
  EXPECT_EQ(line["rules"].dump(),
            Json::parse(sql("SELECT rules FROM candidates ORDER BY number LIMIT 1")).dump());
  EXPECT_EQ(line["stage"], "race");
  EXPECT_EQ(line["baseline"], "O3");
  EXPECT_EQ(line["outcome"], "ok");
  EXPECT_EQ(line["reason"], Json());
  EXPECT_EQ(line["verdict"], "faster");
  const AttemptResult result = example_result();
  EXPECT_EQ(line["reward"], to_json(*result.reward));
  ASSERT_EQ(line["decisions"].size(), result.decisions.size());
  for (std::size_t i = 0; i < result.decisions.size(); ++i) {
    EXPECT_EQ(line["decisions"][i], to_json(result.decisions[i]));
  }
  EXPECT_EQ(line["machine"], to_json(result.machine));
  EXPECT_EQ(line["compiler"], "clang 19.1.7");
}

TEST_F(ExperienceStoreTest, AFailureIsDataToo) {
  submit(1);
  finish_next(failed_result(Outcome::compiler_crashed, "in lib/\"lz4\".c\nline 2 \\n"));
  const LinePage page = read("");
  ASSERT_EQ(page.count, 1);
  EXPECT_EQ(std::ranges::count(page.lines, '\n'), 1) << "a line is a line";
  const Json line = documents(page).at(0);
  EXPECT_EQ(line["outcome"], "compiler_crashed");
  EXPECT_EQ(line["reason"], "in lib/\"lz4\".c\nline 2 \\n");
  EXPECT_EQ(line["campaign"], Json());
  EXPECT_EQ(line["candidate_index"], Json());
  EXPECT_EQ(line["reward"], Json());
  EXPECT_TRUE(line["rules"].is_array()) << "those of the job";
}

TEST_F(ExperienceStoreTest, ACursorGoesThroughAllOfThemOnce) {
  submit(7);
  std::vector<std::string> expected;
  for (int i = 0; i < 7; ++i) {
    expected.push_back(finish_next());
  }
  std::vector<std::string> seen;
  std::string cursor;
  for (int i = 0; i < 10; ++i) {
    const LinePage page = read(cursor, 3);
    EXPECT_LE(page.count, 3);
    for (const Json& line : documents(page)) {
      seen.push_back(line["job"].get<std::string>());
    }
    EXPECT_TRUE(page.count > 0 || page.next_cursor == cursor);
    cursor = page.next_cursor;
  }
  EXPECT_EQ(seen, expected);
}

TEST_F(ExperienceStoreTest, APageEndsWithItsBytes) {
  submit(4);
  for (int i = 0; i < 4; ++i) {
    finish_next();
  }
  EXPECT_EQ(get(store->experiences().read({.after = "", .rows = 100, .bytes = 1})).count, 1)
      << "there is always one, or the stream would stand still";
  const auto bytes = static_cast<std::int64_t>(read("", 1).lines.size());
  EXPECT_EQ(get(store->experiences().read({.after = "", .rows = 100, .bytes = bytes})).count, 2);
  EXPECT_EQ(get(store->experiences().read({.after = "", .rows = 100, .bytes = 100 * bytes})).count,
            4);
}

TEST_F(ExperienceStoreTest, ALostConnectionIsReplaced) {
  submit(1);
  finish_next();
  read("");
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_EQ(read("").count, 1);
}

TEST_F(ExperienceStoreTest, ALateCommitIsNotSkipped) {
  submit(2);
  const std::string early = finish_next();
  // The second completion writes its row first, and commits last: in the meantime a third party's
  // transaction, with a later number, is committed.
  const std::unique_ptr<PgConnection> slow = connect();
  const Lease lease = *claim();
  run(*slow, "BEGIN; SELECT pg_current_xact_id()");
  run(*slow, "CREATE TABLE scratch (x int)");
  done(store->jobs().complete(lease.attempt, token, example_result(), sha256_hex("x")));
  // The slow transaction has the lower number. Its rows may come yet, so the fast one's must wait.
  const LinePage page = read("");
  ASSERT_EQ(page.count, 1);
  EXPECT_EQ(documents(page)[0]["job"], early);
  const std::string cursor = page.next_cursor;
  EXPECT_EQ(read(cursor).count, 0);
  EXPECT_EQ(read(cursor).next_cursor, cursor);
  run(*slow,
      "UPDATE experiences SET transaction = pg_current_xact_id() WHERE attempt = "
      "(SELECT min(attempt) FROM experiences)");  // stands for a row of its own
  run(*slow, "COMMIT");
  // Another transaction of the cluster, an analysis say, may hold both back for a moment.
  std::set<std::string> seen;
  for (int look = 0; look < 400 && seen.empty(); ++look) {
    for (const Json& line : documents(read(cursor))) {
      seen.insert(line["job"].get<std::string>());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  EXPECT_EQ(seen, (std::set<std::string>{early, lease.job}));
}

TEST_F(ExperienceStoreTest, ACursorIsGoodForItsOwnDatabase) {
  submit(1);
  finish_next();
  const std::string cursor = read("").next_cursor;
  EXPECT_EQ(read(cursor).count, 0);
  // As releases before this one wrote it.
  EXPECT_EQ(read(cursor.substr(0, cursor.rfind('-'))).count, 0);
  StoreOptions options;
  options.database_url = new_migrated_database();
  const std::unique_ptr<Store> other = get(Store::open(context.get_executor(), options));
  const Error error = error_of(other->experiences().read({.after = cursor}));
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  ASSERT_EQ(error.fields.size(), 1U);
  EXPECT_EQ(error.fields[0].pointer, "/after");
  EXPECT_NE(error.fields[0].detail.find("another database"), std::string::npos);
  EXPECT_NE(error.fields[0].detail.find(cursor.substr(cursor.rfind('-') + 1)), std::string::npos);
}

TEST_F(ExperienceStoreTest, RefusesWhatIsNoCursor) {
  for (const char* cursor :
       {"x", "1", "1-", "-1", "1-2-3", "1-2-0123ABCD", "1-x", "99999999999999999999-1"}) {
    const Error error = error_of(store->experiences().read({.after = cursor}));
    EXPECT_EQ(error.code, ErrorCode::invalid_argument) << cursor;
    EXPECT_EQ(error.fields.at(0).pointer, "/after") << cursor;
  }
}

TEST_F(EventStoreTest, TellsEveryChangeOfState) {
  const std::string campaign = race(1);
  const std::string job = finish_next();
  get(store->campaigns().begin_confirming(campaign));
  get(store->campaigns().finish_without_winner(campaign, "nothing was faster"));
  const std::vector<Event> events = get(store->events().read({}, "", 100));
  std::string told;
  for (const Event& event : events) {
    told += std::string(to_string(event.kind)) + ":" + event.state + " ";
    EXPECT_EQ(event.campaign, campaign);
    EXPECT_EQ(event.job, event.kind == EventKind::job ? job : "");
  }
  EXPECT_EQ(told,
            "campaign:waiting job:queued campaign:racing job:leased job:done "
            "campaign:confirming campaign:finished ");
  EXPECT_EQ(events[4].outcome, "ok");
  EXPECT_EQ(events[4].verdict, "faster");
  EXPECT_EQ(events[4].reward, example_result().reward->value);
  EXPECT_EQ(events[4].stage, "race");
  EXPECT_EQ(events[3].outcome, "");
  EXPECT_EQ(events[6].reason, "nothing was faster");
}

TEST_F(EventStoreTest, GoesOnBehindACursor) {
  submit(2);
  const std::vector<Event> all = get(store->events().read({}, "", 100));
  ASSERT_EQ(all.size(), 2U);
  const std::vector<Event> rest = get(store->events().read({}, all[0].id, 100));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].id, all[1].id);
  const std::string now = get(store->events().latest());
  EXPECT_TRUE(get(store->events().read({}, now, 100)).empty());
  const std::string job = submit(1).at(0);
  EXPECT_EQ(get(store->events().read({}, now, 100)).at(0).job, job);
}

TEST_F(EventStoreTest, CanBeOfOneJobOrCampaign) {
  const std::string campaign = race(2);
  const std::string job = submit(1).at(0);
  EXPECT_EQ(get(store->events().read({.job = job}, "", 100)).size(), 1U);
  EXPECT_EQ(get(store->events().read({.campaign = campaign}, "", 100)).size(), 4U);
  EXPECT_TRUE(get(store->events().read({.job = "x"}, "", 100)).empty());
}

TEST_F(EventStoreTest, WhatIsOfOthersIsPassedOverOnce) {
  submit(2);
  EventFilter filter;
  filter.reader.targets = {"another"};
  const std::string begin = "0-0";
  const std::string next = get(store->events().skip_to(filter, begin));
  EXPECT_TRUE(get(store->events().read(filter, begin, 100)).empty());
  EXPECT_TRUE(get(store->events().read({}, next, 100)).empty()) << "nothing lies behind it yet";
  add_target("another");
  submit(1, "another");
  EXPECT_EQ(get(store->events().read(filter, next, 100)).size(), 1U);
  // Who sees everything, or one job, is at its last event; nobody is set back.
  EXPECT_EQ(get(store->events().skip_to({}, begin)), begin);
  filter.job = "x";
  EXPECT_EQ(get(store->events().skip_to(filter, begin)), begin);
  filter.job.reset();
  EXPECT_EQ(get(store->events().skip_to(filter, "999999999999-1")), "999999999999-1");
}

TEST_F(EventStoreTest, AWaitEndsWithTheFirstEvent) {
  const std::string now = get(store->events().latest());
  std::optional<Result<std::vector<Event>>> answer;
  const auto begun = std::chrono::steady_clock::now();
  boost::asio::co_spawn(
      context, store->events().wait({}, now, 10, seconds(20)),
      [&](std::exception_ptr, Result<std::vector<Event>> events) { answer = std::move(events); });
  EXPECT_FALSE(answer);
  submit(1);
  context.restart();
  while (!answer && context.run_one() > 0) {
  }
  ASSERT_TRUE(*answer);
  EXPECT_EQ((*answer)->size(), 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(5));
}

TEST_F(EventStoreTest, AWaitEndsWithItsTime) {
  const std::string now = get(store->events().latest());
  EXPECT_TRUE(get(store->events().wait({}, now, 10, milliseconds(50))).empty());
}

TEST_F(EventStoreTest, OldOnesAreRemoved) {
  submit(1);
  sql("UPDATE events SET at = now() - interval '8 days'");
  sql("UPDATE idempotency_keys SET created_at = now() - interval '2 days'");
  submit(1);
  EXPECT_EQ(get(store->retention().remove_some(Retained::events, 7, 0)).removed, 1);
  EXPECT_EQ(get(store->retention().remove_some(Retained::idempotency_keys, 1, 0)).removed, 1);
  EXPECT_EQ(sql("SELECT count(*) FROM events"), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM idempotency_keys"), "1");
}

TEST_F(NotificationsTest, WakesWhoWaitsForTheQueue) {
  Notifications& notifications = store->notifications();
  while (!notifications.listening() && context.run_one() > 0) {
  }
  const std::uint64_t mark = notifications.mark(Channel::queue);
  std::optional<bool> woken;
  boost::asio::co_spawn(context, notifications.wait(Channel::queue, mark, seconds(20)),
                        [&](std::exception_ptr, bool value) { woken = value; });
  submit(1);
  context.restart();
  while (!woken && context.run_one() > 0) {
  }
  EXPECT_TRUE(*woken);
}

TEST_F(NotificationsTest, MissesNothingBetweenLookingAndWaiting) {
  Notifications& notifications = store->notifications();
  while (!notifications.listening() && context.run_one() > 0) {
  }
  const std::uint64_t mark = notifications.mark(Channel::queue);
  submit(1);
  while (notifications.mark(Channel::queue) == mark && context.run_one() > 0) {
  }
  EXPECT_TRUE(run_on(context, notifications.wait(Channel::queue, mark, seconds(20))));
}

TEST_F(NotificationsTest, AWaitForNothingEndsWithItsTime) {
  Notifications& notifications = store->notifications();
  while (!notifications.listening() && context.run_one() > 0) {
  }
  const std::uint64_t mark = notifications.mark(Channel::queue);
  EXPECT_FALSE(run_on(context, notifications.wait(Channel::queue, mark, milliseconds(30))));
}

TEST_F(NotificationsTest, ALostConnectionIsReplacedAndEverybodyWoken) {
  Notifications& notifications = store->notifications();
  while (!notifications.listening() && context.run_one() > 0) {
  }
  const std::uint64_t mark = notifications.mark(Channel::events);
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE datname = current_database() AND pid <> pg_backend_pid()");
  EXPECT_TRUE(run_on(context, notifications.wait(Channel::events, mark, seconds(10))));
  EXPECT_TRUE(notifications.listening());
}

}  // namespace
}  // namespace hone::test
