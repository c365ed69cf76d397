#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/sessions/session_reply.h"
#include "common/sessions/session_request.h"

namespace hone {
namespace {

TEST(SessionRequest, IsReadAsItIsWritten) {
  SessionRequest request;
  request.id = 7;
  request.session = "a-1";
  request.command = SessionCommand::step;
  request.pipelines = {"function(sroa)", "globaldce"};
  request.observe = {ObservationSpace::autophase};
  request.rewards = {{Cost::object_text_size, RewardForm::oz}};
  request.mask = true;
  const Result<SessionRequest> read = parse_session_request(to_json(request));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(to_json(*read), to_json(request));
  EXPECT_EQ(read->pipelines, request.pipelines);
  EXPECT_TRUE(read->mask);
}

TEST(SessionRequest, EveryBadFieldIsNamedAtOnce) {
  const Json document = {
      {"id", -1}, {"session", "A b"}, {"command", "step"}, {"observe", {"Inst2vec"}}, {"extra", 1}};
  const Result<SessionRequest> read = parse_session_request(document);
  ASSERT_FALSE(read);
  const std::string text = read.error().describe();
  for (const char* const field : {"/id", "/session", "/pipelines", "/observe", "/extra"}) {
    EXPECT_NE(text.find(field), std::string::npos) << field << " is missing in " << text;
  }
}

TEST(SessionReply, IsReadAsItIsWritten) {
  SessionReply reply;
  reply.id = 3;
  reply.outcome = StepOutcome::crashed;
  reply.pipeline = "function(loop(licm))";
  reply.reason = "killed";
  reply.applied = 2;
  reply.changed = true;
  reply.length = 9;
  reply.observations = {{"Autophase", std::vector<std::int64_t>{1, 2}},
                        {"InstCountNorm", std::vector<double>{0.5, 0.25}},
                        {"IrInstructionCount", std::int64_t{12}},
                        {"Bitcode", std::string("BC\0\xC0", 4)},
                        {"Ir", std::string("define")}};
  reply.rewards = {{"IrInstructionCountOz", 0.5}};
  reply.masked = {{"function(loop(licm))", "crashed"}, {"function(dce)", std::string(kNoEffect)}};
  const Result<SessionReply> read = parse_session_reply(to_json(reply));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->observations, reply.observations);
  EXPECT_EQ(read->rewards, reply.rewards);
  EXPECT_EQ(read->masked, reply.masked);
  EXPECT_EQ(to_json(*read), to_json(reply));
}

TEST(SessionReply, ARefusalHoldsNothingElse) {
  SessionReply reply;
  reply.id = 3;
  reply.error = fail(ErrorCode::not_found, "no session 'x'");
  const Result<SessionReply> read = parse_session_reply(to_json(reply));
  ASSERT_TRUE(read);
  ASSERT_TRUE(read->error);
  EXPECT_EQ(read->error->code, ErrorCode::not_found);
  EXPECT_EQ(read->error->message, "no session 'x'");
}

}  // namespace
}  // namespace hone
