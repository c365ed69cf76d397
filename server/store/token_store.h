// Access tokens: who may call the API, in which role. Only the SHA-256 of a token is stored. Not
// thread safe.
#pragma once

#include <string>
#include <vector>

#include "common/protocol/values.h"
#include "server/store/async.h"

namespace hone {

struct TokenView {
  std::string id;    // UUID; what other records name as their creator
  std::string name;  // unique among the tokens that are not revoked
  Role role = Role::viewer;
  std::string created_at;    // RFC 3339
  std::string last_used_at;  // RFC 3339, to a minute; empty if never
};

struct NewToken {
  TokenView view;
  std::string secret;  // the token itself, shown once: "hone_" and 64 hexadecimal digits
};

class TokenStore {
 public:
  explicit TokenStore(PgPool& pool) : pool_(pool) {}

  // A fresh secret, known to nobody yet.
  static std::string make_secret();
  // conflict if a token of that name is in use; invalid_argument for a name that is_valid_name
  // refuses. `secret` is one of make_secret(), so that it can be written down before it is valid;
  // by default a new one.
  Async<NewToken> create(std::string name, Role role, std::string secret = make_secret());
  // The token's record; unauthenticated if it is not known or was revoked.
  Async<TokenView> authenticate(std::string secret);
  // Tokens in use, oldest first.
  Async<std::vector<TokenView>> list();
  // From now on the token is refused. not_found if there is no such token in use.
  Async<void> revoke(std::string id);
  // Whether an admin token is in use; if not, honed writes a first one.
  Async<bool> has_admin();

 private:
  PgPool& pool_;
};

}  // namespace hone
