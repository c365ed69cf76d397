#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/sessions/sealed_reply.h"
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

TEST(SessionRequest, PipelinesOfTheWrongKindAreOneFault) {
  for (const Json& wrong : {Json("function(sroa)"), Json{7}}) {
    const Json document = {{"id", 1}, {"session", "a"}, {"command", "step"}, {"pipelines", wrong}};
    const Result<SessionRequest> read = parse_session_request(document);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().fields.size(), 1U) << read.error().describe();
  }
}

TEST(SessionRequest, WhatNeedsTheProgramLinkedIsRefusedWithTheReason) {
  const Json document = {{"id", 1},
                         {"session", "a"},
                         {"command", "observe"},
                         {"observe", {"Runtime", "Autophase"}},
                         {"rewards", {"TextSizeOz"}}};
  const Result<SessionRequest> read = parse_session_request(document);
  ASSERT_FALSE(read);
  const std::string text = read.error().describe();
  EXPECT_NE(text.find("\"Runtime\" needs the program linked and run"), std::string::npos) << text;
  EXPECT_NE(text.find("/rewards"), std::string::npos) << text;
}

SessionReply full_reply() {
  SessionReply reply;
  reply.id = 3;
  reply.outcome = StepOutcome::crashed;
  reply.pipeline = "function(loop(licm))";
  reply.reason = "killed\tby\nsignal";
  reply.applied = 2;
  reply.changed = true;
  reply.length = 9;
  reply.observations = {{"Autophase", std::vector<std::int64_t>{1, 2}},
                        {"InstCountNorm", std::vector<double>{0.5, 0.25}},
                        {"IrInstructionCount", std::int64_t{12}},
                        {"Bitcode", std::string("BC\0\xC0", 4)},
                        {"Ir", std::string("define\t\n")}};
  reply.rewards = {{"IrInstructionCountOz", 0.5}};
  reply.masked = {{"function(loop(licm))", "crashed"}, {"function(dce)", std::string(kNoEffect)}};
  return reply;
}

TEST(SealedReply, IsReadAsItIsWritten) {
  const SessionReply reply = full_reply();
  const std::string line = to_line(seal(reply));
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  EXPECT_EQ(std::ranges::count(line, '\t'), 1) << line;
  const Result<SealedReply> sealed = parse_sealed_reply(line);
  ASSERT_TRUE(sealed) << sealed.error().describe();
  EXPECT_EQ(sealed->head.masked, reply.masked);
  const Result<SessionReply> read = open_reply(*sealed);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->observations, reply.observations);
  EXPECT_EQ(read->rewards, reply.rewards);
  EXPECT_EQ(to_json(*read), to_json(reply));
}

TEST(SealedReply, ItsBodyIsPassedOnAsItIs) {
  SealedReply sealed = seal(full_reply());
  sealed.body = R"({"observations":{"Autophase":[1,  2]}})";
  const Result<SealedReply> passed = parse_sealed_reply(to_line(sealed));
  ASSERT_TRUE(passed);
  EXPECT_EQ(passed->body, sealed.body);
  const std::string text = document_text(*passed, {.session = "a"});
  EXPECT_NE(text.find(R"("observations":{"Autophase":[1,  2]})"), std::string::npos) << text;
  const Result<Json> document = parse_json(text);
  ASSERT_TRUE(document) << text;
  EXPECT_EQ((*document)["session"], "a");
  EXPECT_EQ((*document)["outcome"], "crashed");
  EXPECT_FALSE(document->contains("id"));
  const std::string empty = document_text(seal(SessionReply()), {.id = 7, .session = "a"});
  ASSERT_TRUE(parse_json(empty)) << empty;
  EXPECT_EQ((*parse_json(empty))["id"], 7);
}

TEST(SealedReply, ABodyCanNotPassForAnotherReply) {
  const std::string head = to_line(seal(SessionReply()));
  const std::string begin = head.substr(0, head.find('\t') + 1);
  ASSERT_TRUE(parse_sealed_reply(begin + "{}"));
  EXPECT_FALSE(parse_sealed_reply(begin + "{}\n{\"id\":9}"));
  EXPECT_FALSE(parse_sealed_reply(begin));
  EXPECT_FALSE(parse_sealed_reply(begin + "[1]"));
  EXPECT_FALSE(parse_sealed_reply(head.substr(0, begin.size() - 1)));
}

TEST(SealedReply, AnotherVersionIsRefusedAndAnUnknownKeyIsNot) {
  SessionReply reply;
  reply.error = fail(ErrorCode::not_found, "x");
  Json line = *parse_json(to_line(seal(reply)));
  line["more"] = {{"id", 1}, {"list", {1, {{"outcome", "ok"}}}}};
  EXPECT_TRUE(parse_sealed_reply(dump_json(line)));
  line["version"] = kReplyVersion + 1;
  const Result<SealedReply> other = parse_sealed_reply(dump_json(line));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::unsupported);
  line.erase("version");
  EXPECT_EQ(parse_sealed_reply(dump_json(line)).error().code, ErrorCode::unsupported);
}

TEST(SealedReply, AHeadThatLacksSomethingIsRefused) {
  const Json head = {{"id", 1},     {"outcome", "ok"},  {"applied", 0},
                     {"length", 0}, {"changed", false}, {"version", kReplyVersion}};
  ASSERT_TRUE(parse_sealed_reply(dump_json(head) + "\t{}"));
  for (const auto& [key, value] : head.items()) {
    Json less = head;
    less.erase(key);
    EXPECT_FALSE(parse_sealed_reply(dump_json(less) + "\t{}")) << key;
    less[key] = "wrong";
    EXPECT_FALSE(parse_sealed_reply(dump_json(less) + "\t{}")) << key;
  }
  EXPECT_FALSE(parse_sealed_reply("\t{}"));
  EXPECT_FALSE(parse_sealed_reply("[1]\t{}"));
}

TEST(SealedReply, ARefusalHoldsNothingElse) {
  SessionReply reply;
  reply.id = 3;
  reply.error = fail(ErrorCode::not_found, "no session 'x'");
  const std::string line = to_line(seal(reply));
  EXPECT_EQ(line.find('\t'), std::string::npos);
  const Result<SealedReply> sealed = parse_sealed_reply(line);
  ASSERT_TRUE(sealed);
  const Result<SessionReply> read = open_reply(*sealed);
  ASSERT_TRUE(read && read->error);
  EXPECT_EQ(read->id, 3);
  EXPECT_EQ(read->error->code, ErrorCode::not_found);
  EXPECT_EQ(read->error->message, "no session 'x'");
}

}  // namespace
}  // namespace hone
