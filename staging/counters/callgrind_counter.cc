#include "staging/counters/callgrind_counter.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "common/base/environment.h"
#include "common/base/text.h"

namespace hone {

// What the log of one run said. Written by the pipe's thread until the pipe is closed.
struct CallgrindCounter::Log {
  std::uint64_t instructions = 0;
  std::size_t processes = 0;
  std::string last_line;  // for people, if there is no number
};

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libhone_forked_child.so";
constexpr std::uint64_t kOwnMemory = std::uint64_t{1} << 30U;
constexpr int kSlowdown = 100;
constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);

// In valgrind's file names, % starts a pattern.
std::string escaped(const fs::path& path) {
  std::string text;
  for (const char c : path.native()) {
    text += c;
    if (c == '%') {
      text += c;
    }
  }
  return text;
}

// As installed, or as built; empty if it is in neither place.
fs::path find_library() {
  std::error_code error;
  const fs::path programs = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* const folder : {"../lib/hone", "../lib"}) {
    fs::path library = programs / folder / kLibrary;
    if (fs::exists(library, error)) {
      return library;
    }
  }
  return {};
}

void make_room(Command& command, SandboxView& view) {
  RunLimits& limits = command.limits;
  if (limits.address_space_bytes > 0) {
    limits.address_space_bytes += kOwnMemory;
  }
  if (view.memory_bytes > 0) {
    view.memory_bytes += kOwnMemory;
  }
  if (limits.cpu_seconds > 0) {
    limits.cpu_seconds *= kSlowdown;
  }
  limits.wall_time = std::max(limits.wall_time, std::min(limits.wall_time * kSlowdown, kLongest));
}

}  // namespace

std::optional<std::uint64_t> collected_in(std::string_view line) {
  // "==4711== Collected : 24304"
  constexpr std::string_view kLabel = "== Collected : ";
  const std::size_t label = line.find(kLabel);
  if (!line.starts_with("==") || label == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view number = trim(line.substr(label + kLabel.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size() ? std::optional(value)
                                                                      : std::nullopt;
}

CallgrindCounter::CallgrindCounter(fs::path valgrind, fs::path library, fs::path folder)
    : valgrind_(std::move(valgrind)),
      library_(std::move(library)),
      folder_(std::move(folder)),
      log_(std::make_shared<Log>()) {}

Result<CallgrindCounter> CallgrindCounter::create(const fs::path& folder, std::string_view path) {
  Command command;
  command.arguments = {"valgrind"};
  command.environment = {"PATH=" + std::string(path)};
  const Result<std::string> valgrind = find_program(command);
  if (!valgrind) {
    return fail(ErrorCode::unsupported,
                "it takes valgrind, which is not in " + std::string(path) +
                    ": install Debian's package valgrind (section [perf] of deploy/packages.txt)");
  }
  fs::path library = find_library();
  if (library.empty()) {
    return fail(ErrorCode::unsupported, std::string("it takes ") + kLibrary +
                                            ", which is neither in ../lib/hone nor in ../lib of "
                                            "this program's folder: install it with hone-worker");
  }
  return CallgrindCounter(*valgrind, std::move(library), folder);
}

// A copy, since the programs' user may not be able to reach the original.
Result<void> CallgrindCounter::preload(Command& command, SandboxView& view) const {
  const fs::path copy = folder_ / kLibrary;
  if (copy.native().find_first_of(" :") != std::string::npos) {
    return fail(
        ErrorCode::unavailable,
        "callgrind counts in no folder whose name has a blank or a colon: " + copy.string());
  }
  std::error_code error;
  fs::copy_file(library_, copy, fs::copy_options::skip_existing, error);
  if (error) {
    return system_error("cannot copy " + library_.string(), error.value());
  }
  constexpr std::string_view kName = "LD_PRELOAD=";
  std::string libraries = copy.string();
  for (const std::string& variable : command.environment) {
    if (variable.starts_with(kName)) {
      libraries += ":" + variable.substr(kName.size());
    }
  }
  set_variable(command.environment, kName.substr(0, kName.size() - 1), libraries);
  view.readable.push_back(copy);
  return {};
}

Result<void> CallgrindCounter::start(Command& command, SandboxView& view) {
  const fs::path pipe = folder_ / "instructions";
  pipe_.reset();
  *log_ = Log();
  HONE_TRY(LogPipe opened, LogPipe::open(pipe, [log = log_](std::string_view line) {
             if (const std::optional<std::uint64_t> count = collected_in(line)) {
               log->instructions += *count;
               ++log->processes;
             } else if (!line.empty()) {
               log->last_line = line;
             }
           }));
  pipe_.emplace(std::move(opened));
  view.writable.push_back(pipe);
  HONE_CHECK(preload(command, view));
  std::vector<std::string> wrapped = {valgrind_.string(),
                                      "--tool=callgrind",
                                      "--command-line-only=yes",
                                      "--trace-children=yes",
                                      "--callgrind-out-file=/dev/null",
                                      "--log-file=" + escaped(pipe),
                                      "--zero-before=hone_forked_child",
                                      "--vgdb=no",
                                      "--"};
  if (!command.program.empty()) {
    // There is no way to start it under another name: it sees its own.
    command.arguments.front() = command.program.string();
    command.program.clear();
  }
  wrapped.insert(wrapped.end(), command.arguments.begin(), command.arguments.end());
  command.arguments = std::move(wrapped);
  make_room(command, view);
  return {};
}

Result<double> CallgrindCounter::finish() {
  pipe_.reset();
  if (log_->processes == 0) {
    return fail(
        ErrorCode::not_found,
        "callgrind told no number of instructions" +
            (log_->last_line.empty() ? std::string() : "; the end of its log: " + log_->last_line));
  }
  return static_cast<double>(log_->instructions);
}

}  // namespace hone
