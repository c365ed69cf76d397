// hone-sandbox-init: process 1 of a sandbox's process namespace.
//
//   hone-sandbox-init REPORT_FD KEPT PROGRAM NAME [ARGUMENTS...]   NAME: what it sees as argv[0]
//
// KEPT is a folder that the worker gets with the report, "-" for none.
//
// Starts the program, waits for its end, ends all that it left behind, and reports how it ended and
// what it used. This is why it exists: bwrap turns a signal into an exit code, and making the
// namespaces costs some 20 ms of processor time, which must not be counted as the program's. Here
// only the program's tree is (RUSAGE_CHILDREN). When this process ends, the kernel kills whatever
// is left in the namespace.
//
// Static and without allocation: it is started for every run.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "staging/sandbox/init_report.h"

namespace {

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

std::int64_t microseconds(const timeval& time) {
  return std::int64_t{1'000'000} * time.tv_sec + time.tv_usec;
}

// As execvp, which however lets sh have a go at what is no program. The reason why it cannot be.
int run(const char* program, char** arguments) {
  const char* folders = std::getenv("PATH");
  if (std::strchr(program, '/') != nullptr || folders == nullptr) {
    execv(program, arguments);
    return errno;
  }
  int reason = ENOENT;
  while (*folders != '\0') {
    const std::size_t length = std::strcspn(folders, ":");
    char path[4096];
    if (std::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(length),
                      length > 0 ? folders : ".", program) < static_cast<int>(sizeof path)) {
      execv(path, arguments);
      reason = errno == ENOENT || errno == ENOTDIR ? reason : errno;
    }
    folders += length + (folders[length] == ':' ? 1 : 0);
  }
  return reason;
}

// The program's end, after which its whole tree is gone and reaped.
void wait_for(pid_t program, hone::InitReport& report, std::int64_t started) {
  bool running = true;
  while (true) {
    int status = 0;
    const pid_t reaped = waitpid(-1, &status, 0);
    if (reaped == program) {
      report.wait_status = status;
      report.wall_nanoseconds = now() - started;
      running = false;
    }
    if (reaped < 0 && errno == ECHILD) {
      return;
    }
    if (!running) {
      // What is left has no business any more. Again after each: one may have forked meanwhile.
      kill(-1, SIGKILL);
    }
  }
}

// The report, and a descriptor with it unless that is -1.
bool tell(int socket, hone::InitReport& report, int folder) {
  iovec data{&report, sizeof report};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof folder)] = {};
  if (folder >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof folder);
    std::memcpy(CMSG_DATA(header), &folder, sizeof folder);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof report);
}

}  // namespace

int main(int argc, char** argv) {
  // kill(-1) anywhere else would end everything that the user runs.
  if (argc < 5 || getpid() != 1) {
    std::fputs("hone-sandbox-init: runs as the first process of a sandbox only\n", stderr);
    return 2;
  }
  // Else the program, of the same user, could open /proc/1/fd and write a report of its own.
  prctl(PR_SET_DUMPABLE, 0);
  const int report_fd = std::atoi(argv[1]);
  hone::InitReport report;
  int start_pipe[2];
  if (fcntl(report_fd, F_SETFD, FD_CLOEXEC) != 0 || pipe2(start_pipe, O_CLOEXEC) != 0) {
    std::perror("hone-sandbox-init");
    return 2;
  }
  // Before the program could put anything in its place.
  int kept = -1;
  if (std::strcmp(argv[2], "-") != 0) {
    kept = open(argv[2], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (kept < 0) {
      std::perror("hone-sandbox-init: the folder to keep");
      return 2;
    }
  }
  unsetenv("PWD");  // bwrap's doing; the program gets the environment that was asked for
  const std::int64_t started = now();
  const pid_t program = fork();
  if (program == 0) {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int reason = run(argv[3], argv + 4);
    [[maybe_unused]] const ssize_t told = write(start_pipe[1], &reason, sizeof reason);
    _exit(127);
  }
  if (program < 0) {
    report.start_errno = errno;
  } else {
    close(start_pipe[1]);
    // The program's files are its own: a pipe it closes must not stay open here.
    close(0);
    close(1);
    close(2);
    int reason = 0;
    ssize_t got = 0;
    do {
      got = read(start_pipe[0], &reason, sizeof reason);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof reason) {
      report.start_errno = reason;
    }
    wait_for(program, report, started);
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    report.cpu_microseconds = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    report.peak_rss_kib = usage.ru_maxrss;
  }
  return tell(report_fd, report, kept) ? 0 : 1;
}
