#include "common/sessions/sealed_reply.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr char kSeparator = '\t';
constexpr std::string_view kEmptyObject = "{}";
constexpr std::size_t kMaxHeadBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxBodyBytes = std::size_t{1} << 30U;

}  // namespace

SealedReply seal(const SessionReply& reply) {
  return {reply, reply.error ? "" : dump_json(body_to_json(reply))};
}

Result<SessionReply> open_reply(const SealedReply& sealed) {
  SessionReply reply;
  static_cast<ReplyHead&>(reply) = sealed.head;
  if (reply.error) {
    return reply;
  }
  HONE_TRY(const Json body, parse_json(sealed.body, {.bytes = kMaxBodyBytes}));
  Problems problems;
  ObjectReader reader(body, "", problems, UnknownKeys::ignore);
  read_reply_body(reader, reply);
  if (auto error = problems.as_error("session reply")) {
    return *std::move(error);
  }
  return reply;
}

std::string to_line(const SealedReply& sealed) {
  Json head = head_to_json(sealed.head);
  head["version"] = kReplyVersion;
  std::string line = dump_json(head);
  if (!sealed.head.error) {
    line += kSeparator;
    line += sealed.body;
  }
  return line;
}

Result<SealedReply> parse_sealed_reply(std::string_view line) {
  const std::size_t end = line.find(kSeparator);
  HONE_TRY(const Json document, parse_json(line.substr(0, end), {.bytes = kMaxHeadBytes}));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  const Json* const version = reader.find("version");
  if (version == nullptr || *version != kReplyVersion) {
    return fail(ErrorCode::unsupported, "a reply of version " +
                                            (version == nullptr ? "none" : dump_json(*version)) +
                                            " where " + std::to_string(kReplyVersion) +
                                            " is known: hone-session is of another release");
  }
  SealedReply sealed;
  sealed.head = read_reply_head(reader);
  if (auto error = problems.as_error("session reply")) {
    return *std::move(error);
  }
  if (sealed.head.error) {
    return sealed;
  }
  const std::string_view body = end == std::string_view::npos ? "" : line.substr(end + 1);
  if (!body.starts_with('{') || !body.ends_with('}') || body.find('\n') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "bad session reply: its body is no object in one line");
  }
  sealed.body = body;
  return sealed;
}

std::string document_text(const SealedReply& sealed, const Json& more) {
  Json head = head_to_json(sealed.head);
  head.merge_patch(more);
  std::string text = dump_json(head);
  if (sealed.body.size() > kEmptyObject.size()) {
    text.back() = ',';
    text.append(sealed.body, 1);
  }
  return text;
}

}  // namespace hone
