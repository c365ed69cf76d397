#include "engine/session/session_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kErrorsTail = 4096;
constexpr rlim_t kMaxErrorsBytes = rlim_t{16} << 20U;
// A step that breaks the module is run again behind its history, pipeline by pipeline, and its
// history again behind that (Session::step).
constexpr std::int64_t kRunsOfAPipeline = 3;

void limit(const ProcessLimits& limits) {
#if defined(HONE_SANITIZED)
  // A sanitizer's shadow is larger than any limit.
  static_cast<void>(limits.memory_bytes);
#else
  const rlimit memory{limits.memory_bytes, limits.memory_bytes};
  setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // Standard error is a file in memory. What is too much for it is lost and kills nobody.
  const rlimit errors{kMaxErrorsBytes, kMaxErrorsBytes};
  setrlimit(RLIMIT_FSIZE, &errors);
  std::signal(SIGXFSZ, SIG_IGN);
  // A pass that hangs must not outlive a server that was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// The number of the process that a pidfd is of.
Result<pid_t> number_of(const Descriptor& process) {
  constexpr std::size_t kMaxBytes = 4096;
  HONE_TRY(const std::string text,
           read_file("/proc/self/fdinfo/" + std::to_string(process.get()), kMaxBytes));
  constexpr std::string_view kKey = "\nPid:\t";
  const std::size_t at = text.find(kKey);
  pid_t number = -1;
  if (at != std::string::npos) {
    const char* const digits = text.data() + at + kKey.size();
    std::from_chars(digits, text.data() + text.size(), number);
  }
  if (number <= 0) {  // -1: it has ended, and was waited for
    return fail(ErrorCode::internal, "what the session's process gave for its copy is no process");
  }
  return number;
}

std::string tail_of(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  std::array<char, kErrorsTail> bytes;
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(bytes.size()));
  const ssize_t got = pread(file, bytes.data(), bytes.size(), from);
  return got > 0 ? std::string(trim(std::string_view(bytes.data(), static_cast<std::size_t>(got))))
                 : "";
}

}  // namespace

struct SessionProcess::Ends {
  ChildEnds child;
  SessionProcess server;
};

