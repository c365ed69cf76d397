// TransitionStore: the log of compile sessions as it is written and read.

#include <sstream>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/base/token.h"
#include "tests/unit/server/store/store_test.h"

namespace hone::test {
namespace {

using Batch = std::vector<std::shared_ptr<const LoggedStep>>;

std::string state_name(int number) {
  return sha256_hex("state " + std::to_string(number));
}

class TransitionStoreTest : public StoreTest {
 protected:
  LoggedEpisode episode(EpisodeStart start = EpisodeStart::open) {
    LoggedEpisode made;
    made.id = random_uuid();
    made.session = random_uuid();
    made.token = token;
    made.program = sha256_hex("program");
    made.start = start;
    made.machine = {"host", "a processor", 8, 32'000, "Linux 6"};
    made.compiler = "LLVM 19.1.7";
    made.begun_at = 1'700'000'000'123;
    return made;
  }
  static LoggedStep row(const std::shared_ptr<const LoggedEpisode>& of, std::int64_t number,
                        StepKind kind) {
    LoggedStep step;
    step.episode = of;
    step.step = number;
    step.kind = kind;
    step.at = 1'700'000'001'456 + number;
    return step;
  }
  // One that leads from one state to another.
  static LoggedStep applied(const std::shared_ptr<const LoggedEpisode>& of, std::int64_t number,
                            const std::string& pipeline, int from, int to) {
    LoggedStep step = row(of, number, StepKind::step);
    step.pipelines = {pipeline};
    step.applied = 1;
    step.changed = true;
    step.state = state_name(from);
    step.next_state = state_name(to);
    step.length = number;
    return step;
  }
  static Batch batch_of(std::vector<LoggedStep> steps) {
    Batch batch;
    for (LoggedStep& step : steps) {
      batch.push_back(std::make_shared<const LoggedStep>(std::move(step)));
    }
    return batch;
  }
  void add(std::vector<LoggedStep> steps) {
    done(store->transitions().add(batch_of(std::move(steps))));
  }
  LinePage page(const std::string& after = "", std::int64_t rows = 100) {
    return get(store->transitions().read({.after = after, .rows = rows}));
  }
  std::vector<Json> read(const std::string& after = "", std::int64_t rows = 100) {
    std::vector<Json> all;
    std::istringstream lines(page(after, rows).lines);
    for (std::string line; std::getline(lines, line);) {
      all.push_back(*parse_json(line));
    }
    return all;
  }
};

TEST_F(TransitionStoreTest, GivesBackWhatWasLogged) {
  const auto of = std::make_shared<const LoggedEpisode>(episode());
  LoggedStep begin = row(of, 0, StepKind::begin);
  begin.next_state = state_name(0);
  LoggedStep step = applied(of, 1, "function(sroa)", 0, 1);
  step.pipelines = {"function(sroa)", "function(\"licm\\)"};
  step.applied = 1;
  step.log_propensities = {-1.25, -0.1};
  step.outcome = StepOutcome::crashed;
  step.reason = std::string("killed by signal 6\0 there", 25);
  step.rewards = {{"IrInstructionCountOz", 0.1}, {"IrInstructionCount", 3}};
  step.features = {{"IrInstructionCount", std::int64_t{17}},
                   {"Ir2vec", std::vector<double>{0.1, -1e-30}},
                   {"Autophase", std::vector<std::int64_t>{1, 2}}};
  LoggedStep undo = row(of, 2, StepKind::undo);
  undo.undone = 1;
  undo.state = state_name(1);
  undo.next_state = state_name(0);
  LoggedStep end = row(of, 3, StepKind::end);
  end.state = state_name(0);
  end.reason = "closed";
  end.entries = 4;
  end.dropped = 2;
  add({begin, step, undo, end});

  const std::vector<Json> lines = read();
  ASSERT_EQ(lines.size(), 4U);
  const Json& seen = lines[1];
  EXPECT_EQ(seen["cursor"], page("", 2).next_cursor);
  EXPECT_EQ(seen["kind"], "step");
  EXPECT_EQ(seen["step"], 1);
  EXPECT_EQ(seen["pipelines"], step.pipelines);
  EXPECT_EQ(seen["applied"], 1);
  EXPECT_EQ(seen["changed"], true);
  EXPECT_EQ(seen["log_propensities"], step.log_propensities);
  EXPECT_EQ(seen["state"], state_name(0));
  EXPECT_EQ(seen["next_state"], state_name(1));
  EXPECT_EQ(seen["outcome"], "crashed");
  EXPECT_EQ(seen["reason"], "killed by signal 6\xEF\xBF\xBD there");
  EXPECT_EQ(seen["rewards"], step.rewards);
  EXPECT_EQ(seen["length"], 1);
  EXPECT_EQ(seen["at"], "2023-11-14T22:13:21.457Z");
  EXPECT_EQ(seen["end_of_episode"], false);
  EXPECT_EQ(seen["features"],
            (Json{{"IrInstructionCount", 17}, {"Ir2vec", {0.1, -1e-30}}, {"Autophase", {1, 2}}}));
  EXPECT_FALSE(seen.contains("undone"));
  EXPECT_FALSE(seen.contains("entries"));
  EXPECT_EQ(seen["episode"], of->id);
  EXPECT_EQ(seen["session"], of->session);
  EXPECT_EQ(seen["program"], of->program);
  EXPECT_EQ(seen["start"], "open");
  EXPECT_EQ(seen["parent"], Json());
  EXPECT_EQ(seen["parent_step"], Json());
  EXPECT_EQ(seen["machine"], to_json(of->machine));
  EXPECT_EQ(seen["compiler"], "LLVM 19.1.7");
  EXPECT_EQ(lines[0]["kind"], "begin");
  EXPECT_EQ(lines[0]["state"], Json());
  EXPECT_EQ(lines[0]["features"], Json());
  EXPECT_FALSE(lines[0].contains("pipelines"));
  EXPECT_EQ(lines[2]["undone"], 1);
  EXPECT_EQ(lines[3]["reason"], "closed");
  EXPECT_EQ(lines[3]["entries"], 4);
  EXPECT_EQ(lines[3]["dropped"], 2);
  EXPECT_EQ(lines[3]["end_of_episode"], true);
  EXPECT_EQ(lines[3]["next_state"], Json());
  EXPECT_EQ(sql("SELECT t.id FROM episodes e JOIN tokens t ON t.number = e.token"), token);
  EXPECT_EQ(sql("SELECT rfc3339(begun_at) FROM episodes"), "2023-11-14T22:13:20.123Z");
}

TEST_F(TransitionStoreTest, ABatchThatIsWrittenTwiceCountsOnce) {
  const auto of = std::make_shared<const LoggedEpisode>(episode());
  add({applied(of, 1, "globaldce", 0, 1)});
  add({applied(of, 1, "globaldce", 0, 1), applied(of, 2, "function(gvn)", 1, 2)});
  EXPECT_EQ(read().size(), 2U);
  EXPECT_EQ(sql("SELECT count(*) FROM episodes"), "1");
}

TEST_F(TransitionStoreTest, WhatIsKnownOfAStateIsAddedTo) {
  const auto of = std::make_shared<const LoggedEpisode>(episode());
  sql("INSERT INTO states (state_id) VALUES ('" + state_name(1) + "')");  // of an experience
  LoggedStep counted = applied(of, 1, "globaldce", 0, 1);
  counted.features = {{"IrInstructionCount", std::int64_t{5}}};
  LoggedStep sized = applied(of, 2, "globaldce", 1, 1);
  sized.features = {{"ObjectTextSizeBytes", std::int64_t{99}}};
  const std::string both = R"({"IrInstructionCount": 5, "ObjectTextSizeBytes": 99})";
  add({counted});
  add({sized});
  EXPECT_EQ(sql("SELECT features FROM states WHERE state_id = '" + state_name(1) + "'"), both);
  add({applied(of, 3, "globaldce", 1, 1)});
  add({counted});
  EXPECT_EQ(sql("SELECT features FROM states WHERE state_id = '" + state_name(1) + "'"), both)
      << "less than is known takes nothing away";
  EXPECT_EQ(sql("SELECT count(*) FROM states"), "2");
}

TEST_F(TransitionStoreTest, EachTransitionStandsOnceWithItsCount) {
  const auto first = std::make_shared<const LoggedEpisode>(episode());
  const auto second = std::make_shared<const LoggedEpisode>(episode());
  LoggedStep rewarded = applied(second, 1, "globaldce", 0, 1);
  rewarded.rewards = {{"IrInstructionCount", 2}};
  LoggedStep also = applied(second, 3, "globaldce", 0, 1);
  also.rewards = {{"ObjectTextSizeBytes", 8}};
  LoggedStep crash = applied(second, 4, "function(gvn)", 1, 1);
  crash.applied = 0;
  crash.outcome = StepOutcome::crashed;
  crash.reason = "signal";
  LoggedStep undo = row(second, 2, StepKind::undo);
  undo.undone = 1;
  add({applied(first, 1, "globaldce", 0, 1), rewarded, undo, also, crash});
  EXPECT_EQ(sql("SELECT count(*) FROM transitions"), "2");
  EXPECT_EQ(sql("SELECT times || ' ' || rewards FROM transitions WHERE outcome = 'ok'"),
            R"(3 {"IrInstructionCount": 2.0, "ObjectTextSizeBytes": 8.0})");
  EXPECT_EQ(sql("SELECT pipelines::text || ' ' || failed_pipeline FROM transitions WHERE outcome "
                "<> 'ok'"),
            "{} function(gvn)");
}

TEST_F(TransitionStoreTest, ACursorGoesThroughAllOfThemOnce) {
  const auto of = std::make_shared<const LoggedEpisode>(episode());
  for (int i = 0; i < 7; ++i) {
    add({applied(of, i, "globaldce", i, i + 1)});
  }
  std::vector<std::int64_t> seen;
  std::string cursor;
  for (int i = 0; i < 4; ++i) {
    for (const Json& line : read(cursor, 3)) {
      seen.push_back(line["step"].get<std::int64_t>());
    }
    cursor = page(cursor, 3).next_cursor;
  }
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(page(cursor).next_cursor, cursor);
  EXPECT_EQ(error_of(store->transitions().read({.after = "x"})).fields.at(0).pointer, "/after");
}

TEST_F(TransitionStoreTest, ALateCommitIsNotSkipped) {
  PgConnectOptions options;
  options.url = url;
  auto made = run_on(context, PgConnection::connect(context.get_executor(), options));
  ASSERT_TRUE(made);
  ASSERT_TRUE(run_on(context, (*made)->run("BEGIN; SELECT pg_current_xact_id()")));
  const auto of = std::make_shared<const LoggedEpisode>(episode());
  add({applied(of, 1, "globaldce", 0, 1)});
  EXPECT_TRUE(read().empty()) << "an older transaction may write yet";
  ASSERT_TRUE(run_on(context, (*made)->run("COMMIT")));
  EXPECT_EQ(read().size(), 1U);
}

TEST_F(TransitionStoreTest, TheDatabaseItselfRefusesWhatCannotBe) {
  const auto of = std::make_shared<const LoggedEpisode>(episode());
  const auto refused = [this](LoggedStep step) {
    return error_of(store->transitions().add(batch_of({std::move(step)}))).code;
  };
  LoggedStep likely = applied(of, 1, "globaldce", 0, 1);
  likely.log_propensities = {0.5};
  EXPECT_EQ(refused(likely), ErrorCode::internal);
  LoggedStep fewer = applied(of, 1, "globaldce", 0, 1);
  fewer.log_propensities = {-0.5, -0.5};
  EXPECT_EQ(refused(fewer), ErrorCode::internal);
  LoggedStep silent = applied(of, 1, "globaldce", 0, 1);
  silent.outcome = StepOutcome::timed_out;
  silent.applied = 0;
  EXPECT_EQ(refused(silent), ErrorCode::internal);
  EXPECT_EQ(sql("SELECT count(*) FROM episodes"), "0") << "all or nothing";
}

TEST_F(TransitionStoreTest, OldEpisodesGoWithTheirSteps) {
  LoggedEpisode fresh = episode();
  fresh.begun_at =
      std::stoll(sql("SELECT (extract(epoch FROM now()) * 1000)::bigint")) - 86'400'000;
  const auto kept = std::make_shared<const LoggedEpisode>(std::move(fresh));
  const auto old = std::make_shared<const LoggedEpisode>(episode());
  add({applied(old, 1, "globaldce", 0, 1), applied(kept, 1, "globaldce", 0, 1)});
  EXPECT_EQ(get(store->retention().remove_some(Retained::episodes, 2, 0)).removed, 1);
  ASSERT_EQ(read().size(), 1U);
  EXPECT_EQ(read()[0]["episode"], kept->id);
}

}  // namespace
}  // namespace hone::test
