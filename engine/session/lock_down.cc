#include "engine/session/lock_down.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace hone {
namespace {

// Passes and code generation work in memory. A filter that names what is allowed would break with
// the next C library; these are the ways out of the process.
constexpr auto kRefused = std::to_array<int>({
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(openat2),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(open_tree),
    SCMP_SYS(creat),
    SCMP_SYS(mkdir),
    SCMP_SYS(mkdirat),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    SCMP_SYS(link),
    SCMP_SYS(linkat),
    SCMP_SYS(symlink),
    SCMP_SYS(symlinkat),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(rmdir),
    SCMP_SYS(truncate),
    SCMP_SYS(chmod),
    SCMP_SYS(fchmodat),
    SCMP_SYS(chown),
    SCMP_SYS(fchownat),
    SCMP_SYS(lchown),
    SCMP_SYS(memfd_create),  // memory that no limit of the process counts
    SCMP_SYS(socket),
    SCMP_SYS(socketpair),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_open),  // SessionProcess::meet() relies on this one and the next
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(setpriority),
    SCMP_SYS(sched_setaffinity),
    SCMP_SYS(sched_setattr),
    SCMP_SYS(sched_setparam),
    SCMP_SYS(sched_setscheduler),
    SCMP_SYS(ioprio_set),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(userfaultfd),
});

// Calls that are needed of the process itself, and are a way out with these arguments.
struct RefusedUse {
  int call;
  scmp_arg_cmp when;
};

// A command, of which the kernel takes 32 bits.
scmp_arg_cmp second_is(unsigned command) {
  return {1, SCMP_CMP_MASKED_EQ, 0xffffffffU, command};
}

int refuse_uses(scmp_filter_ctx filter) {
  const auto self = static_cast<scmp_datum_t>(getpid());
  const RefusedUse uses[] = {
      // abort() is this call. A copy has another number: abort() there ends in a bad instruction.
      {SCMP_SYS(tgkill), {0, SCMP_CMP_NE, self, 0}},
      // The limits of another process.
      {SCMP_SYS(prlimit64), {0, SCMP_CMP_NE, 0, 0}},
      // A signal to another process when something comes over a channel.
      {SCMP_SYS(fcntl), second_is(F_SETOWN)},
      {SCMP_SYS(fcntl), second_is(F_SETOWN_EX)},
      {SCMP_SYS(ioctl), second_is(FIOSETOWN)},
      {SCMP_SYS(ioctl), second_is(SIOCSPGRP)},
  };
  int failed = 0;
  for (const RefusedUse& use : uses) {
    failed = failed != 0
                 ? failed
                 : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), use.call, 1, &use.when);
  }
  return failed;
}

}  // namespace

Result<void> lock_down() {
  scmp_filter_ctx const filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) {
    return fail(ErrorCode::unavailable, "no seccomp filter could be made");
  }
  int failed = 0;
  for (const int call : kRefused) {
    failed = failed != 0 ? failed : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  failed = failed != 0 ? failed : refuse_uses(filter);
  failed = failed != 0 ? failed : seccomp_load(filter);
  seccomp_release(filter);
  if (failed != 0) {
    return fail(ErrorCode::unavailable, system_error("the seccomp filter", -failed).message);
  }
  return {};
}

}  // namespace hone
