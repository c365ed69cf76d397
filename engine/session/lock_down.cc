#include "engine/session/lock_down.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace hone {
namespace {

// Passes and code generation work in memory. A filter that names what is allowed would break with
// the next C library; these are the ways out of the process.
constexpr auto kRefused = std::to_array<int>({
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(setpgid),  // SessionProcess::kill() relies on it and the next
    SCMP_SYS(setsid),
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
    SCMP_SYS(utime),
    SCMP_SYS(utimes),
    SCMP_SYS(futimesat),
    SCMP_SYS(utimensat),
    SCMP_SYS(setxattr),
    SCMP_SYS(lsetxattr),
    SCMP_SYS(removexattr),
    SCMP_SYS(lremovexattr),
    SCMP_SYS(memfd_create),  // memory that no limit of the process counts; so are the next
    SCMP_SYS(memfd_secret),
    SCMP_SYS(shmget),
    SCMP_SYS(shmat),
    SCMP_SYS(shmctl),
    SCMP_SYS(semget),
    SCMP_SYS(semop),
    SCMP_SYS(semtimedop),
    SCMP_SYS(semctl),
    SCMP_SYS(msgget),
    SCMP_SYS(msgsnd),
    SCMP_SYS(msgrcv),
    SCMP_SYS(msgctl),
    SCMP_SYS(mq_open),
    SCMP_SYS(mq_unlink),
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
    SCMP_SYS(migrate_pages),
    SCMP_SYS(move_pages),
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
      {SCMP_SYS(clone), {0, SCMP_CMP_NE, kCopyFlags, 0}},
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

// What becomes of the calls that make a copy.
enum class Copies : std::uint8_t { asked_about, refused };

int add_rules(scmp_filter_ctx filter, Copies copies) {
  int failed = 0;
  for (const int call : kRefused) {
    failed = failed != 0 ? failed : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  // Its flags are in memory, where a filter cannot see them. The C library goes on with clone().
  failed =
      failed != 0 ? failed : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  const scmp_arg_cmp a_copy{0, SCMP_CMP_EQ, kCopyFlags, 0};
  const std::uint32_t action =
      copies == Copies::asked_about ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(EPERM);
  failed =
      failed != 0 ? failed : seccomp_rule_add_array(filter, action, SCMP_SYS(clone), 1, &a_copy);
  return failed != 0 ? failed : refuse_uses(filter);
}

Result<Descriptor> load_filter(Copies copies) {
  scmp_filter_ctx const filter = seccomp_init(SCMP_ACT_ALLOW);
  if (filter == nullptr) {
    return fail(ErrorCode::unavailable, "no seccomp filter could be made");
  }
  int failed = add_rules(filter, copies);
  failed = failed != 0 ? failed : seccomp_load(filter);
  Descriptor listener;
  if (failed == 0 && copies == Copies::asked_about) {
    const int theirs = seccomp_notify_fd(filter);
    listener = Descriptor(fcntl(theirs, F_DUPFD_CLOEXEC, 3));
    // Whoever has it can let itself through.
    close(theirs);
  }
  seccomp_release(filter);
  if (failed != 0) {
    return fail(ErrorCode::unavailable, system_error("the seccomp filter", -failed).message);
  }
  return listener;
}

// Root's, which are worth more than a name for files: mounts, the clock, the machine itself.
void give_up_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  (void)syscall(SYS_capset, &header, none.data());
}

}  // namespace

Result<Descriptor> lock_down() {
  give_up_capabilities();
  Result<Descriptor> listener = load_filter(Copies::asked_about);
  return listener ? std::move(listener) : load_filter(Copies::refused);
}

}  // namespace hone
