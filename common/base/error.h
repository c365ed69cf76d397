// What went wrong, in a form a user can act on and a program can branch on.
//
// The set of codes is small and closed: a code says who can do something about it, not what
// happened (the message does that). Values are copied freely and hold no references.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/assert/source_location.hpp>

namespace hone {

enum class ErrorCode {
  invalid_argument,    // the caller's input is wrong; retrying it unchanged is useless
  unauthenticated,     // no token, or one that is not known or was revoked
  permission_denied,   // the token's role does not allow this
  not_found,           // the named thing does not exist
  conflict,            // it exists already, or is in a state that does not allow this
  expired,             // it existed, and its time is over (a lease)
  too_large,           // a size limit was exceeded
  unsupported,         // understood, but not offered (media type, method, format version)
  timed_out,           // a time limit was exceeded
  unavailable,         // a program or network peer did not answer; retrying may help
  resource_exhausted,  // more than the caller's share was asked for; retrying later may help
  cancelled,           // somebody asked for it to stop
  io_failed,           // the operating system refused; the message holds its reason
  disk_full,           // there is no room for it; everything else goes on
  internal,            // a bug of ours
};

// The code's name as written in logs and problem documents, for example "not_found".
std::string_view to_string(ErrorCode code);

// One bad field of an input: where (JSON Pointer, "" for the whole) and what would be right.
struct FieldProblem {
  std::string pointer;
  std::string detail;
  bool operator==(const FieldProblem&) const = default;
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;               // one sentence, names the thing and the value
  std::vector<FieldProblem> fields;  // every bad field at once, where the input has fields

  // The message with every field on a line of its own: what a terminal shows.
  std::string describe() const;
  // The same error with "prefix: " before the message.
  Error within(std::string_view prefix) const;
};

// boost::system::result calls this when value() meets an error, which is a bug of the caller.
[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location& where);

// An error from errno (or another code of the system), "what: reason".
Error system_error(std::string_view what, int errno_value);

// Exit codes of the command line programs, one table for all of them:
// 2 bad input, 3 not allowed, 4 not found, 5 conflict or expired, 6 unavailable or timed out,
// 130 cancelled, 1 everything else.
int exit_code(ErrorCode code);

}  // namespace hone
