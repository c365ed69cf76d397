#include "server/sessions/session_compiler.h"

#include <chrono>

#include "common/base/environment.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kPatience{10};

}  // namespace

Result<std::string> session_compiler(const std::filesystem::path& program) {
  Command command;
  command.arguments = {program.string(), "--version"};
  command.environment = current_environment();
  command.limits.wall_time = kPatience;
  HONE_TRY(const RunReport report, run(command));
  const std::size_t comma = report.stdout_text.find(", ");
  if (!report.ok() || comma == std::string::npos) {
    return fail(ErrorCode::io_failed, program.string() + " --version: " + report.describe_end());
  }
  return std::string(trim(std::string_view(report.stdout_text).substr(comma + 2)));
}

}  // namespace hone
