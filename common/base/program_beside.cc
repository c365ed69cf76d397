#include "common/base/program_beside.h"

#include <unistd.h>

namespace hone {

Result<std::filesystem::path> program_beside_us(std::string_view name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path program = self.parent_path() / name;
  if (error || ::access(program.c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found, std::string(name) + " is not beside " +
                                          self.filename().string() + " (in " +
                                          self.parent_path().string() + ")");
  }
  return program;
}

std::filesystem::path shared_file(std::string_view name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / "share/hone" / name;
}

}  // namespace hone
