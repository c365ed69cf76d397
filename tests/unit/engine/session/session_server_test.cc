#include "engine/session/session_server.h"

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/engine/session/session_server_fixture.h"

namespace hone {
namespace {

class SessionServerTest : public SessionServerFixture {};

TEST_F(SessionServerTest, OpensStepsUndoesAndCloses) {
  const SessionReply opened = open("a");
  ASSERT_FALSE(opened.error) << opened.error->describe();
  EXPECT_EQ(std::get<std::int64_t>(opened.observations.at("IrInstructionCount")), 14);
  const SessionReply stepped = step("a", {"function(sroa)"});
  ASSERT_FALSE(stepped.error) << stepped.error->describe();
  EXPECT_EQ(stepped.outcome, StepOutcome::ok);
  EXPECT_TRUE(stepped.changed);
  EXPECT_EQ(stepped.length, 1);
  EXPECT_NE(hash_of(stepped), hash_of(opened));
  const SessionReply undone = command("a", SessionCommand::undo);
  ASSERT_FALSE(undone.error) << undone.error->describe();
  EXPECT_EQ(undone.length, 0);
  EXPECT_EQ(hash_of(undone), hash_of(opened));
  EXPECT_FALSE(command("a", SessionCommand::close).error);
  EXPECT_EQ(server_->sessions(), 0U);
  EXPECT_EQ(step("a", {"function(sroa)"}).error->code, ErrorCode::not_found);
}

TEST_F(SessionServerTest, ACrashIsTheStepsOutcomeAndTheSessionGoesOn) {
  open("a", 1, false);
  const SessionReply before = step("a", {"function(simplifycfg)"});
  // LICM without MemorySSA ends the compiler by a fatal error.
  const SessionReply crashed =
      step("a", {"function(sroa)", "function(loop(licm))", "function(instsimplify)"});
  ASSERT_FALSE(crashed.error) << crashed.error->describe();
  EXPECT_EQ(crashed.outcome, StepOutcome::crashed);
  EXPECT_EQ(crashed.pipeline, "function(loop(licm))");
  EXPECT_EQ(crashed.applied, 1);
  EXPECT_EQ(crashed.length, 2);
  EXPECT_NE(crashed.reason.find("MemorySSA"), std::string::npos) << crashed.reason;
  const SessionReply after = command("a", SessionCommand::observe);
  ASSERT_FALSE(after.error) << after.error->describe();
  EXPECT_EQ(after.length, 2);
  // The state is that of a session that never met the crash.
  open("b", 1, false);
  EXPECT_EQ(hash_of(after), hash_of(step("b", {"function(simplifycfg)", "function(sroa)"})));
  EXPECT_NE(hash_of(after), hash_of(before));
}

TEST_F(SessionServerTest, WhatIsNoUseIsMaskedWhereThatIsAskedFor) {
  open("a", 1, false);
  step("a", {"function(sroa)", "function(loop(licm))"});
  step("a", {"function(dce)"});
  SessionRequest look;
  look.session = "a";
  look.command = SessionCommand::observe;
  EXPECT_TRUE(ask(look).masked.empty()) << "nobody asked";
  look.mask = true;
  const std::map<std::string, std::string> masked = {{"function(loop(licm))", "crashed"},
                                                     {"function(dce)", "no_effect"}};
  EXPECT_EQ(ask(look).masked, masked);
  // Its copy knows the same program.
  fork("a", "b");
  look.session = "b";
  EXPECT_EQ(ask(look).masked, masked);
  command("b", SessionCommand::reset);
  EXPECT_EQ(ask(look).masked,
            (std::map<std::string, std::string>{{"function(loop(licm))", "crashed"}}));
}

TEST_F(SessionServerTest, APipelineThatTakesTooLongIsStopped) {
  settings_.pipeline_limit = std::chrono::milliseconds(300);
  const SessionReply opened = open("a", 2000);
  ASSERT_FALSE(opened.error) << opened.error->describe();
  const SessionReply slow = step("a", {"default<O3>"});
  ASSERT_FALSE(slow.error) << slow.error->describe();
  EXPECT_EQ(slow.outcome, StepOutcome::timed_out);
  EXPECT_EQ(slow.applied, 0);
  const SessionReply after = command("a", SessionCommand::observe);
  ASSERT_FALSE(after.error) << after.error->describe();
  EXPECT_EQ(hash_of(after), hash_of(opened));
}

TEST_F(SessionServerTest, AForkIsTheSameStateAndGoesItsOwnWay) {
  open("a");
  const SessionReply start = step("a", {"function(sroa)"});
  ASSERT_FALSE(fork("a", "b").error);
  EXPECT_EQ(server_->processes(), 2U);
  EXPECT_EQ(hash_of(command("b", SessionCommand::observe)), hash_of(start));
  const SessionReply there = step("b", {"function(loop-mssa(licm))", "function(simplifycfg)"});
  EXPECT_EQ(there.length, 3);
  EXPECT_EQ(hash_of(command("a", SessionCommand::observe)), hash_of(start));
  // The copy outlives the original, and is told from a name that is taken.
  EXPECT_EQ(fork("a", "b").error->code, ErrorCode::conflict);
  command("a", SessionCommand::close);
  EXPECT_EQ(hash_of(command("b", SessionCommand::observe)), hash_of(there));
  // A copy that crashes is told as well as an original.
  EXPECT_EQ(command("b", SessionCommand::undo).length, 2);
}

TEST_F(SessionServerTest, ACopyEndsWithItsSession) {
  open("a");
  ASSERT_FALSE(fork("a", "b").error);
  ASSERT_FALSE(fork("b", "c").error);
  EXPECT_EQ(server_->processes(), 3U);
  for (const char* const name : {"a", "b", "c"}) {
    EXPECT_TRUE(has_children());
    EXPECT_FALSE(command(name, SessionCommand::close).error);
  }
  EXPECT_FALSE(has_children());
}

TEST_F(SessionServerTest, ACopyEndsIfItsForkIsRefused) {
  open("a");
  SessionRequest request;
  request.session = "a";
  request.command = SessionCommand::fork;
  request.into = "b";
  request.observe = {ObservationSpace::ir2vec};  // for which there is no vocabulary
  EXPECT_TRUE(ask(request).error);
  EXPECT_EQ(server_->sessions(), 1U);
  EXPECT_FALSE(has_children());
  EXPECT_FALSE(fork("a", "b").error);
}

// All at once, before the first is answered: what is asked of a copy waits for it.
TEST_F(SessionServerTest, RequestsForAForkMayComeBeforeIt) {
  open("a");
  for (const char* const into : {"b", "c"}) {
    SessionRequest request;
    request.session = "a";
    request.command = SessionCommand::fork;
    request.into = into;
    request.id = ++last_id_;
    accept(request);
    SessionRequest step;
    step.session = into;
    step.command = SessionCommand::step;
    step.pipelines = {"function(sroa)"};
    step.id = ++last_id_;
    accept(step);
  }
  // Behind them all.
  EXPECT_FALSE(command("a", SessionCommand::observe).error);
  const SessionReply b = command("b", SessionCommand::observe);
  const SessionReply c = command("c", SessionCommand::observe);
  for (std::int64_t id = 2; id <= last_id_; ++id) {
    EXPECT_FALSE(replies_.at(id).error) << id << ": " << replies_.at(id).error->describe();
  }
  EXPECT_EQ(c.length, 1);
  EXPECT_EQ(hash_of(b), hash_of(c));
}

TEST_F(SessionServerTest, AForkWhoseOriginalIsClosedIsRefusedWithWhatWaitsForIt) {
  open("a");
  std::vector<SessionRequest> requests(4);
  requests[0].command = SessionCommand::step;
  requests[0].pipelines = {"function(sroa)"};
  requests[1].command = SessionCommand::close;
  requests[2].command = SessionCommand::fork;
  requests[2].into = "b";
  requests[3].command = SessionCommand::observe;
  for (SessionRequest& request : requests) {
    request.session = &request == &requests[3] ? "b" : "a";
    request.id = ++last_id_;
    accept(request);
  }
  for (int i = 0; i < 100 && !replies_.contains(last_id_); ++i) {
    turn(20);
  }
  EXPECT_FALSE(replies_.at(last_id_ - 2).error) << "the close";
  EXPECT_EQ(replies_.at(last_id_ - 1).error->code, ErrorCode::not_found) << "the fork";
  EXPECT_EQ(replies_.at(last_id_).error->code, ErrorCode::not_found) << "what waited for it";
  EXPECT_EQ(server_->sessions(), 0U);
}

TEST_F(SessionServerTest, ParkedSessionsComeBackAsTheyWere) {
  settings_.max_processes = 2;
  std::vector<std::string> hashes;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "s" + std::to_string(i);
    open(name, i + 1);
    hashes.push_back(hash_of(step(name, {"function(sroa)", "function(loop-mssa(licm))"})));
    EXPECT_LE(server_->processes(), 2U);
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(hash_of(command("s" + std::to_string(i), SessionCommand::observe)), hashes[i]);
  }
  EXPECT_EQ(server_->sessions(), 6U);
}

TEST_F(SessionServerTest, AnIdleSessionIsParked) {
  settings_.idle_limit = std::chrono::milliseconds(50);
  open("a");
  EXPECT_EQ(server_->processes(), 1U);
  for (int i = 0; i < 200 && server_->processes() > 0; ++i) {
    turn(10);
  }
  EXPECT_EQ(server_->processes(), 0U);
  EXPECT_FALSE(step("a", {"function(sroa)"}).error);
}

TEST_F(SessionServerTest, BadRequestsAreRefusedAndChangeNothing) {
  SessionRequest request;
  request.session = "a";
  request.command = SessionCommand::open;
  request.program = (folder_ / "none").string();
  EXPECT_EQ(ask(request).error->code, ErrorCode::not_found);
  std::ofstream(folder_ / "nonsense") << "nonsense";
  request.program = (folder_ / "nonsense").string();
  EXPECT_EQ(ask(request).error->code, ErrorCode::invalid_argument);
  EXPECT_EQ(server_->sessions(), 0U);
  const SessionReply opened = open("a");
  EXPECT_EQ(open("a").error->code, ErrorCode::conflict);
  EXPECT_EQ(step("a", {"function(no-such-pass)"}).error->code, ErrorCode::invalid_argument);
  EXPECT_EQ(step("a", {"strip"}).error->code, ErrorCode::invalid_argument);
  EXPECT_EQ(command("a", SessionCommand::undo).error->code, ErrorCode::invalid_argument);
  EXPECT_EQ(hash_of(command("a", SessionCommand::observe)), hash_of(opened));
}

TEST_F(SessionServerTest, AProgramThatTheParserDiesOfIsItsSendersAffair) {
  std::ofstream(folder_ / "deep") << "@x = global " << std::string(400'000, '{') << "i32"
                                  << std::string(400'000, '}') << " zeroinitializer\n";
  SessionRequest request;
  request.session = "a";
  request.command = SessionCommand::open;
  request.program = (folder_ / "deep").string();
  const SessionReply reply = ask(request);
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::invalid_argument) << reply.error->message;
  EXPECT_NE(reply.error->message.find("'deep'"), std::string::npos) << reply.error->message;
  EXPECT_EQ(server_->sessions(), 0U);
  EXPECT_FALSE(open("a").error);
}

TEST(ProcessEnd, TellsWhoseFaultItWas) {
  ProcessEnd end;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) {
    end.signal = signal;
    EXPECT_EQ(end.error_of("loading 'p'").code, ErrorCode::invalid_argument) << signal;
  }
  for (const int signal : {0, SIGKILL, SIGTERM}) {
    end.signal = signal;
    EXPECT_EQ(end.error_of("loading 'p'").code, ErrorCode::internal) << signal;
  }
  end.signal = SIGABRT;
  end.errors = "LLVM ERROR: out of memory";
  const Error error = end.error_of("loading 'p'");
  EXPECT_EQ(error.code, ErrorCode::too_large);
  EXPECT_NE(error.message.find("loading 'p'"), std::string::npos) << error.message;
}

TEST(ProcessEnd, SaysWhatItWas) {
  ProcessEnd end;
  end.signal = 6;
  end.errors = "LLVM ERROR: out of memory";
  EXPECT_TRUE(end.out_of_memory());
  EXPECT_EQ(end.describe(), "killed by signal 6 (Aborted): LLVM ERROR: out of memory");
  EXPECT_EQ(ProcessEnd().describe(), "exit code 0");
}

}  // namespace
}  // namespace hone
