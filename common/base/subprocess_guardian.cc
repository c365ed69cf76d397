#include "common/base/subprocess_guardian.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/base/descendants.h"

namespace hone {

void guard(const StartPlan& plan, pid_t owner) {
  // Its own session: a terminal's Ctrl-C goes to the owner, which decides.
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Every signal is blocked since before the fork, so the owner's handlers never run in here.
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGCHLD);
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  GuardianReport report;
  if (getppid() != owner) {
    _exit(1);  // the owner died before the line above
  }
  int error_pipe[2] = {-1, -1};
  // Above 2, like the program's own: else they would be put in its place before it tells anything.
  const int error_fd =
      pipe2(error_pipe, O_CLOEXEC) == 0 ? fcntl(error_pipe[1], F_DUPFD_CLOEXEC, 3) : -1;
  if (error_fd < 0) {
    report.failure.reason = errno;
  } else {
    close(error_pipe[1]);
    const pid_t self = getpid();
    const pid_t program = fork();
    if (program == 0) {
      close(error_pipe[0]);
      start_program(plan, error_fd, self);
    }
    const int fork_errno = errno;
    close(error_fd);
    close(plan.stdin_fd);
    close(plan.stdout_fd);
    close(plan.stderr_fd);
    if (program < 0) {
      report.failure.reason = fork_errno;
    } else {
      StartFailure failure;
      ssize_t got = 0;
      do {
        got = read(error_pipe[0], &failure, sizeof failure);
      } while (got < 0 && errno == EINTR);
      if (got == sizeof failure) {
        report.failure = failure;
      }
      bool ended = false;
      while (!ended) {
        int status = 0;
        pid_t reaped = 0;
        while ((reaped = waitpid(-1, &status, WNOHANG)) > 0) {
          if (reaped == program) {
            report.status = status;
            ended = true;
          }
        }
        if (!ended) {
          int which = 0;
          sigwait(&watched, &which);
          if (which == SIGTERM) {
            kill_descendants(program);
            report.status = SIGKILL;
            ended = true;
          }
        }
      }
      kill_descendants(program);
      getrusage(RUSAGE_CHILDREN, &report.usage);
    }
  }
  [[maybe_unused]] const ssize_t told = write(plan.report_fd, &report, sizeof report);
  _exit(0);
}

}  // namespace hone
