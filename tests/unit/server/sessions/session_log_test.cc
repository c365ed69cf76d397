// SessionLog: which rows come of which requests and replies.
#include "server/sessions/session_log.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

SessionRequest request_of(SessionCommand command, std::vector<std::string> pipelines = {}) {
  SessionRequest request;
  request.session = "s";
  request.command = command;
  request.pipelines = std::move(pipelines);
  return request;
}

// One that shows the state by this name.
SessionReply reply_of(const std::string& state, std::int64_t length, std::int64_t applied = 0) {
  SessionReply reply;
  reply.length = length;
  reply.applied = applied;
  reply.changed = applied > 0;
  if (!state.empty()) {
    reply.observations["BitcodeSha256"] = state;
  }
  return reply;
}

class SessionLogTest : public ::testing::Test {
 protected:
  void open() { log.begin("s", "token", "program", reply_of("s0", 0)); }
  bool step(const std::string& state, std::int64_t length) {
    return log.note(request_of(SessionCommand::step, {"globaldce"}), {},
                    reply_of(state, length, 1));
  }
  std::vector<std::shared_ptr<const LoggedStep>> rows() {
    return log.queue().first(1000, std::size_t{1} << 30U);
  }
  static std::string texts_of(const LogBatch& rows) {
    std::string text;
    for (const auto& row : rows) {
      text += std::string(to_string(row->kind)) + std::to_string(row->step) + " " + row->state +
              ">" + row->next_state + "\n";
    }
    return text;
  }

  SessionLog log{{.rows = 100, .bytes = 1 << 20}, {{"h", "c", 2, 4096, "Linux"}, "LLVM 19"}};
};

TEST_F(SessionLogTest, AnEpisodeIsAChainOfStates) {
  open();
  ASSERT_TRUE(log.follows("s"));
  EXPECT_FALSE(step("s1", 1));
  EXPECT_FALSE(log.note(request_of(SessionCommand::observe), {}, reply_of("s1", 1)));
  EXPECT_FALSE(log.note(request_of(SessionCommand::undo), {}, reply_of("s0", 0)));
  log.end("s", "closed");
  EXPECT_FALSE(log.follows("s"));
  const auto all = rows();
  EXPECT_EQ(texts_of(all),
            "begin0 >s0\n"
            "step1 s0>s1\n"
            "observe2 s1>s1\n"
            "undo3 s1>s0\n"
            "end4 s0>\n");
  EXPECT_EQ(all[4]->entries, 5);
  EXPECT_EQ(all[4]->dropped, 0);
  EXPECT_EQ(all[4]->reason, "closed");
  EXPECT_EQ(all[3]->undone, 1);
  EXPECT_EQ(all[0]->episode->program, "program");
  EXPECT_EQ(all[0]->episode->token, "token");
  EXPECT_EQ(all[0]->episode->compiler, "LLVM 19");
  EXPECT_EQ(all[0]->episode->machine.cpu_model, "c");
}

TEST_F(SessionLogTest, ASessionWithoutALogLeavesNothing) {
  EXPECT_FALSE(step("s1", 1));
  log.fork(request_of(SessionCommand::fork), "token", reply_of("s1", 1));
  log.end("s", "closed");
  EXPECT_TRUE(rows().empty());
}

TEST_F(SessionLogTest, WhatWasAskedAndSeenIsInTheRow) {
  open();
  SessionReply reply = reply_of("s1", 2, 2);
  reply.observations["IrInstructionCount"] = std::int64_t{7};
  reply.observations["Ir"] = std::string("define ...");
  reply.observations["Bitcode"] = std::string("BC");
  reply.rewards["IrInstructionCountOz"] = 0.5;
  log.note(request_of(SessionCommand::step, {"globaldce", "function(gvn)"}), {-0.5, -2}, reply);
  const LoggedStep& row = *rows().at(1);
  EXPECT_EQ(row.pipelines, (std::vector<std::string>{"globaldce", "function(gvn)"}));
  EXPECT_EQ(row.log_propensities, (std::vector<double>{-0.5, -2}));
  EXPECT_EQ(row.applied, 2);
  EXPECT_TRUE(row.changed);
  EXPECT_EQ(row.rewards.at("IrInstructionCountOz"), 0.5);
  ASSERT_EQ(row.features.size(), 1U) << "texts of whole programs are not kept";
  EXPECT_EQ(std::get<std::int64_t>(row.features.at("IrInstructionCount")), 7);
}

TEST_F(SessionLogTest, AFailureBeforeAnythingStaysWhereItWas) {
  open();
  SessionReply crash = reply_of("", 0, 0);
  crash.outcome = StepOutcome::crashed;
  crash.reason = "killed by signal 6";
  EXPECT_FALSE(log.note(request_of(SessionCommand::step, {"globaldce"}), {}, crash));
  const LoggedStep& row = *rows().at(1);
  EXPECT_EQ(row.outcome, StepOutcome::crashed);
  EXPECT_EQ(row.reason, "killed by signal 6");
  EXPECT_EQ(row.state, "s0");
  EXPECT_EQ(row.next_state, "s0");
}

