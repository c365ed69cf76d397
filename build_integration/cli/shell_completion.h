// What Tab offers in `hone env shell`. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/pipelines/action_space.h"

namespace hone {

struct ShellChoices {
  const ActionSpace& space;
  std::vector<std::string> copies;
  std::vector<std::string> datasets;  // what the URIs of programs begin with
};

// What the last word of the text, which may be empty, could become; sorted.
std::vector<std::string> shell_completions(std::string_view text, const ShellChoices& known);

}  // namespace hone
