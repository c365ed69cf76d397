// A session server's reply on its way to whoever asked: a head, which those who pass it on may read
// and add to, and a body, which they copy as it is. Most of a reply is observations, in the body,
// so that a number is written once, by the session's process, and read once, by whoever asked.
//
// On the wire a reply is one line, the head, a tab and the body, each a JSON object without a tab
// or a line end:
//
//   {"applied":1,"changed":true,"id":2,"length":3,"outcome":"ok","version":1}	{"observations":...}
//   {"error":{"code":"not_found","message":"no session 'x'"},"id":3,"version":1}
//
// A refusal has no body. Plain values; thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/sessions/session_reply.h"

namespace hone {

// Of the line's form; a reader refuses another one, and passes over keys that it does not know.
inline constexpr std::int64_t kReplyVersion = 1;

// Of a line's parts. A session's process keeps to half a head, as others add to it.
inline constexpr std::size_t kMaxReplyHeadBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxProcessHeadBytes = kMaxReplyHeadBytes / 2;
inline constexpr std::size_t kMaxReplyBodyBytes = std::size_t{240} << 20U;
inline constexpr std::size_t kMaxReplyLineBytes = kMaxReplyHeadBytes + kMaxReplyBodyBytes + 1;

struct SealedReply {
  ReplyHead head;
  std::string body;  // the text of an object: observations, rewards; "" with an error
};

SealedReply seal(const SessionReply& reply);
// With the body read. invalid_argument if it is none.
Result<SessionReply> open_reply(const SealedReply& sealed);

// Without the line end.
std::string to_line(const SealedReply& sealed);
// too_large if a part of the line is longer than it may be.
Result<void> check_reply_size(std::string_view line, std::size_t max_head_bytes);
// Of the body only its braces and that it has no line end are looked at: a process that was taken
// over by what it compiles can spoil its own replies, and nobody else's. invalid_argument;
// too_large; unsupported for another version.
Result<SealedReply> parse_sealed_reply(std::string_view line);

// Head and body as the text of one object, as the API shows it: with the session's name, its
// episode if it is logged, and the id that whoever asked gave, if one did. Of a reply without
// error.
std::string document_text(const SealedReply& sealed, const HeadForm& form);

}  // namespace hone
