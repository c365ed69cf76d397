#include "staging/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/base/file.h"
#include "common/base/text.h"
#include "staging/sandbox/bubblewrap.h"
#include "staging/sandbox/init_report.h"
#include "staging/sandbox/sandbox_parts.h"

namespace hone {
namespace {

// bwrap and our init are members of the group, too.
constexpr std::uint64_t kOwnProcesses = 2;
constexpr std::size_t kMaxSaid = std::size_t{1} << 20U;

Error not_made(const std::string& why) {
  return fail(ErrorCode::unavailable, "the sandbox could not be made: " + why);
}

// A descriptor that stays clear of 0, 1 and 2, which the program gets others for.
Result<UniqueFd> above_two(UniqueFd fd) {
  UniqueFd moved(fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
  if (!moved) {
    return not_made(system_error("descriptor", errno).message);
  }
  return moved;
}

// A file that holds the text and is read from its start; -1 inside for an empty text.
Result<UniqueFd> readable_text_file(const std::string& text) {
  if (text.empty()) {
    return UniqueFd();
  }
  HONE_TRY(UniqueFd file, above_two(UniqueFd(memfd_create("hone-seccomp", MFD_CLOEXEC))));
  if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(file.get(), 0, SEEK_SET) != 0) {
    return not_made(system_error("seccomp filter", errno).message);
  }
  return file;
}

// No more than a slot's share of what the machine has: the worker, its honed and the kernel live
// there, too.
std::uint64_t bounded_memory(std::uint64_t wanted, std::size_t slots) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (wanted == 0 || pages <= 0 || page <= 0) {
    return wanted;
  }
  const std::uint64_t all = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  return std::min(wanted, all / 10 * 9 / std::max<std::size_t>(slots, 1));
}

// The last line that bwrap or our init said before the program could start.
std::string last_line(const Command& command, const RunReport& report) {
  std::string said = report.stderr_text;
  if (!command.stderr_file.empty()) {
    const Result<std::string> text = read_file(command.stderr_file, kMaxSaid);
    said = text ? *text : text.error().message;
  }
  return std::string(split(trim(said), '\n').back());
}

void take_end(const InitReport& init, RunReport& report) {
  report.cpu_seconds = static_cast<double>(init.cpu_microseconds) * 1e-6;
  report.wall_seconds = static_cast<double>(init.wall_nanoseconds) * 1e-9;
  report.peak_rss_bytes = init.peak_rss_kib * 1024;
  if (WIFSIGNALED(init.wait_status)) {
    report.end = RunEnd::signalled;
    report.signal = WTERMSIG(init.wait_status);
  } else {
    report.end = RunEnd::exited;
    report.exit_code = WEXITSTATUS(init.wait_status);
  }
}

// What our init told, if it did: not waited for, since it was written before bwrap ended, or never.
// The socket's end says nothing, since a guardian of another slot may hold it open.
bool receive(int socket, InitReport& report, UniqueFd& folder) {
  iovec data{&report, sizeof report};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  int received = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof received)] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  const cmsghdr* const header = got < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&received, CMSG_DATA(header), sizeof received);
    folder = UniqueFd(received);
  }
  return got == static_cast<ssize_t>(sizeof report);
}

// What of the hidden is there now, by its real name.
std::vector<std::filesystem::path> hidden_now(const SandboxParts& parts) {
  std::vector<std::filesystem::path> hidden;
  for (const std::filesystem::path& path : parts.hidden) {
    std::error_code gone;
    if (const std::filesystem::path there = std::filesystem::canonical(path, gone); !gone) {
      hidden.push_back(there);
    }
  }
  return hidden;
}

