// What the user's own options switch on or off, where a decision would overrule it under another
// name: clang's flags for passes that a pipeline names, GCC's options for groups of others. Thread
// safe.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "build_integration/launcher/command_line.h"

namespace hone {

// The option of a clang command that switches off a pass which stands in `pipelines` (a pipeline,
// or the text of a choice); "" if none. Passes that clang steers by attributes of the code
// (-fno-inline, -fno-optimize-sibling-calls) obey by themselves.
std::string_view switched_off_pass(const std::vector<Option>& options, std::string_view pipelines);

// The options, named as knobs are, which GCC sets along with the group's where they are not given:
// for -ftree-vectorize and -fno-tree-vectorize those of its vectorisers. A knob would give them.
std::span<const std::string_view> members_of_gcc_group(std::string_view argument);

}  // namespace hone
