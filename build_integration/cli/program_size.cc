#include "build_integration/cli/program_size.h"

#include <cstdlib>
#include <filesystem>

#include "common/base/environment.h"
#include "common/base/subprocess.h"
#include "staging/runner/elf_sections.h"

namespace hone {

Result<double> program_size(const Arguments& command, const std::vector<std::string>& environment,
                            Metric metric) {
  Command lookup;
  lookup.arguments = command;
  if (const char* const path = std::getenv("PATH"); path != nullptr) {
    set_variable(lookup.environment, "PATH", path);
  }
  lookup.environment.insert(lookup.environment.end(), environment.begin(), environment.end());
  const auto refused = [metric](const std::string& why) {
    return fail(ErrorCode::invalid_argument,
                "metric " + std::string(to_string(metric)) +
                    " is the size of the program that the command begins with: " + why);
  };
  const Result<std::string> file = find_program(lookup);
  if (!file) {
    return refused(file.error().message);
  }
  if (!is_elf(*file)) {
    return refused(*file + " is no ELF file (a script?); name the program that it runs");
  }
  std::error_code error;
  const std::uintmax_t bytes = metric == Metric::text_bytes
                                   ? static_cast<std::uintmax_t>(text_bytes(*file))
                                   : std::filesystem::file_size(*file, error);
  if (error || bytes == 0) {
    return refused(*file + (error ? ": " + error.message() : " has no code that is known here"));
  }
  return static_cast<double>(bytes);
}

}  // namespace hone
