#include "server/store/audited_store.h"

#include "server/store/pg/pg_pool.h"

namespace hone {

AuditedStore::AuditedStore(Store& store, AuditEntry entry)
    : pool_(std::make_unique<PgPool>(store.pool(), std::move(entry))),
      tokens_(*pool_),
      artifacts_(*pool_),
      targets_(*pool_),
      workers_(*pool_),
      campaigns_(*pool_),
      canaries_(*pool_),
      services_(*pool_),
      jobs_(*pool_),
      policies_(*pool_),
      policy_keys_(*pool_) {}

AuditedStore::~AuditedStore() = default;

}  // namespace hone
