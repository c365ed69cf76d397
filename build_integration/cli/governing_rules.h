// The part of a policy that counts for one source, and the files that hold it: what builds depend
// on, so that a new policy rebuilds exactly the objects whose decision changed. Thread safe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/policy/policy.h"

namespace hone {

// The rules that can govern a compile of `source` (as rules name it), in order and with the source
// as their pattern. Left out is what no compile reaches, since earlier rules decide it at every
// level that a rule names, and plain rules at the end, which say no more than no rule does.
std::vector<Rule> governing_rules(const Policy& policy, std::string_view source);

// Writes a decision file (common/policy/decision_files.h) for every source and brings those up to
// date that lie in the folder already: one whose source lost its rule or is no longer listed
// becomes plain, and stays for the build that depends on it. Only files whose decision changed are
// touched. Returns how many. Errors as write_decision_files.
Result<std::size_t> write_source_decisions(const Policy& policy, std::vector<std::string> sources,
                                           const std::filesystem::path& folder);

// The same as text for a build tree's own use, SOURCE.decision: the compiler and a rule a line as
// in the policy document; empty without a rule. Sources may be absolute ("/b/gen.c" is written to
// "@/b/gen.c.decision"). Files of sources not named stay as they are. invalid_argument for a source
// with an empty, . or .. part; io_failed.
Result<std::size_t> write_decision_stamps(const Policy& policy,
                                          const std::vector<std::string>& sources,
                                          const std::filesystem::path& folder);

// Whether the file's content is replaced: not if it is the same already. Makes missing folders.
Result<bool> write_if_changed(const std::filesystem::path& path, std::string_view content);

}  // namespace hone
