// Random command lines made of real options, through the launcher as a process, to a compiler that
// only writes down how it was called.
//
//   pass_through_fuzzer SECONDS LAUNCHER OPTIONS_FILE [SEED]
//
// The plain command must arrive exactly as given, program name included; a tuned one must hold the
// user's arguments in order, with nothing of theirs missing. A copy of this very program, named
// clang-19, is the compiler. Half of the command lines look like compiles that a policy tunes, so
// that a launcher that never tunes is found out too. 0 seconds: a hundred command lines.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/index.h"

namespace hone {
namespace {

using Arguments = std::vector<std::string>;

constexpr const char* kRecordVariable = "HONE_FUZZ_RECORD";

std::string printed(const Arguments& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    text += " [" + argument + "]";
  }
  return text;
}

// The compiler: appends its arguments, each ended by a zero, and a byte 1 and a zero at the end.
int write_down(int argc, char** argv, const char* record) {
  std::string text;
  for (int i = 0; i < argc; ++i) {
    text += argv[i];
    text.push_back('\0');
  }
  text.append("\1", 2);
  const UniqueFd file(::open(record, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())
             ? 0
             : 99;
}

std::vector<Arguments> read_record(const std::string& record) {
  const Result<std::string> text = read_file(record, std::size_t{64} << 20U);
  std::vector<Arguments> calls;
  if (!text.has_value()) {
    return calls;
  }
  Arguments call;
  for (const std::string_view argument : split(*text, '\0')) {
    if (argument == "\1") {
      calls.push_back(std::move(call));
      call.clear();
    } else {
      call.emplace_back(argument);
    }
  }
  return calls;
}

bool is_subsequence(const Arguments& part, const Arguments& whole) {
  std::size_t at = 0;
  for (const std::string& argument : whole) {
    if (at < part.size() && part[at] == argument) {
      ++at;
    }
  }
  return at == part.size();
}

class CommandLines {
 public:
  CommandLines(Arguments options, std::string response_file, std::uint64_t seed)
      : options_(std::move(options)), response_file_(std::move(response_file)), random_(seed) {}

  Arguments next() {
    Arguments command;
    if (below(2) == 0) {
      add(command, below(24));
    } else {
      const Arguments base = {"-O3", "-c", "a.cc"};
      for (const std::string& argument : base) {
        add_harmless(command, below(3));
        command.push_back(argument);
      }
      command.insert(command.end(), {"-o", "out.o"});
      add_harmless(command, below(3));
    }
    return command;
  }
  // What the response file holds for this command line.
  std::string response() {
    Arguments arguments;
    add(arguments, below(6));
    std::string text;
    for (const std::string& argument : arguments) {
      text += below(2) == 0 ? argument + " " : "\"" + argument + "\"\n";
    }
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string word() {
    static const Arguments kWords = {
        "",     "x",        "a.cc", "b.c", "-",        "--",         "-O3",       "-c",   "-o",
        "19",   "a b",      "\"",   "'",   "\\",       "*",          "$HOME",     "`",    "a\nb",
        "\xff", "\xc3\xa4", "=",    "@",   "@nowhere", "inc/../inc", "/dev/null", "out.o"};
    return kWords[below(kWords.size())];
  }

  void add(Arguments& command, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      switch (below(8)) {
        case 0:
          command.push_back(word());
          break;
        case 1:
          command.push_back(options_[below(options_.size())] + word());
          break;
        case 2:
          command.push_back("@" + response_file_);
          break;
        case 3:
          command.push_back(options_[below(options_.size())]);
          command.push_back(word());
          break;
        default:
          command.push_back(options_[below(options_.size())]);
          break;
      }
    }
  }

  void add_harmless(Arguments& command, std::size_t count) {
    static const std::vector<Arguments> kHarmless = {
        {"-I", "inc"},       {"-Iinc"},      {"-DNAME=\"a b\""},
        {"-D", "X"},         {"-Wall"},      {"-g"},
        {"-fPIC"},           {"-std=c++20"}, {"-MD", "-MF", "d"},
        {"-O2", "-O3"},      {"-w"},         {"-isystem", "-O0"},
        {"-include", "x.h"}, {"-pipe"},      {"-funroll-loops"}};
    for (std::size_t i = 0; i < count; ++i) {
      const Arguments& chosen = kHarmless[below(kHarmless.size())];
      command.insert(command.end(), chosen.begin(), chosen.end());
    }
  }

  Arguments options_;
  std::string response_file_;
  std::mt19937_64 random_;
};

// A folder with the compiler, a policy for everything and the sources.
class World {
 public:
  World(TemporaryFolder folder, std::string launcher)
      : folder_(std::move(folder)), launcher_(std::move(launcher)) {}

  Result<void> prepare() const {
    std::error_code failure;
    std::filesystem::copy_file("/proc/self/exe", path("clang-19"), failure);
    if (failure) {
      return system_error("cannot copy the compiler", failure.value());
    }
    Policy policy;
    policy.rules.emplace_back();
    policy.rules.back().levels = {"O1", "O2", "O3", "Os", "Oz"};
    policy.rules.back().decision.pipeline = "function(sroa,gvn)";
    policy.rules.back().decision.knobs = {{"unroll-count", "2"}};
    HONE_TRY(const std::string index, compile_index(policy));
    HONE_CHECK(write_file_atomically(path("policy.idx"), index));
    // The plugin need only be there: the compiler loads nothing.
    HONE_CHECK(write_file_atomically(path("libhone_pass-19.so"), ""));
    for (const char* const source : {"a.cc", "b.c"}) {
      HONE_CHECK(write_file_atomically(path(source), "int x;\n"));
    }
    return {};
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  // The calls that reach the compiler; the launcher's exit code in `status`.
  std::vector<Arguments> run(const Arguments& command, int& status) const {
    const std::string record = path("record");
    ::unlink(record.c_str());
    Arguments words = {launcher_, "--policy=" + path("policy.idx"),
                       "--plugin-dir=" + folder_.path().string(), path("clang-19")};
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> pointers;
    for (std::string& word : words) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    pid_t child = -1;
    status = -1;
    if (::posix_spawn(&child, launcher_.c_str(), &actions, nullptr, pointers.data(), environ) ==
        0) {
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
    }
    ::posix_spawn_file_actions_destroy(&actions);
    return read_record(record);
  }

 private:
  TemporaryFolder folder_;
  std::string launcher_;
};

// What is wrong with the calls that a command line led to; "" if nothing.
std::string fault_of(const Arguments& plain, const std::vector<Arguments>& calls, int status) {
  if (calls.empty() || status != 0) {
    return "the compiler was not reached, or the exit code is not its own: " +
           std::to_string(status);
  }
  if (calls.size() > 2) {
    return "more than one attempt and the plain command";
  }
  if (calls.back() != plain) {
    return "the plain command arrived as" + printed(calls.back());
  }
  if (calls.size() == 2 && (calls[0].size() <= plain.size() || !is_subsequence(plain, calls[0]))) {
    return "the tuned command lost something:" + printed(calls[0]);
  }
  return "";
}

Result<int> fuzz(int seconds, const std::string& launcher, const std::string& options_file,
                 std::uint64_t seed) {
  HONE_TRY(const std::string options_text, read_file(options_file, std::size_t{1} << 20U));
  Arguments options;
  for (const std::string_view line : split(options_text, '\n')) {
    if (!line.empty()) {
      options.emplace_back(line);
    }
  }
  if (options.empty()) {
    return fail(ErrorCode::invalid_argument, options_file + " names no options");
  }
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("pass-through"));
  const World world(std::move(folder), launcher);
  HONE_CHECK(world.prepare());
  if (::chdir(world.path("").c_str()) != 0 ||
      ::setenv(kRecordVariable, world.path("record").c_str(), 1) != 0) {
    return system_error("cannot enter the folder", errno);
  }
  CommandLines lines(std::move(options), "response", seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t count = 0;
  std::uint64_t tuned = 0;
  while (seconds > 0 ? std::chrono::steady_clock::now() < end : count < 100) {
    ++count;
    HONE_CHECK(write_file_atomically("response", lines.response()));
    const Arguments command = lines.next();
    Arguments plain = {world.path("clang-19")};
    plain.insert(plain.end(), command.begin(), command.end());
    int status = 0;
    const std::vector<Arguments> calls = world.run(command, status);
    const std::string fault = fault_of(plain, calls, status);
    if (!fault.empty()) {
      std::printf("WRONG (seed %llu, command line %llu): %s\n  given:%s\n",
                  static_cast<unsigned long long>(seed), static_cast<unsigned long long>(count),
                  fault.c_str(), printed(plain).c_str());
      return 1;
    }
    tuned += calls.size() == 2 ? 1 : 0;
  }
  std::printf("pass_through     %12llu command lines, %llu of them tuned first (seed %llu)\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(tuned),
              static_cast<unsigned long long>(seed));
  if (tuned < count / 10) {
    std::printf("WRONG: hardly anything was tuned\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (const char* const record = std::getenv(hone::kRecordVariable); record != nullptr) {
    return hone::write_down(argc, argv, record);
  }
  if (argc < 4) {
    std::fputs("usage: pass_through_fuzzer SECONDS LAUNCHER OPTIONS_FILE [SEED]\n", stderr);
    return 2;
  }
  const std::uint64_t seed =
      argc > 4 ? std::strtoull(argv[4], nullptr, 10) : std::random_device()();
  for (const char* const name : {"HONE_POLICY", "HONE_ROOT", "HONE_STATE_DIR", "HONE_ON_FAILURE"}) {
    ::unsetenv(name);
  }
  const hone::Result<int> status =
      hone::fuzz(std::atoi(argv[1]), std::filesystem::absolute(argv[2]).string(), argv[3], seed);
  if (!status.has_value()) {
    std::fprintf(stderr, "pass_through_fuzzer: %s\n", status.error().message.c_str());
    return 1;
  }
  return *status;
}
