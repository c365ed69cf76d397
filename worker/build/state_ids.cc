#include "worker/build/state_ids.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "common/base/subprocess.h"
#include "common/json/object_reader.h"
#include "worker/artifacts/folders.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDatabase = std::size_t{64} << 20U;
constexpr std::size_t kMaxCommands = 100'000;
constexpr std::uint64_t kMaxBitcode = std::uint64_t{1} << 30U;
constexpr std::uint64_t kMaxProcesses = 512;

struct CompileCommand {
  std::vector<std::string> arguments;
  std::string directory;
  std::string file;
  std::string output;
};

// CMake writes "command" with the quoting of a POSIX shell for words without expansions.
std::vector<std::string> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool started = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'' ? c == '\'' : quote == '"' && c == '"') {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
      started = true;
    } else if (quote != '\'' && c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      started = true;
    } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      if (started) {
        words.push_back(std::move(word));
      }
      word.clear();
      started = false;
    } else {
      word += c;
      started = true;
    }
  }
  if (started) {
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<CompileCommand> read_commands(const fs::path& file) {
  std::vector<CompileCommand> list;
  const Result<std::string> text = read_job_file(file, kMaxDatabase);
  if (!text) {
    return list;
  }
  const Result<Json> document = parse_json(*text, {.bytes = kMaxDatabase, .depth = 8});
  if (!document || !document->is_array()) {
    return list;
  }
  for (const Json& item : *document) {
    Problems problems;
    ObjectReader reader(item, "", problems, UnknownKeys::ignore);
    constexpr TextLimits kLong{.min_size = 1, .max_size = std::size_t{1} << 20U};
    CompileCommand command;
    command.arguments = split_command(reader.text("command", kLong));
    command.directory = reader.text("directory", kLong);
    command.file = reader.text("file", kLong);
    // CMake before 3.29 leaves "output" out; the command has it.
    const auto named = std::find(command.arguments.begin(), command.arguments.end(), "-o");
    command.output = reader.optional_text("output", kLong).value_or("");
    if (command.output.empty() && command.arguments.end() - named > 1) {
      command.output = *(named + 1);
    }
    if (problems.empty() && !command.output.empty() && list.size() < kMaxCommands) {
      list.push_back(std::move(command));
    }
  }
  return list;
}

bool takes_value(const std::string& option) {
  static constexpr std::array<std::string_view, 5> kOptions = {"-o", "-MF", "-MT", "-MQ", "-MJ"};
  return std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
}

}  // namespace

std::vector<std::string> bitcode_arguments(const std::vector<std::string>& command,
                                           const std::string& source_as_spelled,
                                           const std::string& source_relative,
                                           const std::string& output) {
  // Launchers and the compiler come before the first option.
  auto at = std::find_if(command.begin(), command.end(),
                         [](const std::string& word) { return word.starts_with('-'); });
  std::vector<std::string> arguments;
  bool compiles = false;
  bool has_source = false;
  for (; at != command.end(); ++at) {
    if (takes_value(*at)) {
      if (++at == command.end()) {
        return {};
      }
    } else if (*at == "-c") {
      compiles = true;
    } else if (*at == source_as_spelled) {
      has_source = true;
    } else if (*at != "-MD" && *at != "-MMD" && *at != "-MP") {
      arguments.push_back(*at);
    }
  }
  if (!compiles || !has_source) {
    return {};
  }
  arguments.insert(arguments.end(), {"-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c",
                                     source_relative, "-o", output});
  return arguments;
}

std::map<std::string, std::string> compute_state_ids(const StateIdRequest& request,
                                                     const std::stop_token& stop) {
  std::map<std::string, std::string> ids;
  const auto end = std::chrono::steady_clock::now() + request.time_limit;
  const fs::path bitcode = request.scratch / "module.bc";
  for (const CompileCommand& entry : read_commands(request.build / "compile_commands.json")) {
    const auto left = end - std::chrono::steady_clock::now();
    if (stop.stop_requested() || left <= std::chrono::seconds(0)) {
      log_info("state_ids_incomplete", {{"known", static_cast<std::int64_t>(ids.size())}});
      break;
    }
    const fs::path source = (fs::path(entry.directory) / entry.file).lexically_normal();
    const std::string relative = source.lexically_relative(request.source).generic_string();
    const bool inside = !relative.empty() && !relative.starts_with("..");
    Command command;
    command.arguments = bitcode_arguments(
        entry.arguments, entry.file, inside ? "./" + relative : source.string(), bitcode.string());
    if (command.arguments.empty()) {
      continue;
    }
    const bool is_c = entry.file.ends_with(".c");
    command.arguments.insert(command.arguments.begin(),
                             {is_c ? request.toolchain.c_compiler : request.toolchain.cxx_compiler,
                              "-ffile-prefix-map=" + request.build.string() + "/=build/",
                              "-ffile-prefix-map=" + request.source.string() + "/=./"});
    command.environment = request.environment;
    command.working_folder = request.source;
    command.run_as = request.user.run_as;
    command.limits.wall_time =
        std::chrono::duration_cast<std::chrono::milliseconds>(left) + std::chrono::milliseconds(1);
    command.limits.address_space_bytes = request.memory_bytes;
    command.limits.file_size_bytes = kMaxBitcode;
    command.limits.processes = kMaxProcesses;
    std::error_code ignored;
    fs::remove(bitcode, ignored);
    const Result<SandboxReport> report = request.sandbox.run(command, request.view, stop);
    if (!report || !report->run.ok() || !is_job_file(bitcode)) {
      continue;
    }
    if (const Result<std::string> hash = sha256_file(bitcode, stop); hash) {
      const fs::path output = (fs::path(entry.directory) / entry.output).lexically_normal();
      ids[output.lexically_relative(request.build).generic_string()] = *hash;
    }
  }
  std::error_code ignored;
  fs::remove(bitcode, ignored);
  return ids;
}

}  // namespace hone
