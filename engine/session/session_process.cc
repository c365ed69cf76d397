#include "engine/session/session_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kErrorsTail = 4096;

void limit(const ProcessLimits& limits) {
  const rlimit memory{limits.memory_bytes, limits.memory_bytes};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // A pass that hangs must not outlive a server that was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
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

std::string ProcessEnd::describe() const {
  std::string text =
      signal != 0 ? "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
                  : "exit code " + std::to_string(exit_code);
  return errors.empty() ? text : text + ": " + errors;
}

bool ProcessEnd::out_of_memory() const {
  return errors.find("out of memory") != std::string::npos ||
         errors.find("bad_alloc") != std::string::npos;
}

Result<SessionProcess::Ends> SessionProcess::make_ends() {
  Ends ends;
  HONE_TRY(ChannelEnds channel, make_channel());
  ends.child.progress = Descriptor(memfd_create("progress", MFD_CLOEXEC));
  ends.child.errors = Descriptor(memfd_create("errors", MFD_CLOEXEC));
  if (!ends.child.progress || !ends.child.errors ||
      ftruncate(ends.child.progress.get(), sizeof(Progress)) != 0) {
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
                                             const Ir2VecVocabulary* vocabulary) {
  HONE_TRY(Ends ends, make_ends());
  const pid_t pid = fork();
  if (pid < 0) {
    return system_error("a session's process", errno);
  }
  if (pid == 0) {
    limit(limits);
    serve_session(std::move(ends.child), vocabulary);
  }
  ends.server.pid_ = pid;
  return std::move(ends.server);
}

Result<SessionProcess> SessionProcess::copy() {
  HONE_TRY(Ends ends, make_ends());
  begin_request();
  HONE_CHECK(
      send_message(channel_.get(), kForkMessage,
                   {ends.child.channel.get(), ends.child.progress.get(), ends.child.errors.get()}));
  // Ours would keep the channel open if the copy dies.
  ends.child.channel = Descriptor();
  HONE_TRY(const Message hello, ends.server.receive());
  HONE_TRY(const Json document, parse_json(hello.text));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  ends.server.pid_ = static_cast<pid_t>(reader.integer("process", 1, 1 << 30));
  if (auto error = problems.as_error("a copy's first message")) {
    return *std::move(error);
  }
  return std::move(ends.server);
}

SessionProcess::~SessionProcess() {
  if (pid_ > 0) {
    kill();
    (void)wait();
  }
  if (progress_ != nullptr) {
    munmap(progress_, sizeof(Progress));
  }
}

SessionProcess::SessionProcess(SessionProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      channel_(std::move(other.channel_)),
      reader_(std::move(other.reader_)),
      errors_(std::move(other.errors_)),
      progress_(std::exchange(other.progress_, nullptr)) {}

SessionProcess& SessionProcess::operator=(SessionProcess&& other) noexcept {
  if (this != &other) {
    std::swap(pid_, other.pid_);
    std::swap(channel_, other.channel_);
    std::swap(reader_, other.reader_);
    std::swap(errors_, other.errors_);
    std::swap(progress_, other.progress_);
  }
  return *this;
}

std::chrono::nanoseconds SessionProcess::running_for() const {
  return std::chrono::nanoseconds(now_ns() - progress_->started_ns);
}

void SessionProcess::begin_request() {
  progress_->pipeline = -1;
  progress_->started_ns = now_ns();
}

void SessionProcess::kill() {
  ::kill(pid_, SIGKILL);
}

ProcessEnd SessionProcess::wait() {
  ProcessEnd end;
  int status = 0;
  pid_t got = 0;
  do {
    got = waitpid(pid_, &status, 0);
  } while (got < 0 && errno == EINTR);
  pid_ = -1;
  if (got > 0) {
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  }
  end.errors = tail_of(errors_.get());
  return end;
}

}  // namespace hone