TEST_F(SessionLogTest, AFailureBehindOthersIsLookedAfter) {
  open();
  SessionReply hang = reply_of("", 1, 1);
  hang.outcome = StepOutcome::timed_out;
  hang.reason = "took more than 30000 ms";
  const auto wanted = request_of(SessionCommand::step, {"globaldce", "function(gvn)"});
  ASSERT_TRUE(log.note(wanted, {}, hang));
  EXPECT_EQ(rows().size(), 1U) << "it waits for its state";
  const SessionReply look = reply_of("s1", 1);
  log.note_state("s", &look);
  step("s2", 2);
  EXPECT_EQ(texts_of(rows()), "begin0 >s0\nstep1 s0>s1\nstep2 s1>s2\n");

  ASSERT_TRUE(log.note(wanted, {}, [] {
    SessionReply again = reply_of("", 3, 1);
    again.outcome = StepOutcome::crashed;
    again.reason = "signal";
    return again;
  }()));
  step("s9", 4);  // answered before the look was
  log.note_state("s", &look);
  const auto all = rows();
  EXPECT_EQ(all.at(3)->next_state, "") << "not known, and not guessed";
  EXPECT_EQ(all.at(4)->state, "");
  EXPECT_EQ(all.at(4)->next_state, "s9");
}

TEST_F(SessionLogTest, ARequestOutOfOrderHasNoStateBefore) {
  open();
  step("s5", 5);  // four others must have been in between
  EXPECT_EQ(texts_of(rows()), "begin0 >s0\nstep1 >s5\n");
}

TEST_F(SessionLogTest, AResetEndsTheEpisodeAndBeginsAnother) {
  open();
  step("s1", 1);
  log.note(request_of(SessionCommand::reset), {}, reply_of("s0", 0));
  step("s1", 1);
  const auto all = rows();
  EXPECT_EQ(texts_of(all), "begin0 >s0\nstep1 s0>s1\nend2 s1>\nbegin0 >s0\nstep1 s0>s1\n");
  EXPECT_EQ(all[2]->reason, "reset");
  EXPECT_EQ(all[2]->entries, 3);
  const LoggedEpisode& next = *all[3]->episode;
  EXPECT_NE(next.id, all[0]->episode->id);
  EXPECT_EQ(next.session, "s");
  EXPECT_EQ(next.start, EpisodeStart::reset);
  EXPECT_EQ(next.parent, all[0]->episode->id);
  EXPECT_EQ(next.parent_step, 2);
}

TEST_F(SessionLogTest, AForkBeginsAtItsOriginalsState) {
  open();
  step("s1", 1);
  SessionRequest fork = request_of(SessionCommand::fork);
  fork.into = "copy";
  log.fork(fork, "another", reply_of("s1", 1));
  ASSERT_TRUE(log.follows("copy"));
  SessionRequest stepped = request_of(SessionCommand::step, {"globaldce"});
  stepped.session = "copy";
  log.note(stepped, {}, reply_of("s2", 2, 1));
  const auto all = rows();
  EXPECT_EQ(texts_of(all), "begin0 >s0\nstep1 s0>s1\nbegin0 >s1\nstep1 s1>s2\n");
  EXPECT_EQ(all[2]->episode->start, EpisodeStart::fork);
  EXPECT_EQ(all[2]->episode->session, "copy");
  EXPECT_EQ(all[2]->episode->token, "another");
  EXPECT_EQ(all[2]->episode->parent, all[0]->episode->id);
  EXPECT_EQ(all[2]->episode->parent_step, 1);
  EXPECT_EQ(all[2]->length, 1);
}

TEST_F(SessionLogTest, ADroppedRowIsSaidAtTheEnd) {
  SessionLog small({.rows = 2, .bytes = 1 << 20}, {});
  small.begin("s", "token", "program", reply_of("s0", 0));
  const auto wanted = request_of(SessionCommand::step, {"globaldce"});
  small.note(wanted, {}, reply_of("s1", 1, 1));
  small.note(wanted, {}, reply_of("s2", 2, 1));
  small.note(wanted, {}, reply_of("s3", 3, 1));
  small.queue().written(2);
  small.end("s", "closed");
  const LogBatch last = small.queue().first(9, 1 << 20);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0]->step, 4) << "two numbers are missing";
  EXPECT_EQ(last[0]->entries, 5);
  EXPECT_EQ(last[0]->dropped, 2);
}

TEST_F(SessionLogTest, AllEndTogether) {
  open();
  log.begin("t", "token", "program", reply_of("s0", 0));
  log.end_all("honed stopped");
  EXPECT_FALSE(log.follows("s"));
  EXPECT_FALSE(log.follows("t"));
  const auto all = rows();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[3]->reason, "honed stopped");
}

}  // namespace
}  // namespace hone
