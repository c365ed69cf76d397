// One small file per source with what the policy decides for it: what a build system depends on, so
// that a new policy rebuilds exactly the objects whose decision changed.
//
// A decision file is an index (index.h) with the rules that govern its source (governing_rules.h)
// and nothing that changes with each publication (sequence, dates, commit). A source without a rule
// has a file too, with no rules: a rule that appears later must be seen. Thread safe; two writers
// of one folder are harmless.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"

namespace hone {

// Where below the folder a source's file lies: "src/a.cc" gives "src/a.cc.hone".
std::filesystem::path decision_file_name(std::string_view source);

// Writes the files of all sources (relative to HONE_ROOT) and brings those up to date that lie in
// the folder already: one whose source lost its rule or is no longer listed becomes plain, and
// stays for the build that depends on it. Leaves each one untouched whose content stays the same.
// Returns how many were written. invalid_argument for a source that is absolute or leaves the root,
// and for what compile_index refuses; io_failed.
Result<std::size_t> write_decision_files(const Policy& policy, std::vector<std::string> sources,
                                         const std::filesystem::path& folder);

}  // namespace hone
