// What a token may do to a target: by its role to all of them, or, for a token that is confined, to
// those that it was granted. Thread safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/protocol/values.h"

namespace hone {

// read: see it and what was measured of it. submit: jobs, campaigns, candidates, policies that are
// not in force. define: what its hone.yaml says, which is what workers run. promote: which policy
// is in force.
enum class TargetRight { read, submit, define, promote };
std::string_view to_string(TargetRight value);
std::optional<TargetRight> parse_target_right(std::string_view text);
extern const std::string_view kTargetRightChoices;

// A set of them.
class TargetRights {
 public:
  constexpr TargetRights() = default;
  constexpr TargetRights(std::initializer_list<TargetRight> rights) {
    for (const TargetRight right : rights) {
      bits_ |= bit(right);
    }
  }
  constexpr bool contains(TargetRight right) const { return (bits_ & bit(right)) != 0; }
  constexpr bool contains(TargetRights other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr void add(TargetRight right) { bits_ |= bit(right); }
  friend constexpr bool operator==(TargetRights, TargetRights) = default;

 private:
  static constexpr std::uint32_t bit(TargetRight right) {
    return 1U << static_cast<unsigned>(right);
  }
  std::uint32_t bits_ = 0;
};

// In their order, as spelled.
std::vector<std::string> spellings(TargetRights rights);

// By target's name. A grant may name a target that is not registered yet.
using TargetGrants = std::map<std::string, TargetRights, std::less<>>;

// What the role allows to every target, for a token that is not confined, and to a granted one
// where the grant does not say.
TargetRights usual_rights(Role role);
// What a grant to such a token may hold at most: promoting needs to be granted, but for admins.
TargetRights most_rights(Role role);

// Who a job is from: owner, whoever may define its target (or honed itself); guest, who may submit
// to it only. A worker keeps nothing of the one where the other finds it.
enum class TrustLevel { owner, guest };
std::string_view to_string(TrustLevel value);
std::optional<TrustLevel> parse_trust_level(std::string_view text);
extern const std::string_view kTrustLevelChoices;

// "lz4" or "lz4:read,submit" as people write a grant; `rights` is empty if they are not said.
struct GrantText {
  std::string target;
  std::vector<std::string> rights;
};
GrantText split_grant(std::string_view text);

}  // namespace hone
