#include "engine/session/session_server.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/llvm/target.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Runs sessions with its requests one after the other.
class SessionServerTest : public testing::Test {
 protected:
  SessionServerTest() {
    EXPECT_TRUE(make_target_machine(""));
    std::string pattern = (fs::temp_directory_path() / "session-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    settings_.folder = folder_ / "programs";
    fs::create_directory(settings_.folder);
    settings_.pipeline_limit = std::chrono::seconds(20);
  }
  ~SessionServerTest() override { fs::remove_all(folder_); }

  std::string program(int functions = 1) {
    const fs::path path = folder_ / ("program-" + std::to_string(functions) + ".ll");
    std::ofstream stream(path);
    stream << "target triple = \"x86_64-pc-linux-gnu\"\n";
    for (int i = 0; i < functions; ++i) {
      stream << "define i32 @sum" << i << R"((ptr %a, i32 %n) {
entry:
  %s = alloca i32
  store i32 0, ptr %s
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i32 %i
  %v = load i32, ptr %p
  %old = load i32, ptr %s
  %new = add i32 %old, %v
  store i32 %new, ptr %s
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %r = load i32, ptr %s
  ret i32 %r
}
)";
    }
    return path.string();
  }

  SessionReply ask(SessionRequest request) {
    if (!server_) {
      server_.emplace(settings_, [this](const SealedReply& sealed) {
        const Result<SessionReply> reply = open_reply(sealed);
        ASSERT_TRUE(reply) << reply.error().describe();
        replies_[reply->id] = *reply;
      });
    }
    const std::int64_t id = ++last_id_;
    request.id = id;
    accept(request);
    for (int i = 0; !replies_.contains(id) && i < 100'000; ++i) {
      turn(static_cast<int>(server_->next_deadline().count()));
    }
    return replies_[id];
  }
  void accept(const SessionRequest& request) {
    server_->accept(request, dump_json(to_json(request)));
  }
  void turn(int wait_ms) {
    std::vector<pollfd> polled;
    server_->add_channels(polled);
    poll(polled.data(), polled.size(), wait_ms);
    server_->handle(polled);
  }

  SessionReply open(const std::string& name, int functions = 1, bool allowed_only = true) {
    SessionRequest request;
    request.session = name;
    request.command = SessionCommand::open;
    request.program = program(functions);
    request.allowed_only = allowed_only;
    request.observe = {ObservationSpace::bitcode_hash, ObservationSpace::ir_instruction_count};
    return ask(request);
  }

  SessionReply command(const std::string& name, SessionCommand command,
                       std::vector<std::string> pipelines = {}) {
    SessionRequest request;
    request.session = name;
    request.command = command;
    request.pipelines = std::move(pipelines);
    request.observe = {ObservationSpace::bitcode_hash, ObservationSpace::ir_instruction_count};
    return ask(request);
  }
  SessionReply step(const std::string& name, std::vector<std::string> pipelines) {
    return command(name, SessionCommand::step, std::move(pipelines));
  }
  SessionReply fork(const std::string& name, const std::string& into) {
    SessionRequest request;
    request.session = name;
    request.command = SessionCommand::fork;
    request.into = into;
    return ask(request);
  }
  static std::string hash_of(const SessionReply& reply) {
    const auto found = reply.observations.find("BitcodeHash");
    return found == reply.observations.end() ? "none" : std::get<std::string>(found->second);
  }

  fs::path folder_;
  SessionServerSettings settings_;
  std::optional<SessionServer> server_;
  std::map<std::int64_t, SessionReply> replies_;
  std::int64_t last_id_ = 0;
};

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
  EXPECT_EQ(command("c", SessionCommand::observe).length, 1);
  for (std::int64_t id = 2; id <= last_id_; ++id) {
    EXPECT_FALSE(replies_.at(id).error) << id << ": " << replies_.at(id).error->describe();
  }
  EXPECT_EQ(hash_of(command("b", SessionCommand::observe)),
            hash_of(command("c", SessionCommand::observe)));
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
