// The system calls that no build and no benchmark needs, and that a kernel is attacked through: a
// list of what is refused, each with its reason, since a list of what is allowed would break some
// product with every new libc. Refused calls fail with EPERM (or as a kernel without them would),
// so that programs which try them and go on still do.
//
// Sockets: UNIX, IPv4, IPv6 and the routing table only. Without network these are harmless, the
// program's network namespace holds nothing but a loopback of its own, and build systems with a
// server (Bazel), test suites and client-server benchmarks need that. All others are refused with
// network, too: AF_VSOCK for one is not bound to a network namespace and reaches the host of a
// virtual machine. 32-bit programs get no sockets at all: their socketcall(2) hides its arguments.
//
// What this costs a legitimate program: LeakSanitizer needs ptrace (set detect_leaks=0), rr and
// perf do not run. Thread safe.
#pragma once

#include <string>

#include "common/base/result.h"

namespace hone {

// The list as the program that the kernel's filter runs (struct sock_filter[]), what bwrap's
// --seccomp reads. unavailable if libseccomp cannot make it.
Result<std::string> seccomp_program();

}  // namespace hone