Result<SessionProcess::Ends> SessionProcess::make_ends() {
  Ends ends;
  HONE_TRY(ChannelEnds channel, make_channel());
  ends.child.progress = Descriptor(memfd_create("progress", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ends.child.errors = Descriptor(memfd_create("errors", MFD_CLOEXEC));
  // Were the file made shorter by whoever has it, too, a look at it would kill the server.
  if (!ends.child.progress || !ends.child.errors ||
      ftruncate(ends.child.progress.get(), sizeof(Progress)) != 0 ||
      fcntl(ends.child.progress.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
          0) {
    return system_error("a session's memory files", errno);
  }
  void* const memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED,
                            ends.child.progress.get(), 0);
  if (memory == MAP_FAILED) {
    return system_error("a session's shared memory", errno);
  }
  ends.server.progress_ = new (memory) Progress;
  ends.server.channel_ = std::move(channel.ours);
  ends.server.errors_ = Descriptor(fcntl(ends.child.errors.get(), F_DUPFD_CLOEXEC, 3));
  ends.child.channel = std::move(channel.theirs);
  return ends;
}

Result<SessionProcess> SessionProcess::start(const ProcessLimits& limits,
                                             const std::function<void(ChildEnds)>& serve) {
  HONE_TRY(Ends ends, make_ends());
  const pid_t pid = fork();
  if (pid < 0) {
    return system_error("a session's process", errno);
  }
  if (pid == 0) {
    setpgid(0, 0);  // here and below, since nobody knows who comes first
    limit(limits);
    serve(std::move(ends.child));
    std::_Exit(1);
  }
  setpgid(pid, pid);
  ends.server.group_ = pid;
  ends.server.process_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!ends.server.process_) {
    Error error = system_error("a session's process", errno);
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return error;
  }
  return std::move(ends.server);
}

Result<SessionProcess> SessionProcess::copy() {
  if (!gate_) {
    return fail(ErrorCode::unavailable, "a session's process may make no copies here");
  }
  HONE_TRY(Ends ends, make_ends());
  // Ours of what the copy gets are closed with `ends`: we would keep the channel open if it dies.
  HONE_CHECK(writer_.start(
      channel(), std::string(kForkMessage),
      {ends.child.channel.get(), ends.child.progress.get(), ends.child.errors.get()}));
  may_copy_ = true;
  ends.server.group_ = group_;
  ends.server.gate_ = gate_;
  ends.server.spoke_ = true;
  return std::move(ends.server);
}

void SessionProcess::let_copy() {
  if (may_copy_ && gate_->let_through(group_)) {
    may_copy_ = false;
  }
}

// A pidfd is of a process that its sender made, as lock_down() leaves no other way to one; it is a
// child of ours, or it could not be waited for; and the copy that was asked for, as every other is
// in another group: in its original's there is but one, which is taken out here.
Result<void> SessionProcess::meet() {
  HONE_TRY(std::optional<Message> hello, reader_.receive_ready(channel(), Files::taken));
  if (!hello || hello->files.size() != 1 || reader_.holds_more()) {
    return fail(ErrorCode::unavailable, "the session's process made no copy");
  }
  siginfo_t state{};
  if (waitid(P_PIDFD, static_cast<id_t>(hello->files[0].get()), &state,
             WEXITED | WNOHANG | WNOWAIT) != 0) {
    return fail(ErrorCode::internal, system_error("a session's copy", errno).message);
  }
  HONE_TRY(const pid_t copy, number_of(hello->files[0]));
  if (copy == group_ || getpgid(copy) != group_) {
    return fail(ErrorCode::internal, "what the session's process gave for its copy is none");
  }
  if (setpgid(copy, copy) != 0) {
    return fail(ErrorCode::internal, system_error("a session's copy", errno).message);
  }
  group_ = copy;
  process_ = std::move(hello->files[0]);
  return {};
}

SessionProcess::~SessionProcess() {
  // A copy that nobody has met is killed as well.
  if (process_ || (channel_ && meet())) {
    kill();
    (void)wait();
  }
  if (progress_ != nullptr) {
    munmap(progress_, sizeof(Progress));
  }
}

SessionProcess::SessionProcess(SessionProcess&& other) noexcept {
  *this = std::move(other);
}

SessionProcess& SessionProcess::operator=(SessionProcess&& other) noexcept {
  if (this != &other) {
    std::swap(process_, other.process_);
    std::swap(group_, other.group_);
    std::swap(gate_, other.gate_);
    std::swap(may_copy_, other.may_copy_);
    std::swap(spoke_, other.spoke_);
    std::swap(channel_, other.channel_);
    std::swap(reader_, other.reader_);
    std::swap(writer_, other.writer_);
    std::swap(errors_, other.errors_);
    std::swap(progress_, other.progress_);
    std::swap(sent_ns_, other.sent_ns_);
    std::swap(most_turns_, other.most_turns_);
  }
  return *this;
}

Result<void> SessionProcess::send(std::string text, std::size_t pipelines) {
  most_turns_ = kRunsOfAPipeline * static_cast<std::int64_t>(pipelines) + 1;
  sent_ns_ = now_ns();
  progress_->pipeline = -1;
  progress_->started_ns = sent_ns_;
  return writer_.start(channel(), std::move(text));
}

Result<std::optional<std::string>> SessionProcess::receive() {
  const Files files = spoke_ ? Files::refused : Files::taken;
  HONE_TRY(std::optional<Message> message, reader_.receive_ready(channel(), files));
  if (!message) {
    return std::nullopt;
  }
  if (!std::exchange(spoke_, true) && message->text == kLockedMessage) {
    if (!message->files.empty()) {
      gate_ = std::make_shared<const CopyGate>(std::move(message->files.front()));
    }
    return receive();
  }
  if (reader_.holds_more()) {
    return fail(ErrorCode::internal, "it said more than it was asked for");
  }
  if (writer_.sending()) {
    return fail(ErrorCode::internal, "it answered before it had read the request");
  }
  return std::optional<std::string>(std::move(message->text));
}

std::chrono::nanoseconds SessionProcess::time_left(std::chrono::nanoseconds limit) const {
  const std::int64_t now = now_ns();
  const std::int64_t started = std::clamp(progress_->started_ns.load(), sent_ns_, now);
  return std::min(limit - std::chrono::nanoseconds(now - started),
                  limit * most_turns_ - std::chrono::nanoseconds(now - sent_ns_));
}

void SessionProcess::kill() {
  if (group_ > 1) {  // all others would be more than it
    ::kill(-group_, SIGKILL);
  }
}

ProcessEnd SessionProcess::wait() {
  ProcessEnd end;
  siginfo_t state{};
  int got = 0;
  do {
    got = waitid(P_PIDFD, static_cast<id_t>(process_.get()), &state, WEXITED);
  } while (got < 0 && errno == EINTR);
  // All are children of ours, and none makes others any more.
  siginfo_t other{};
  while (waitid(P_PGID, static_cast<id_t>(group_), &other, WEXITED) == 0 || errno == EINTR) {
  }
  group_ = -1;
  process_ = Descriptor();
  channel_ = Descriptor();
  if (got == 0) {
    const bool exited = state.si_code == CLD_EXITED;
    end.signal = exited ? 0 : state.si_status;
    end.exit_code = exited ? state.si_status : 0;
  }
  end.errors = tail_of(errors_.get());
  return end;
}

}  // namespace hone
