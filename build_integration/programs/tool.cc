#include "build_integration/programs/tool.h"

#include <sys/stat.h>

#include "common/base/environment.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kToldBytes = 1500;
constexpr std::size_t kToldLines = 12;

// Compilers say first what is wrong, other tools last: the beginning of the last lines.
std::string told(const RunReport& report) {
  const std::string_view text =
      trim(report.stderr_text.empty() ? std::string_view(report.stdout_text) : report.stderr_text);
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.size() > kToldLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kToldLines));
  }
  std::string all;
  for (const std::string_view line : lines) {
    all += "\n  ";
    all += line;
  }
  return all.substr(0, kToldBytes);
}

}  // namespace

Result<RunReport> run_tool(const Tool& tool, const std::stop_token& stop) {
  Command command;
  command.arguments = tool.arguments;
  command.environment = current_environment();
  set_variable(command.environment, "LC_ALL", "C");
  for (const std::string& variable : tool.environment) {
    const std::size_t equals = variable.find('=');
    set_variable(command.environment, variable.substr(0, equals), variable.substr(equals + 1));
  }
  command.working_folder = tool.folder;
  command.limits.wall_time = tool.limit;
  command.limits.file_size_bytes = tool.file_bytes;
  command.limits.address_space_bytes = tool.memory_bytes;
  const std::string& name = tool.arguments.front();
  if (const Result<std::string> found = find_program(command); !found) {
    return fail(ErrorCode::not_found, name + " is not installed (Debian: apt-get install " +
                                          std::string(tool.packages) + ")");
  }
  HONE_TRY(RunReport report, run(command, stop));
  if (report.ok()) {
    return report;
  }
  if (report.end == RunEnd::timed_out) {
    return fail(ErrorCode::timed_out,
                name + " took longer than " + std::to_string(tool.limit.count()) + " s");
  }
  if (report.end == RunEnd::stopped) {
    return fail(ErrorCode::cancelled, name + " was stopped");
  }
  return fail(ErrorCode::invalid_argument, name + ": " + report.describe_end() + told(report));
}

std::string tool_identity(const std::string& name) {
  Command command;
  command.arguments = {name};
  command.environment = current_environment();
  const Result<std::string> path = find_program(command);
  struct stat file{};
  if (!path || stat(path->c_str(), &file) != 0) {
    return "";
  }
  return *path + " " + std::to_string(file.st_size) + " " + std::to_string(file.st_mtim.tv_sec);
}

}  // namespace hone
