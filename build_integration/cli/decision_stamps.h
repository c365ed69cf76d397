// What a policy decides for each source of a build tree, as text files that its objects depend on:
// for CMake, whose sources may lie anywhere. Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"

namespace hone {

// Writes SOURCE.decision for every source: the compiler and the governing rules, one a line, as in
// the policy document; empty without a rule. Sources may be absolute ("/b/gen.c" is written to
// "@/b/gen.c.decision"). Files of sources not named stay as they are. Only files whose content
// changed are touched; returns how many. invalid_argument for a source with an empty, . or .. part;
// io_failed.
Result<std::size_t> write_decision_stamps(const Policy& policy,
                                          const std::vector<std::string>& sources,
                                          const std::filesystem::path& folder);

}  // namespace hone
