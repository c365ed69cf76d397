#include "common/protocol/access.h"

#include <array>
#include <optional>
#include <utility>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::array<std::pair<std::string_view, TargetRight>, 4> kRights{
    {{"read", TargetRight::read},
     {"submit", TargetRight::submit},
     {"define", TargetRight::define},
     {"promote", TargetRight::promote}}};

}  // namespace

const std::string_view kTargetRightChoices = "read, submit, define, promote";

std::string_view to_string(TargetRight value) {
  return kRights.at(static_cast<std::size_t>(value)).first;
}

std::optional<TargetRight> parse_target_right(std::string_view text) {
  for (const auto& [spelling, right] : kRights) {
    if (spelling == text) {
      return right;
    }
  }
  return std::nullopt;
}

const std::string_view kTrustLevelChoices = "owner, guest";

std::string_view to_string(TrustLevel value) {
  return value == TrustLevel::owner ? "owner" : "guest";
}

std::optional<TrustLevel> parse_trust_level(std::string_view text) {
  if (text == "owner") {
    return TrustLevel::owner;
  }
  return text == "guest" ? std::optional(TrustLevel::guest) : std::nullopt;
}

std::vector<std::string> spellings(TargetRights rights) {
  std::vector<std::string> list;
  for (const auto& [spelling, right] : kRights) {
    if (rights.contains(right)) {
      list.emplace_back(spelling);
    }
  }
  return list;
}

TargetRights usual_rights(Role role) {
  switch (role) {
    case Role::viewer:
    case Role::worker:
      return {TargetRight::read};
    case Role::learner:
      return {TargetRight::read, TargetRight::submit};
    case Role::submitter:
      return {TargetRight::read, TargetRight::submit, TargetRight::define};
    case Role::admin:
      break;
  }
  return {TargetRight::read, TargetRight::submit, TargetRight::define, TargetRight::promote};
}

TargetRights most_rights(Role role) {
  TargetRights rights = usual_rights(role);
  if (role == Role::submitter) {
    rights.add(TargetRight::promote);
  }
  return rights;
}

GrantText split_grant(std::string_view text) {
  const std::size_t colon = text.find(':');
  GrantText grant{std::string(text.substr(0, colon)), {}};
  if (colon != std::string_view::npos) {
    for (const std::string_view right : split(text.substr(colon + 1), ',')) {
      grant.rights.emplace_back(trim(right));
    }
  }
  return grant;
}

}  // namespace hone
