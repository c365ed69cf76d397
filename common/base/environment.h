// The environment of a process as a list of "NAME=value", as a subprocess is given it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The environment of this process, as Command wants it.
std::vector<std::string> current_environment();

// Sets NAME=value in an environment list, replacing an earlier entry.
void set_variable(std::vector<std::string>& environment, std::string_view name,
                  std::string_view value);

}  // namespace hone
