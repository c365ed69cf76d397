// What becomes of a session whose process was taken over, and of the others.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/engine/session/hostile_process_fixture.h"

namespace hone {
namespace {

class HostileProcess : public HostileProcessFixture {};

TEST_F(HostileProcess, AReplyThatCannotBeIsRefused) {
  open_bad([](Hostile& process) {
    process.open();
    process.hear();
    SessionReply reply;
    reply.applied = std::int64_t{1} << 40U;
    process.say(reply);
  });
  const SessionReply reply = step("bad", {"function(sroa)"});
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::internal);
  EXPECT_NE(reply.error->message.find("applied"), std::string::npos) << reply.error->message;
  EXPECT_EQ(server_->processes(), 0U);
  expect_all_go_on();
}

TEST_F(HostileProcess, ALengthAboveAllReasonIsRefused) {
  open_bad([](Hostile& process) {
    process.open();
    process.hear();
    process.say_bytes(std::string(8, '\x7f'));
  });
  const SessionReply reply = step("bad", {"function(sroa)"});
  ASSERT_TRUE(reply.error);
  EXPECT_NE(reply.error->message.find("bytes"), std::string::npos) << reply.error->message;
  expect_all_go_on();
}

TEST_F(HostileProcess, AMessageThatNobodyAskedForEndsIt) {
  open_bad([](Hostile& process) {
    process.open();
    process.wait_for_the_test();
    process.say(SessionReply());
  });
  EXPECT_EQ(server_->processes(), 1U);
  go_on();
  for (int i = 0; i < 1000 && server_->processes() > 0; ++i) {
    turn(10);
  }
  EXPECT_EQ(server_->processes(), 0U);
  expect_all_go_on();
}

TEST_F(HostileProcess, PartOfAMessageThatNobodyAskedForEndsItToo) {
  open_bad([](Hostile& process) {
    process.open();
    process.wait_for_the_test();
    process.say_bytes("abc");
  });
  go_on();
  for (int i = 0; i < 1000 && server_->processes() > 0; ++i) {
    turn(10);
  }
  EXPECT_EQ(server_->processes(), 0U);
  expect_all_go_on();
}

TEST_F(HostileProcess, AReplyBehindTheReplyIsNotTheNextOne) {
  open_bad([](Hostile& process) {
    process.open();
    process.hear();
    SessionReply reply;
    reply.applied = 1;
    process.say_bytes(framed(to_line(seal(reply))) + framed(to_line(seal(reply))));
  });
  const SessionReply reply = step("bad", {"function(sroa)"});
  ASSERT_TRUE(reply.error);
  EXPECT_NE(reply.error->message.find("more than it was asked"), std::string::npos)
      << reply.error->message;
  expect_all_go_on();
}

TEST_F(HostileProcess, HalfALengthHoldsUpNobody) {
  settings_.pipeline_limit = std::chrono::seconds(2);
  open("good");
  open_bad([](Hostile& process) {
    process.open();
    process.hear();
    process.say_bytes("abcd");
  });
  const SessionReply reply = ask_both({"function(sroa)"});
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::timed_out);
}

