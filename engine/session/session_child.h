// The inside of a session's process: it loads the program, answers requests, and dies of whatever
// its passes do. Everything that must outlive it is with the server.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "engine/session/channel.h"

namespace hone {

class Ir2VecVocabulary;

// What the server sees of a process that does not answer; in memory that both share, so that a
// process that was taken over by what it compiles may say what it likes here: the server takes
// neither for more than that (SessionProcess::time_left(), SessionServer::failure_of()).
struct Progress {
  std::atomic<std::int64_t> pipeline{-1};   // of the request, from 0; -1: none of them
  std::atomic<std::int64_t> started_ns{0};  // of what is being run, steady clock
};

inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What a process starts from.
struct SessionStart {
  std::string program;  // a file
  bool verify = true;
  bool allowed_only = true;
  std::vector<std::string> history;  // applied before the first request
};
Json to_json(const SessionStart& start);
Result<SessionStart> parse_session_start(const Json& document);

// What a process says first, once it is locked down and before it reads its program: with the
// listener of its copies, where lock_down() had one. Nothing of its program had a say in that.
inline constexpr std::string_view kLockedMessage = "locked";

// This message asks a process for its copy and brings three files along: the copy's channel, its
// memory for Progress, and its standard error. It is answered on the copy's channel, before the
// next message is read, with a pidfd of the copy.
inline constexpr std::string_view kForkMessage = "fork";
inline constexpr std::string_view kCopiedMessage = "copied";

struct ChildEnds {
  Descriptor channel;
  Descriptor progress;  // a memory file of sizeof(Progress) bytes
  Descriptor errors;    // becomes standard error
};

// Serves until the channel closes, then ends the process. A first message with a SessionStart must
// come. All other descriptors are closed first.
[[noreturn]] void serve_session(ChildEnds ends, const Ir2VecVocabulary* vocabulary);

}  // namespace hone
