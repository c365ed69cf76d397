// clang's sanitizers as a second build of a target uses them: options, settings, what they report.
// Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/values.h"
#include "worker/build/toolchain.h"

namespace hone {

// unsupported, naming the package to install, where the compiler has not the libraries that a
// program with these sanitizers is linked with. Asks the compiler, as the job's user.
Result<void> find_sanitizer_runtime(const Toolchain& toolchain, const JobUser& user,
                                    const std::vector<Sanitizer>& sanitizers);

// For every compile and link. The first report ends the program. In texts that the compiler makes
// of paths, the build folder is called "build", so that two builds can print the same.
std::vector<std::string> sanitizer_flags(const std::vector<Sanitizer>& sanitizers,
                                         const std::filesystem::path& build);

// With this exit code a program ends that had something to report.
inline constexpr int kSanitizerExitCode = 86;

// ASAN_OPTIONS and UBSAN_OPTIONS, "NAME=value": leaks are not looked for, an allocation that is too
// large returns null as it does without sanitizers, a process may hold `memory_bytes` (0: any).
std::vector<std::string> sanitizer_environment(const std::vector<Sanitizer>& sanitizers,
                                               std::uint64_t memory_bytes);

// Memory that a program takes with these sanitizers where it may take `bytes` without.
std::uint64_t memory_with_sanitizers(const std::vector<Sanitizer>& sanitizers, std::uint64_t bytes);

// Whether programs with these reserve address space without end.
bool reserve_address_space(const std::vector<Sanitizer>& sanitizers);

// What a sanitizer printed.
struct SanitizerReport {
  // False for what the instrumentation itself may have brought about: no memory, no stack left.
  bool proves = true;
  std::string text;  // its first lines and its summary
};

// The first report on standard error; nothing if there is none.
std::optional<SanitizerReport> find_report(std::string_view standard_error);

}  // namespace hone
