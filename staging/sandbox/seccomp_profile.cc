#include "staging/sandbox/seccomp_profile.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::array kRefused = {
    // Look into or steer another process, the sandbox's own init among them.
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    // Change what is mounted and so what can be seen.
    "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick",
    "move_mount", "open_tree", "mount_setattr",
    // New namespaces give new rights in code that root alone could reach before.
    "unshare", "setns",
    // Programs within the kernel, and eyes on it.
    "bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "syslog",
    // Reads, writes and connects through a ring that this filter does not see.
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    // Keyrings are not bound to a namespace.
    "add_key", "request_key", "keyctl",
    // Files by handle, past every folder's permissions.
    "open_by_handle_at", "name_to_handle_at",
    // Another kernel, or more of this one.
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "create_module",
    // The machine as a whole: power, swap, clock, name, accounting, quotas, ports.
    "reboot", "swapon", "swapoff", "settimeofday", "clock_settime", "clock_settime64", "adjtimex",
    "clock_adjtime", "clock_adjtime64", "stime", "sethostname", "setdomainname", "acct", "quotactl",
    "quotactl_fd", "iopl", "ioperm", "modify_ldt", "vhangup", "nfsservctl",
    // 32-bit sockets: its arguments lie in memory, where no filter looks.
    "socketcall"};

constexpr std::array kNamespaceFlags = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                        CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {}

  int build() {
    if (!context_) {
      return ENOMEM;
    }
    // x32 and whatever else: as a kernel without it.
    note(seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)));
    if (seccomp_arch_native() == SCMP_ARCH_X86_64) {
      note(seccomp_arch_add(context_.get(), SCMP_ARCH_X86));
    }
    for (const char* name : kRefused) {
      // A name that this libseccomp or architecture does not have cannot be called there.
      const int number = seccomp_syscall_resolve_name(name);
      if (number != __NR_SCMP_ERROR) {
        refuse(EPERM, number);
      }
    }
    for (const int flag : kNamespaceFlags) {
      const auto bit = static_cast<scmp_datum_t>(static_cast<unsigned>(flag));
      refuse(EPERM, SCMP_SYS(clone), {{0, SCMP_CMP_MASKED_EQ, bit, bit}});
    }
    // Its flags lie in memory; libc takes this answer for an old kernel and calls clone.
    refuse(ENOSYS, SCMP_SYS(clone3));
    // Characters put into a terminal's input are typed by nobody.
    constexpr scmp_datum_t kLowHalf = 0xffffffff;
    for (const scmp_datum_t request : {TIOCSTI, TIOCLINUX}) {
      refuse(EPERM, SCMP_SYS(ioctl), {{1, SCMP_CMP_MASKED_EQ, kLowHalf, request}});
    }
    refuse_socket_families();
    return error_;
  }

  int export_to(int fd) const { return -seccomp_export_bpf(context_.get(), fd); }

 private:
  void refuse_socket_families() {
    constexpr scmp_datum_t kLast = AF_NETLINK;
    for (scmp_datum_t family = 0; family < kLast; ++family) {
      if (family != AF_UNIX && family != AF_INET && family != AF_INET6) {
        refuse(EAFNOSUPPORT, SCMP_SYS(socket), {{0, SCMP_CMP_EQ, family, 0}});
      }
    }
    refuse(EAFNOSUPPORT, SCMP_SYS(socket), {{0, SCMP_CMP_GT, kLast, 0}});
    // Of netlink the routing table alone (protocol 0), which getaddrinfo and getifaddrs ask.
    refuse(EAFNOSUPPORT, SCMP_SYS(socket), {{0, SCMP_CMP_EQ, kLast, 0}, {2, SCMP_CMP_NE, 0, 0}});
  }

  // With `reason` as errno, where every comparison holds.
  void refuse(std::uint16_t reason, int number, const std::vector<scmp_arg_cmp>& when = {}) {
    note(seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(reason), number,
                                static_cast<unsigned>(when.size()), when.data()));
  }
  void note(int code) {
    if (code < 0 && error_ == 0) {
      error_ = -code;
    }
  }

  std::unique_ptr<void, decltype(&seccomp_release)> context_;
  int error_ = 0;
};

}  // namespace

Result<std::string> seccomp_program() {
  Filter filter;
  int error = filter.build();
  const UniqueFd memory(memfd_create("hone-seccomp", MFD_CLOEXEC));
  if (error == 0 && !memory) {
    error = errno;
  }
  if (error == 0) {
    error = filter.export_to(memory.get());
  }
  if (error != 0) {
    Error failed = system_error("cannot make the seccomp filter", error);
    failed.code = ErrorCode::unavailable;
    return failed;
  }
  const off_t size = lseek(memory.get(), 0, SEEK_END);
  std::string program(static_cast<std::size_t>(size), '\0');
  if (pread(memory.get(), program.data(), program.size(), 0) != size || size == 0) {
    return fail(ErrorCode::unavailable, "cannot read the seccomp filter back");
  }
  return program;
}

}  // namespace hone
