// A session's process as the server holds it. What the process says is not trusted: it cannot make
// the server wait, name a process that is not its own, have more time by saying so, or make a
// process that outlives it. Not thread safe: start() forks.
//
// Each is the leader of a process group, which it cannot leave, and in which its copy is until
// meet(): to kill the group is to kill all that it has made, since the kernel lets no fork slip
// through between the killed. What it may make is one copy for each that it was asked for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/sessions/sealed_reply.h"
#include "engine/session/channel.h"
#include "engine/session/copy_gate.h"
#include "engine/session/message_reader.h"
#include "engine/session/message_writer.h"
#include "engine/session/process_end.h"
#include "engine/session/session_child.h"

namespace hone {

struct ProcessLimits {
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;  // address space
};

class SessionProcess {
 public:
  // A fork of this process, which has LLVM's targets set up: a new session costs no start of a
  // program. `serve` is what it does, and does not return. io_failed.
  static Result<SessionProcess> start(const ProcessLimits& limits,
                                      const std::function<void(ChildEnds)>& serve);
  // A fork of the session's own process, which must be idle: the same state to the last bit. Usable
  // when meet() says so, which is not before the original has answered the next request.
  // unavailable if the process died of it, or if this kernel cannot tell who makes copies.
  Result<SessionProcess> copy();
  // Of a copy: takes it over from its original, or says that there is none: unavailable, or
  // internal for what is no copy of that original. The original must be ended then, as it may have
  // made one all the same.
  Result<void> meet();

  // What to poll for besides channel(): whether the copy that was asked for is being made, which
  // waits for let_copy(); -1 if none was asked for.
  int copy_asked() const { return may_copy_ ? gate_->listener() : -1; }
  void let_copy();

  // Kills what still runs.
  ~SessionProcess();
  SessionProcess(SessionProcess&& other) noexcept;
  SessionProcess& operator=(SessionProcess&& other) noexcept;

  // The request begins now, with at most so many pipelines to run, some of them more than once.
  // Nothing waits: what the process has not read yet goes with send_ready(), when poll() has found
  // room. unavailable if it has ended.
  Result<void> send(std::string text, std::size_t pipelines);
  Result<void> send_ready() { return writer_.send_ready(channel()); }
  bool sending() const { return writer_.sending(); }
  // The reply, or nothing as long as it is not whole. unavailable if the process has ended; another
  // error says what it may not have sent, and nothing more can be had of it then.
  Result<std::optional<std::string>> receive();
  // Whether part of a reply is there, and how much.
  bool replying() const { return reader_.holds_more(); }
  std::size_t held_bytes() const { return reader_.held_bytes(); }
  int channel() const { return channel_.get(); }

  // Of the request that was sent last, as the process says; any number.
  std::int64_t pipeline() const { return progress_->pipeline; }
  // Until what it runs has taken `limit`, as the process says, or the request all that its
  // pipelines may take, by our clock. Not above 0: it is over time.
  std::chrono::nanoseconds time_left(std::chrono::nanoseconds limit) const;

  // With all it has made.
  void kill();
  // Waits for their end, which must be near: kill() was called.
  ProcessEnd wait();

 private:
  SessionProcess() = default;
  struct Ends;
  static Result<Ends> make_ends();

  Descriptor process_;  // a pidfd: a number could be another process's by now
  // Its number, which stays its own until wait(); of a copy that is not met, its original's.
  pid_t group_ = -1;
  std::shared_ptr<const CopyGate> gate_;  // where the kernel has such; null until it is locked down
  bool may_copy_ = false;                 // it was asked to, and has not done so
  bool spoke_ = false;                    // the first message is there
  Descriptor channel_;
  MessageReader reader_{kMaxReplyLineBytes};
  MessageWriter writer_;
  Descriptor errors_;
  Progress* progress_ = nullptr;
  std::int64_t sent_ns_ = 0;     // when the request was
  std::int64_t most_turns_ = 1;  // pipelines it may run, and what follows the last
};

}  // namespace hone
