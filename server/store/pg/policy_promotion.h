// Putting a policy in force inside a transaction: by somebody's word, or as the end of a canary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/store/pg/pg_transaction.h"
#include "server/store/policy_store.h"

namespace hone {

struct PromotablePolicy {
  PolicyVersion version;
  std::optional<std::int64_t> in_force;  // the promoted version, perhaps this one
};
// Whether it may be promoted now; errors as PolicyStore::promote says. Locks the target.
Async<PromotablePolicy> promotable_policy_in(PgTransaction& transaction, std::string target,
                                             std::int64_t version);

struct PolicyChange {
  PolicyVersion now;
  std::optional<std::int64_t> before;  // what was in force; the same version if nothing changed
};
// Makes it the one in force. The audit log is the caller's.
Async<PolicyChange> promote_policy_in(PgTransaction& transaction, std::string target,
                                      std::int64_t version);

}  // namespace hone
