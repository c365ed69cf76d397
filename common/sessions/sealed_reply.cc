#include "common/sessions/sealed_reply.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/json/json_writer.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr char kSeparator = '\t';
constexpr std::string_view kEmptyObject = "{}";

// By their names; the message says what a code of a newer version means.
ErrorCode error_code_of(std::string_view name) {
  constexpr auto kCodes = std::to_array(
      {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::conflict, ErrorCode::too_large,
       ErrorCode::unsupported, ErrorCode::timed_out, ErrorCode::unavailable, ErrorCode::io_failed});
  const auto found = std::ranges::find(
      kCodes, name, [](ErrorCode code) -> std::string_view { return to_string(code); });
  return found == kCodes.end() ? ErrorCode::internal : *found;
}

// Reads a head, of which there is one with every reply at every hop, without making a document of
// it first. Of what it does not know it reads nothing.
class HeadReader final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool value) override {
    if (depth_ == 1 && key_ == "changed") {
      head_.changed = value;
      changed_ = true;
    }
    return true;
  }
  bool number_integer(number_integer_t) override { return true; }  // below 0: nothing of ours is
  bool number_unsigned(number_unsigned_t value) override {
    constexpr number_unsigned_t kMost = (number_unsigned_t{1} << 53U) - 1;
    const auto place = std::ranges::find(numbers_, key_, &Number::key);
    if (depth_ == 1 && place != numbers_.end() && value <= kMost) {
      place->value = static_cast<std::int64_t>(value);
    }
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == "outcome") {
      outcome_ = parse_step_outcome(value);
    } else if (depth_ == 1 && key_ == "pipeline") {
      head_.pipeline = std::move(value);
    } else if (depth_ == 1 && key_ == "reason") {
      head_.reason = std::move(value);
    } else if (depth_ == 2 && section_ == "masked") {
      head_.masked.emplace(key_, std::move(value));
    } else if (depth_ == 2 && section_ == "error" && key_ == "code") {
      code_ = std::move(value);
    } else if (depth_ == 2 && section_ == "error" && key_ == "message") {
      message_ = std::move(value);
    }
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 2) {
      section_ = key_;
    }
    return depth_ <= kMaxDepth;
  }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return ++depth_ <= kMaxDepth; }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  // Once all is read.
  Result<ReplyHead> take() {
    const std::optional<std::int64_t> version = number("version");
    if (version != kReplyVersion) {
      return fail(ErrorCode::unsupported, "a reply of version " +
                                              (version ? std::to_string(*version) : "none") +
                                              " where " + std::to_string(kReplyVersion) +
                                              " is known: hone-session is of another release");
    }
    const std::optional<std::int64_t> id = number("id");
    if (!id) {
      return missing("id, a number");
    }
    head_.id = *id;
    if (!code_.empty()) {
      ReplyHead refusal;
      refusal.id = head_.id;
      refusal.error = fail(error_code_of(code_), std::move(message_));
      return refusal;
    }
    const std::optional<std::int64_t> applied = number("applied");
    const std::optional<std::int64_t> length = number("length");
    if (!outcome_ || !applied || !length || !changed_) {
      return missing("one of outcome, applied, length and changed");
    }
    head_.outcome = *outcome_;
    head_.applied = *applied;
    head_.length = *length;
    return std::move(head_);
  }

 private:
  static constexpr int kMaxDepth = 8;
  struct Number {
    std::string_view key;
    std::optional<std::int64_t> value;
  };

  static Error missing(const std::string& what) {
    return fail(ErrorCode::invalid_argument, "bad session reply: its head lacks " + what);
  }
  std::optional<std::int64_t> number(std::string_view key) const {
    return std::ranges::find(numbers_, key, &Number::key)->value;
  }
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::string key_;
  std::string section_;  // the key at depth 1 whose object is read
  std::array<Number, 4> numbers_{{{"applied", {}}, {"id", {}}, {"length", {}}, {"version", {}}}};
  bool changed_ = false;
  std::optional<StepOutcome> outcome_;
  std::string code_;
  std::string message_;
  ReplyHead head_;
};

}  // namespace

SealedReply seal(const SessionReply& reply) {
  if (reply.error) {
    return {static_cast<const ReplyHead&>(reply), ""};
  }
  JsonWriter writer;
  writer.begin_object();
  write_body(writer, reply);
  writer.end_object();
  return {static_cast<const ReplyHead&>(reply), writer.take()};
}

Result<SessionReply> open_reply(const SealedReply& sealed) {
  SessionReply reply;
  static_cast<ReplyHead&>(reply) = sealed.head;
  if (reply.error) {
    return reply;
  }
  HONE_TRY(const Json body, parse_json(sealed.body, {.bytes = kMaxReplyBodyBytes}));
  Problems problems;
  ObjectReader reader(body, "", problems, UnknownKeys::ignore);
  read_reply_body(reader, reply);
  if (auto error = problems.as_error("session reply")) {
    return *std::move(error);
  }
  return reply;
}

std::string to_line(const SealedReply& sealed) {
  JsonWriter writer;
  writer.begin_object();
  write_head(writer, sealed.head, {.version = kReplyVersion, .id = sealed.head.id, .session = {}});
  writer.end_object();
  std::string line = writer.take();
  if (!sealed.head.error) {
    line += kSeparator;
    line += sealed.body;
  }
  return line;
}

Result<void> check_reply_size(std::string_view line, std::size_t max_head_bytes) {
  const std::size_t head = std::min(line.find(kSeparator), line.size());
  if (head > max_head_bytes) {
    return fail(ErrorCode::too_large, "a session reply's head of " + std::to_string(head) +
                                          " bytes, of at most " + std::to_string(max_head_bytes));
  }
  const std::size_t body = line.size() - std::min(head + 1, line.size());
  if (body > kMaxReplyBodyBytes) {
    return fail(ErrorCode::too_large, "observations and rewards of " + std::to_string(body) +
                                          " bytes in one reply, of at most " +
                                          std::to_string(kMaxReplyBodyBytes));
  }
  return {};
}

Result<SealedReply> parse_sealed_reply(std::string_view line) {
  HONE_CHECK(check_reply_size(line, kMaxReplyHeadBytes));
  const std::size_t end = line.find(kSeparator);
  HeadReader reader;
  if (!Json::sax_parse(line.substr(0, end), &reader)) {
    return fail(ErrorCode::invalid_argument, "bad session reply: its head is no JSON object");
  }
  SealedReply sealed;
  HONE_TRY(sealed.head, reader.take());
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

std::string document_text(const SealedReply& sealed, const HeadForm& form) {
  JsonWriter writer;
  writer.begin_object();
  write_head(writer, sealed.head, form);
  writer.end_object();
  std::string text = writer.take();
  if (sealed.body.size() > kEmptyObject.size()) {
    text.back() = ',';
    text.append(sealed.body, 1);
  }
  return text;
}

}  // namespace hone
