// Public keys of those who sign policies, and which targets ask for a signature. Signing itself,
// and every secret key, is elsewhere (common/policy/signature.h). Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/store/async.h"
#include "server/store/reader.h"

namespace hone {

struct NewPolicyKey {
  std::string name;                           // unique among the keys in use
  std::string target{};                       // whose policies it may sign; empty: all targets'
  std::string public_key;                     // PEM, Ed25519
  std::optional<std::int64_t> valid_from{};   // milliseconds since 1970; absent: now
  std::optional<std::int64_t> valid_until{};  // absent: until it is retired
  std::string created_by{};                   // a token's id
};

struct PolicyKeyView {
  std::string id;  // UUID
  std::string name;
  std::string target;  // empty: all
  std::string public_key;
  std::string fingerprint;  // as key_fingerprint gives it
  std::string valid_from;   // RFC 3339, as all times here
  std::string valid_until;  // empty: no end
  std::string created_at;
  std::string created_by;  // name of the token
  std::string retired_at;  // empty: not retired
  bool in_use = false;     // signatures of it are taken now
};

// What becomes of a key that is the last one of a target that asks for signatures.
enum class LastKey { keep, retire };

class PolicyKeyStore {
 public:
  explicit PolicyKeyStore(PgPool& pool) : pool_(pool) {}

  // invalid_argument for what is no name, no key or no span of time; not_found if the target is not
  // registered; conflict if the name, or the key for that target, is in use.
  Async<PolicyKeyView> add(NewPolicyKey key);
  // Those for all targets and those for targets that the reader sees, retired ones too, oldest
  // first.
  Async<std::vector<PolicyKeyView>> list(Reader reader = {});
  // From now on nothing that the key signed is put in force. Retired already: no change. not_found;
  // conflict for the last one in use of a target that asks for signatures, unless it may go, too:
  // nothing could be put in force there any more.
  Async<PolicyKeyView> retire(std::string id, LastKey last = LastKey::keep);
  // Whether only signed policies of the target may be put in force. not_found.
  Async<bool> signatures_required(std::string target);
  Async<void> require_signatures(std::string target, bool required);

 private:
  PgPool& pool_;
};

}  // namespace hone
