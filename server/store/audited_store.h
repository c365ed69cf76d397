// The store's classes for one change by a caller: whatever is changed through them leaves the entry
// in the audit log, in the same transaction, or is not changed. What changes nothing (a request
// that was repeated, an error) leaves none. Made for each change; the store outlives it. Not thread
// safe.
#pragma once

#include <memory>

#include "server/store/audit_store.h"
#include "server/store/store.h"

namespace hone {

class AuditedStore {
 public:
  AuditedStore(Store& store, AuditEntry entry);
  ~AuditedStore();
  AuditedStore(const AuditedStore&) = delete;
  AuditedStore& operator=(const AuditedStore&) = delete;

  TokenStore& tokens() { return tokens_; }
  ArtifactIndex& artifacts() { return artifacts_; }
  TargetStore& targets() { return targets_; }
  WorkerStore& workers() { return workers_; }
  CampaignStore& campaigns() { return campaigns_; }
  CanaryStore& canaries() { return canaries_; }
  ServiceStore& services() { return services_; }
  JobStore& jobs() { return jobs_; }
  PolicyStore& policies() { return policies_; }
  PolicyKeyStore& policy_keys() { return policy_keys_; }

 private:
  std::unique_ptr<PgPool> pool_;
  TokenStore tokens_;
  ArtifactIndex artifacts_;
  TargetStore targets_;
  WorkerStore workers_;
  CampaignStore campaigns_;
  CanaryStore canaries_;
  ServiceStore services_;
  JobStore jobs_;
  PolicyStore policies_;
  PolicyKeyStore policy_keys_;
};

}  // namespace hone
