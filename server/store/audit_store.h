// The audit log: every change through the API, by whom, of what. Only added to; what is old goes by
// RetentionStore, and nothing else may remove any. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/store/async.h"
#include "server/store/page.h"

namespace hone {

// What is written beside a change, in its transaction (audited_store.h).
struct AuditEntry {
  std::string token{};    // id; empty: honed itself
  std::string action{};   // "kind.verb": "job.cancel"
  std::string kind{};     // "job", "campaign", "target", ...
  std::string object{};   // id or name; what is made gets its own from the store
  std::string target{};   // name; empty: found by kind and object, or none
  std::string request{};  // id of the request; empty: none
  std::string before{};   // JSON object, without secrets; empty: nothing to say
  std::string after{};    // likewise
};

struct AuditView {
  std::int64_t number = 0;
  std::string at;          // RFC 3339
  std::string token;       // id; empty: honed itself
  std::string token_name;  // likewise
  AuditEntry entry;        // its token is empty
};

struct AuditFilter {
  std::optional<std::string> token{};  // id or name, of a revoked one, too
  std::optional<std::string> target{};
  std::optional<std::string> kind{};
  std::optional<std::string> object{};
  std::optional<std::string> action{};
  std::optional<std::int64_t> from{};  // milliseconds since 1970; both ends count
  std::optional<std::int64_t> to{};
};

class AuditStore {
 public:
  explicit AuditStore(PgPool& pool) : pool_(pool) {}

  // Newest first. invalid_argument for what is no cursor.
  Async<Page<AuditView>> list(AuditFilter filter, PageRequest page);

 private:
  PgPool& pool_;
};

}  // namespace hone
