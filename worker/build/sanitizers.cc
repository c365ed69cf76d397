#include "worker/build/sanitizers.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "common/base/subprocess.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReportLines = 6;
constexpr std::size_t kMaxLine = 300;
constexpr std::uint64_t kOwnMemory = std::uint64_t{512} << 20U;

// What the instrumentation may bring about by itself.
constexpr std::array<std::string_view, 6> kOfItsOwn = {"stack-overflow", "out of memory",
                                                       "out-of-memory",  "hard rss limit exhaus",
                                                       "CHECK failed",   "failed to allocate"};

bool has(const std::vector<Sanitizer>& sanitizers, Sanitizer wanted) {
  return std::ranges::find(sanitizers, wanted) != sanitizers.end();
}

std::string names(const std::vector<Sanitizer>& sanitizers) {
  std::vector<std::string> list;
  for (const Sanitizer sanitizer : sanitizers) {
    list.emplace_back(to_string(sanitizer));
  }
  return join(list, ",");
}

// "==7==ERROR: AddressSanitizer: ...", "==7==AddressSanitizer: hard rss limit ...".
bool is_of_address(std::string_view line) {
  return line.starts_with("==") && line.find("AddressSanitizer") != std::string_view::npos;
}

// "work.c:3:7: runtime error: ...", also "<unknown>:0:0" without debug information.
bool is_of_undefined(std::string_view line) {
  const std::size_t at = line.find(": runtime error: ");
  return at != std::string_view::npos && at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9';
}

std::string cut(std::string_view line) {
  return std::string(trim(line).substr(0, kMaxLine));
}

}  // namespace

Result<void> find_sanitizer_runtime(const Toolchain& toolchain, const JobUser& user,
                                    const std::vector<Sanitizer>& sanitizers) {
  // AddressSanitizer's library holds the other's functions.
  const bool address = has(sanitizers, Sanitizer::address);
  const std::string library =
      address ? "libclang_rt.asan-x86_64.a" : "libclang_rt.ubsan_standalone-x86_64.a";
  // As a compiler that is built for several targets names them.
  const std::string plain = address ? "libclang_rt.asan.a" : "libclang_rt.ubsan_standalone.a";
  for (const std::string& name : {library, plain}) {
    Command command;
    command.arguments = {toolchain.c_compiler, "-print-file-name=" + name};
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C"};
    command.working_folder = "/";
    command.run_as = user.run_as;
    command.limits.wall_time = std::chrono::seconds(30);
    HONE_TRY(const RunReport report, run(command));
    // Where it is not there, the name comes back as it was.
    const fs::path file(trim(report.stdout_text));
    std::error_code error;
    if (report.ok() && file.is_absolute() && fs::exists(file, error)) {
      return {};
    }
  }
  return fail(ErrorCode::unsupported,
              "benchmark.sanitize: " + toolchain.c_compiler + " has no " + library +
                  " on this worker: install Debian's package libclang-rt-" +
                  std::to_string(toolchain.compiler_major) + "-dev there, or leave sanitize out");
}

std::vector<std::string> sanitizer_flags(const std::vector<Sanitizer>& sanitizers,
                                         const fs::path& build) {
  return {"-fsanitize=" + names(sanitizers), "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
          "-gline-tables-only", "-ffile-prefix-map=" + build.string() + "=build"};
}

std::vector<std::string> sanitizer_environment(const std::vector<Sanitizer>& sanitizers,
                                               std::uint64_t memory_bytes) {
  const std::string common = "exitcode=" + std::to_string(kSanitizerExitCode) +
                             ":halt_on_error=1:abort_on_error=0:allow_addr2line=1";
  std::vector<std::string> environment;
  if (has(sanitizers, Sanitizer::address)) {
    std::string options = common + ":detect_leaks=0:allocator_may_return_null=1";
    if (memory_bytes > 0) {
      options += ":hard_rss_limit_mb=" + std::to_string(memory_bytes >> 20U);
    }
    environment.push_back("ASAN_OPTIONS=" + options);
  }
  if (has(sanitizers, Sanitizer::undefined)) {
    environment.push_back("UBSAN_OPTIONS=" + common + ":print_stacktrace=1");
  }
  return environment;
}

std::uint64_t memory_with_sanitizers(const std::vector<Sanitizer>& sanitizers,
                                     std::uint64_t bytes) {
  // Red zones and shadow take at most twice as much again, what was freed is held back besides.
  return reserve_address_space(sanitizers) ? 3 * bytes + kOwnMemory : bytes;
}

bool reserve_address_space(const std::vector<Sanitizer>& sanitizers) {
  return has(sanitizers, Sanitizer::address);
}

std::optional<SanitizerReport> find_report(std::string_view standard_error) {
  const std::vector<std::string_view> lines = split(standard_error, '\n');
  const auto first = std::ranges::find_if(
      lines, [](std::string_view line) { return is_of_address(line) || is_of_undefined(line); });
  if (first == lines.end()) {
    return std::nullopt;
  }
  SanitizerReport report;
  report.proves = std::ranges::none_of(kOfItsOwn, [&](std::string_view words) {
    return first->find(words) != std::string_view::npos;
  });
  report.text = cut(*first);
  const auto shown = std::min<std::ptrdiff_t>(lines.end() - first, kReportLines);
  for (auto line = first + 1; line != first + shown; ++line) {
    if (!trim(*line).empty()) {
      report.text += "\n" + cut(*line);
    }
  }
  const auto summary = std::find_if(first + shown, lines.end(), [](std::string_view line) {
    return line.starts_with("SUMMARY: ");
  });
  if (summary != lines.end()) {
    report.text += "\n" + cut(*summary);
  }
  return report;
}

}  // namespace hone