TEST_F(HostileProcess, WhoDoesNotReadHoldsUpNobody) {
  settings_.pipeline_limit = std::chrono::seconds(2);
  open("good");
  open_bad([](Hostile& process) { process.open(); });
  // More than a socket holds.
  const SessionReply reply =
      ask_both(std::vector<std::string>(100, "function(" + std::string(50'000, 'x') + ")"));
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::timed_out);
}

TEST_F(HostileProcess, AnAnswerToWhatItHasNotReadIsRefused) {
  open_bad([](Hostile& process) {
    process.open();
    process.wait_for_the_test();
    process.say(SessionReply());
  });
  SessionRequest request;
  request.session = "bad";
  request.command = SessionCommand::step;
  request.pipelines.assign(100, "function(" + std::string(50'000, 'x') + ")");
  request.id = ++last_id_;
  accept(request);
  go_on();
  for (int i = 0; i < 1000 && !replies_.contains(request.id); ++i) {
    turn(100);
  }
  ASSERT_TRUE(replies_[request.id].error);
  EXPECT_NE(replies_[request.id].error->message.find("before it had read"), std::string::npos);
  expect_all_go_on();
}

TEST_F(HostileProcess, ItsClockIsNotBelieved) {
  settings_.pipeline_limit = std::chrono::milliseconds(300);
  open_bad([](Hostile& process) {
    process.open();
    process.hear();
    auto* const progress =
        static_cast<Progress*>(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED,
                                    process.ends().progress.get(), 0));
    constexpr std::int64_t kCenturies = std::int64_t{1} << 62U;
    progress->started_ns = kCenturies;
    progress->pipeline = kCenturies;
  });
  const SessionReply reply = step("bad", {"function(sroa)"});
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::timed_out);
}

TEST_F(HostileProcess, ItCannotTakeSharedMemoryAway) {
  open_bad([](Hostile& process) {
    (void)!ftruncate(process.ends().progress.get(), 0);
    process.open();
    process.hear();
    SessionReply reply;
    reply.applied = 1;
    process.say(reply);
  });
  EXPECT_FALSE(step("bad", {"function(sroa)"}).error);
}

TEST_F(HostileProcess, RepliesThatAreNotWholeAreBoundedOverAllSessions) {
  settings_.max_replies_bytes = std::size_t{1} << 20U;
  open("good");
  open_bad([](Hostile& process) {
    process.open();
    process.hear();
    std::string half = framed(std::string(std::size_t{8} << 20U, 'x'));
    half.resize(std::size_t{4} << 20U);
    process.say_bytes(half);
  });
  const SessionReply reply = ask_both({"function(sroa)"});
  ASSERT_TRUE(reply.error);
  EXPECT_NE(reply.error->message.find("together may have 1048576 bytes"), std::string::npos)
      << reply.error->message;
  EXPECT_EQ(server_->processes(), 1U);
  EXPECT_FALSE(step("bad", {"function(sroa)"}).error);
}

// As if a locked process could make others, and its children theirs: 3 to the power of 4 are left.
TEST_F(HostileProcess, AllThatItMadeEndsWithIt) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  open_bad([](Hostile& process) {
    process.open();
    for (int i = 0; i < 4; ++i) {
      (void)(::fork() == 0 || ::fork() == 0);
    }
    std::signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, 0);
  });
  open("good");
  EXPECT_TRUE(has_children());
  EXPECT_FALSE(command("bad", SessionCommand::close).error);
  EXPECT_FALSE(command("good", SessionCommand::observe).error);
  EXPECT_FALSE(command("good", SessionCommand::close).error);
  EXPECT_FALSE(has_children());
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

int make_copy() {
  int itself = -1;
  return static_cast<int>(syscall(SYS_clone, long{kCopyFlags}, nullptr, &itself, 0L, 0L));
}

// The kernel lets one through, as one was asked for, and the server does not hear of it.
TEST_F(HostileProcess, ACopyThatIsKeptToItselfEndsWithIt) {
  open("good");
  open_bad([](Hostile& process) {
    process.open_locked();
    process.hear();
    if (make_copy() == 0) {
      for (;;) {
        pause();
      }
    }
    process.hear();
    process.say(SessionReply());
  });
  EXPECT_FALSE(fork("bad", "copy").error);
  EXPECT_EQ(server_->processes(), 1U);
  EXPECT_FALSE(command("good", SessionCommand::close).error);
  EXPECT_FALSE(has_children());
  EXPECT_FALSE(step("copy", {"function(sroa)"}).error);
  EXPECT_EQ(step("bad", {"function(sroa)"}).length, 1);
}

// It waits at the gate for one more than was asked for, until its time is over.
TEST_F(HostileProcess, WhatItIsNotAskedToCopyIsNotCopied) {
  settings_.pipeline_limit = std::chrono::seconds(2);
  open_bad([](Hostile& process) {
    process.open_locked();
    process.hear();
    if (make_copy() == 0 || make_copy() == 0) {
      for (;;) {
        pause();
      }
    }
    process.hear();
    process.say(SessionReply());
  });
  EXPECT_TRUE(fork("bad", "copy").error);
  EXPECT_FALSE(has_children());
  expect_all_go_on();
}

// What a process sends for the pidfd of its copy.
struct FalseCopy {
  const char* what;
  std::function<void(const Descriptor& channel)> send;
};

TEST_F(HostileProcess, ACopyThatIsNoneIsAParkedSession) {
  const std::vector<FalseCopy> copies = {
      {"nothing", [](const Descriptor&) {}},
      {"no file", [](const Descriptor& copy) { (void)send_message(copy.get(), kCopiedMessage); }},
      {"half a message", [](const Descriptor& copy) { (void)!write(copy.get(), "abcd", 4); }},
      {"no process",
       [](const Descriptor& copy) {
         const Descriptor file(memfd_create("no process", MFD_CLOEXEC));
         (void)send_message(copy.get(), kCopiedMessage, {file.get()});
       }},
      {"itself",
       [](const Descriptor& copy) {
         const Descriptor itself(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
         (void)send_message(copy.get(), kCopiedMessage, {itself.get()});
       }},
      {"the server",
       [](const Descriptor& copy) {
         const Descriptor server(static_cast<int>(syscall(SYS_pidfd_open, getppid(), 0)));
         (void)send_message(copy.get(), kCopiedMessage, {server.get()});
       }},
  };
  open("good");
  for (const FalseCopy& copy : copies) {
    open_bad([&copy](Hostile& process) {
      process.open();
      const Message asked = process.hear();
      copy.send(asked.files.at(0));
      process.hear();
      process.say(SessionReply());
    });
    const SessionReply forked = fork("bad", "copy");
    EXPECT_FALSE(forked.error) << copy.what;
    EXPECT_EQ(server_->processes(), 1U) << copy.what << ": only the one that did nothing";
    const SessionReply stepped = step("copy", {"function(sroa)"});
    EXPECT_FALSE(stepped.error) << copy.what;
    EXPECT_EQ(stepped.length, 1) << copy.what;
    command("copy", SessionCommand::close);
    command("bad", SessionCommand::close);
    EXPECT_FALSE(command("good", SessionCommand::observe).error) << copy.what;
  }
}

}  // namespace
}  // namespace hone
