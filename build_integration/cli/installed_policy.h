// The policy that builds use, on disk: the index, the document it was made from (the index's name
// and .json unless named otherwise), the highest sequence number seen (the index's name and .seen)
// and, if wanted, a decision file per source. Every file is replaced by rename, and only if its
// content changes. Two writers at once are harmless. Thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build_integration/cli/policy_file.h"
#include "common/base/result.h"

namespace hone {

struct PolicyPlace {
  std::filesystem::path index;
  std::filesystem::path document;
  std::filesystem::path decisions;   // folder; empty: none are written
  std::vector<std::string> sources;  // that get one
};

struct Installation {
  std::uint64_t sequence = 0;
  std::size_t rules = 0;
  bool changed = false;  // the index
  std::size_t decisions_changed = 0;
  std::vector<std::string> warnings;  // for people: disabled rules, expiry
};

// Puts a fetched policy in place of the one before. Nothing is written if it is refused:
// permission_denied for a missing or wrong signature, or one for another target than `target`;
// expired for a sequence number below the highest seen; conflict for that of the document in place
// where that is another one; unsupported for a format that this version does not know;
// invalid_argument for a document or rules that are wrong.
Result<Installation> install_policy(const SignedPolicy& policy, const Trust& trust,
                                    const std::string& target, const PolicyPlace& place);

// There is nothing new: the policy in place stays, and sources that have no decision file yet get
// one, from the document in place (if it can still be trusted) or plain. Nothing if there is no
// index.
Result<std::optional<Installation>> keep_policy(const Trust& trust, const PolicyPlace& place);

}  // namespace hone
