// Access tokens: who may call the API, in which role, for which targets and until when. Only the
// SHA-256 of a token is stored. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/access.h"
#include "common/protocol/values.h"
#include "server/store/async.h"

namespace hone {

// Where a token's rights are.
struct TokenScope {
  std::optional<TargetGrants> grants{};        // absent: its role counts for all targets
  std::optional<std::int64_t> expires_in_s{};  // absent: never
};

struct TokenView {
  std::string id;    // UUID; what other records name as their creator
  std::string name;  // unique among the tokens that are not revoked
  Role role = Role::viewer;
  std::string created_at;    // RFC 3339
  std::string last_used_at;  // RFC 3339, to a minute; empty if never
  // What a confined token may do to which targets; absent: not confined.
  std::optional<TargetGrants> grants{};
  std::string expires_at{};        // RFC 3339; empty: never
  std::int64_t expires_ms{};       // the same in milliseconds since 1970; 0: never
  bool expired = false;            // by now
  std::string rotated_at{};        // RFC 3339; empty: never
  std::string old_secret_until{};  // RFC 3339; empty: no earlier secret is good any more
  // Which secret it has: another text after each rotation. No secret itself.
  std::string generation{};
  // Of the secret before, until which it is good, in milliseconds since 1970; empty and 0: it is
  // not.
  std::string old_generation{};
  std::int64_t old_until_ms{};
  std::string shown{};  // by authenticate(): which of the two was given
};

struct NewToken {
  TokenView view;
  std::string secret;  // the token itself, shown once: "hone_" and 64 hexadecimal digits
};

inline constexpr std::int64_t kMaxTokenSeconds = std::int64_t{3650} * 86'400;
inline constexpr std::int64_t kMaxRotationSeconds = std::int64_t{30} * 86'400;
inline constexpr std::size_t kMaxGrants = 1'000;

class TokenStore {
 public:
  explicit TokenStore(PgPool& pool) : pool_(pool) {}

  // A fresh secret, known to nobody yet.
  static std::string make_secret();
  // conflict if a token of that name is in use; invalid_argument for a name that is_valid_name
  // refuses. `secret` is one of make_secret(), so that it can be written down before it is valid;
  // by default a new one.
  Async<NewToken> create(std::string name, Role role, TokenScope scope = {},
                         std::string secret = make_secret());
  // The token's record; unauthenticated if it is not known, was revoked or is over,
  // which is told apart: who has the secret may know.
  Async<TokenView> authenticate(std::string secret);
  // Tokens in use and those that are over but were not revoked, oldest first.
  Async<std::vector<TokenView>> list();
  // By id, or by name. not_found if there is no such token in use.
  Async<TokenView> find(std::string id_or_name);
  // Grants a confined token those rights to a target, in place of what it had there. conflict if it
  // is not confined; not_found; invalid_argument past kMaxGrants.
  Async<TokenView> grant(std::string id, std::string target, TargetRights rights);
  // Takes a grant back: nothing of that target is the token's any more. not_found for the token,
  // and for the grant.
  Async<TokenView> revoke_grant(std::string id, std::string target);
  // Which of these (ids) are of no token that is good: it was revoked or is over.
  Async<std::vector<std::string>> not_good(std::vector<std::string> ids);
  // Another secret for the same token; the one before is good for so many seconds more.
  // not_found, and conflict for one that is over: no secret would be good.
  Async<NewToken> rotate(std::string id, std::int64_t old_for_s);
  // From now on the token is refused. not_found if there is no such token in use. conflict for the
  // last admin token that does not expire, or where all do, for the last that is good: without one
  // nobody could make another.
  Async<void> revoke(std::string id);
  // Whether an admin token is in use; if not, honed writes a first one.
  Async<bool> has_admin();

 private:
  PgPool& pool_;
};

}  // namespace hone