// The program behind bwrap and our init. `command` has what the groups ask for; `scratch` is set to
// the view's folder if that is kept.
Result<RunReport> run_in_namespaces(const SandboxParts& parts, const Command& command,
                                    const SandboxView& view, UniqueFd& scratch,
                                    const std::stop_token& stop) {
  HONE_TRY(const UniqueFd filter, readable_text_file(parts.seccomp));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return not_made(system_error("socket", errno).message);
  }
  const UniqueFd ours(ends[0]);
  HONE_TRY(const UniqueFd theirs, above_two(UniqueFd(ends[1])));
  Command outer = command;
  outer.program.clear();
  outer.arguments =
      bubblewrap_arguments(parts, hidden_now(parts), command, view, filter.get(), theirs.get());
  outer.inherit_descriptors.push_back(theirs.get());
  if (filter) {
    outer.inherit_descriptors.push_back(filter.get());
  }
  Result<RunReport> ran = hone::run(outer, stop);
  if (!ran) {
    return not_made(ran.error().message);
  }
  RunReport report = *std::move(ran);
  InitReport init;
  const bool told = receive(ours.get(), init, scratch);
  if (report.end == RunEnd::timed_out || report.end == RunEnd::stopped) {
    return report;
  }
  if (told && init.start_errno != 0) {
    return start_error(command.arguments.front(), init.start_errno);
  }
  if (told) {
    take_end(init, report);
    if (view.keep_scratch && !scratch) {
      return not_made("the folder " + view.scratch.string() + " was not handed out");
    }
    return report;
  }
  if (report.end == RunEnd::signalled) {
    // Nothing in there can. Whoever it was, for want of memory most likely: the control group says
    // whether it was the program's.
    return fail(ErrorCode::unavailable,
                "the sandbox was ended from outside: " + report.describe_end());
  }
  const std::string said = last_line(command, report);
  return not_made(said.empty() ? report.describe_end() : said);
}

}  // namespace

Sandbox::Sandbox(SandboxParts parts)
    : parts_(std::make_shared<const SandboxParts>(std::move(parts))) {}

const std::vector<std::string>& Sandbox::warnings() const {
  static const std::vector<std::string> kNone;
  return parts_ ? parts_->warnings : kNone;
}

int Sandbox::own_generations() const {
  return parts_ && !parts_->bubblewrap.empty() ? static_cast<int>(kOwnProcesses) : 0;
}

Result<SandboxReport> Sandbox::run(const Command& command, const SandboxView& view,
                                   const std::stop_token& stop) const {
  SandboxReport report;
  if (view.keep_scratch && (!parts_ || parts_->bubblewrap.empty())) {
    // A folder like any other. Before the program could put anything in its place.
    report.scratch =
        UniqueFd(open(view.scratch.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!report.scratch) {
      return not_made(system_error(view.scratch.string(), errno).message);
    }
  }
  Command grouped = command;
  // As bwrap does for what runs in it. Not for bwrap itself, which may need to be set-user-ID.
  grouped.no_new_privileges |= !parts_ || parts_->bubblewrap.empty();
  if (command.arguments.empty() || !parts_) {
    HONE_TRY(report.run, hone::run(grouped, stop));
    return report;
  }
  std::optional<ControlGroup> group;
  if (const std::optional<ControlGroupTree>& groups = parts_->groups) {
    ControlGroupLimits limits;
    limits.memory_bytes = bounded_memory(view.memory_bytes, parts_->slots);
    limits.cpu = command.cpu;
    limits.processes = command.limits.processes;
    limits.own_processes = kOwnProcesses;
    Result<ControlGroup> made = groups->create(limits);
    if (!made) {
      return not_made(made.error().message);
    }
    group.emplace(std::move(*made));
    grouped.join_groups = group->member_files();
    if (groups->has("pids")) {
      // The other limit counts what the user runs in all slots: one slot's bomb would hit the next.
      grouped.limits.processes = 0;
    }
  }
  Result<RunReport> ran = parts_->bubblewrap.empty()
                              ? hone::run(grouped, stop)
                              : run_in_namespaces(*parts_, grouped, view, report.scratch, stop);
  if (group) {
    report.limit_met = group->limit_met();
    const bool stopped = ran && ran->end == RunEnd::stopped;
    if (report.limit_met.empty() && !stopped && group->killed_for_others()) {
      return fail(ErrorCode::unavailable,
                  "the kernel killed one of the program's processes for want of memory that it had "
                  "not used up: others on this machine, or in the worker's own control group, had");
    }
  }
  if (ran) {
    report.run = *std::move(ran);
    return report;
  }
  if (ran.error().code != ErrorCode::unavailable || report.limit_met.empty()) {
    return ran.error();
  }
  // Whom the kernel kills for want of memory is its choice: this time it was bwrap or our init.
  report.run.end = RunEnd::signalled;
  report.run.signal = SIGKILL;
  return report;
}

}  // namespace hone
