// A session's process as the server holds it. Not thread safe: start() and copy() fork.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "engine/session/channel.h"
#include "engine/session/session_child.h"

namespace hone {

struct ProcessLimits {
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;  // address space
};

// How a process ended.
struct ProcessEnd {
  int signal = 0;  // 0: it exited
  int exit_code = 0;
  std::string errors;  // the end of what it wrote on standard error
  // "killed by signal 6 (Aborted): LLVM ERROR: ..."
  std::string describe() const;
  bool out_of_memory() const;
};

class SessionProcess {
 public:
  // A fork of this process, which has LLVM's targets set up: a new session costs no start of a
  // program. `vocabulary` as of SessionOptions. io_failed.
  static Result<SessionProcess> start(const ProcessLimits& limits,
                                      const Ir2VecVocabulary* vocabulary);
  // A fork of the session's own process: the same state to the last bit. `this` must be idle.
  // unavailable if the process died of it.
  Result<SessionProcess> copy();

  // Kills what still runs.
  ~SessionProcess();
  SessionProcess(SessionProcess&& other) noexcept;
  SessionProcess& operator=(SessionProcess&& other) noexcept;

  Result<void> send(std::string_view text) { return send_message(channel_.get(), text); }
  // Blocks; poll channel() first.
  Result<Message> receive() { return reader_.receive(channel_.get()); }
  int channel() const { return channel_.get(); }

  // Of the request that was sent last; see Progress.
  std::int64_t pipeline() const { return progress_->pipeline; }
  std::chrono::nanoseconds running_for() const;
  // The request begins now: until the process says something else.
  void begin_request();

  void kill();
  // Waits for the end, which must be near: the channel has closed or kill() was called.
  ProcessEnd wait();

 private:
  SessionProcess() = default;
  struct Ends;
  static Result<Ends> make_ends();

  pid_t pid_ = -1;
  Descriptor channel_;
  MessageReader reader_;
  Descriptor errors_;
  Progress* progress_ = nullptr;
};

}  // namespace hone
