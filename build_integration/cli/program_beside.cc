#include "build_integration/cli/program_beside.h"

#include <unistd.h>

#include <fmt/format.h>

namespace hone {

Result<std::filesystem::path> program_beside_us(std::string_view name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path program = self.parent_path() / name;
  if (error || ::access(program.c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found,
                fmt::format("{} is not beside hone (in {})", name, self.parent_path().string()));
  }
  return program;
}

}  // namespace hone
