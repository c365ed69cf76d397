#include "engine/session/lock_down.h"

#include <seccomp.h>

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
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(kill),
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
  failed = failed != 0 ? failed : seccomp_load(filter);
  seccomp_release(filter);
  if (failed != 0) {
    return fail(ErrorCode::unavailable, system_error("the seccomp filter", -failed).message);
  }
  return {};
}

}  // namespace hone
