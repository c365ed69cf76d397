#include "common/base/environment.h"

#include <unistd.h>

namespace hone {

std::vector<std::string> current_environment() {
  std::vector<std::string> list;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    list.emplace_back(*variable);
  }
  return list;
}

void set_variable(std::vector<std::string>& environment, std::string_view name,
                  std::string_view value) {
  const std::string prefix = std::string(name) + "=";
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
  environment.push_back(prefix + std::string(value));
}

}  // namespace hone
