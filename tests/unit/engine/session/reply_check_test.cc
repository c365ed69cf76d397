#include "engine/session/reply_check.h"

#include <string>

#include <gtest/gtest.h>

#include "engine/llvm/session.h"

namespace hone {
namespace {

SessionRequest two_steps() {
  SessionRequest request;
  request.command = SessionCommand::step;
  request.pipelines = {"function(sroa)", "function(dce)"};
  return request;
}

SessionReply both() {
  SessionReply reply;
  reply.applied = 2;
  return reply;
}

SessionReply second_broke() {
  SessionReply reply;
  reply.applied = 1;
  reply.outcome = StepOutcome::broken_module;
  reply.pipeline = "function(dce)";
  return reply;
}

// "" if the reply passes.
std::string wrong(const SessionReply& reply, const SessionRequest& request,
                  std::size_t length = 0) {
  const Result<SealedReply> read = read_process_reply(to_line(seal(reply)), request, length);
  if (read) {
    return "";
  }
  EXPECT_EQ(read.error().code, ErrorCode::internal);
  return read.error().message;
}

TEST(ReplyCheck, WhatFitsPasses) {
  EXPECT_EQ(wrong(both(), two_steps()), "");
  EXPECT_EQ(wrong(second_broke(), two_steps()), "");
  EXPECT_EQ(wrong(SessionReply(), SessionRequest()), "");
  SessionReply refusal;
  refusal.error = fail(ErrorCode::not_found, "no program");
  EXPECT_EQ(wrong(refusal, two_steps()), "");
}

TEST(ReplyCheck, APlaceBehindTheRequestIsRefused) {
  for (const std::int64_t applied : {std::int64_t{3}, (std::int64_t{1} << 53U) - 1}) {
    SessionReply reply = both();
    reply.applied = applied;
    EXPECT_NE(wrong(reply, two_steps()).find("applied"), std::string::npos) << applied;
    reply = second_broke();
    reply.applied = applied;
    EXPECT_NE(wrong(reply, two_steps()).find("applied"), std::string::npos) << applied;
  }
  SessionReply none;
  none.applied = 1;
  EXPECT_NE(wrong(none, SessionRequest()), "") << "of a request that applies nothing";
}

TEST(ReplyCheck, AFailureIsOfThePipelineBehindTheAppliedOnes) {
  SessionReply reply = second_broke();
  reply.applied = 2;
  EXPECT_NE(wrong(reply, two_steps()), "") << "none is left";
  reply = second_broke();
  reply.pipeline = "function(sroa)";
  EXPECT_NE(wrong(reply, two_steps()), "");
  reply = both();
  reply.applied = 1;
  EXPECT_NE(wrong(reply, two_steps()), "") << "none failed";
  reply = SessionReply();
  reply.outcome = StepOutcome::crashed;
  EXPECT_NE(wrong(reply, SessionRequest()), "") << "nothing was to be applied";
}

TEST(ReplyCheck, AHistoryKeepsToItsLengths) {
  EXPECT_EQ(wrong(both(), two_steps(), kMaxHistory - 2), "");
  EXPECT_NE(wrong(both(), two_steps(), kMaxHistory - 1), "");
  SessionRequest undo;
  undo.command = SessionCommand::undo;
  undo.count = 3;
  EXPECT_EQ(wrong(SessionReply(), undo, 3), "");
  EXPECT_NE(wrong(SessionReply(), undo, 2), "");
}

TEST(ReplyCheck, OnlyWhatWasAskedForIsMasked) {
  SessionRequest request;
  SessionReply reply;
  reply.masked = {{"function(dce)", "no_effect"}};
  EXPECT_NE(wrong(reply, request), "");
  request.mask = true;
  EXPECT_EQ(wrong(reply, request), "");
  for (std::size_t i = 0; i < kMaxMasked; ++i) {
    reply.masked.emplace(std::to_string(i), "no_effect");
  }
  EXPECT_NE(wrong(reply, request), "");
}

TEST(ReplyCheck, WhatIsNoReplyOrTooLongIsRefused) {
  EXPECT_FALSE(read_process_reply("", SessionRequest(), 0));
  EXPECT_FALSE(read_process_reply("{}\t{}", SessionRequest(), 0));
  SessionReply reply;
  reply.error = fail(ErrorCode::internal, std::string(kMaxProcessHeadBytes, 'x'));
  EXPECT_NE(wrong(reply, SessionRequest()).find("head"), std::string::npos);
}

}  // namespace
}  // namespace hone
