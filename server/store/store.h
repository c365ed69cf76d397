// Everything honed remembers, in PostgreSQL: one class per noun, over one pool of connections.
//
// Some nouns are there by several lanes of the pool: the same, with connections kept back for it.
// Several coordinators may use one database at once. Migrations run when it is opened. The database
// should be Hone's own. Not thread safe: one executor, run by one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "server/store/access_store.h"
#include "server/store/artifact_index.h"
#include "server/store/artifact_upload_store.h"
#include "server/store/async.h"
#include "server/store/audit_store.h"
#include "server/store/campaign_store.h"
#include "server/store/canary_store.h"
#include "server/store/event_store.h"
#include "server/store/experience_store.h"
#include "server/store/job_store.h"
#include "server/store/lane.h"
#include "server/store/notifications.h"
#include "server/store/operations_store.h"
#include "server/store/policy_key_store.h"
#include "server/store/policy_store.h"
#include "server/store/retention_store.h"
#include "server/store/served_time.h"
#include "server/store/service_store.h"
#include "server/store/target_store.h"
#include "server/store/token_store.h"
#include "server/store/transition_store.h"
#include "server/store/view_store.h"
#include "server/store/worker_store.h"

namespace hone {

struct StoreOptions {
  std::string database_url;                           // "postgresql://..." or "host=... dbname=..."
  std::size_t connections = 8;                        // at most, beside one that listens
  std::chrono::milliseconds acquire_timeout{10'000};  // for a free connection
  std::chrono::milliseconds statement_timeout{30'000};  // of one statement, in the server
  RetryPause retry;                                     // of jobs whose attempt failed
  std::chrono::milliseconds connect_patience{20'000};  // open() retries a server that is not up yet
};

struct PoolUse {
  std::size_t open = 0;     // connections that stand
  std::size_t in_use = 0;   // of those
  std::size_t waiting = 0;  // coroutines waiting for one
};

class Store {
 public:
  // Connects and migrates. unavailable if no connection comes about in time (the message holds the
  // server's reason); unsupported if the database was migrated by a newer Hone or an applied
  // migration was changed since.
  static Async<std::unique_ptr<Store>> open(boost::asio::any_io_executor executor,
                                            StoreOptions options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  AccessStore& access() { return access_; }
  AuditStore& audit() { return audit_; }
  TokenStore& tokens() { return tokens_; }
  ArtifactIndex& artifacts() { return artifacts_; }
  ArtifactUploadStore& uploads() { return uploads_; }
  TargetStore& targets() { return targets_; }
  WorkerStore& workers(Lane lane = Lane::ordinary) {
    return lane == Lane::work ? claiming_workers_ : workers_;
  }
  CampaignStore& campaigns(Lane lane = Lane::ordinary) {
    return lane == Lane::reading ? read_campaigns_ : campaigns_;
  }
  CanaryStore& canaries() { return canaries_; }
  ServiceStore& services() { return services_; }
  JobStore& jobs(Lane lane = Lane::ordinary) {
    return lane == Lane::work ? leased_jobs_ : lane == Lane::reading ? read_jobs_ : jobs_;
  }
  ExperienceStore& experiences() { return experiences_; }
  TransitionStore& transitions(Lane lane = Lane::ordinary) {
    return lane == Lane::reading ? read_transitions_ : transitions_;
  }
  PolicyStore& policies() { return policies_; }
  PolicyKeyStore& policy_keys() { return policy_keys_; }
  EventStore& events() { return events_; }
  ServedTime& served_time() { return served_time_; }
  ViewStore& views() { return views_; }
  RetentionStore& retention() { return retention_; }
  OperationsStore& operations() { return operations_; }
  Notifications& notifications() { return notifications_; }

  // For AuditedStore.
  const PgPool& pool() const { return *pool_; }

  // Whether the database answers: for readiness. Fails within a few seconds.
  Async<void> ping();
  PoolUse pool_use() const;
  // While true, whatever would write fails with unavailable, and reads go on: for a database whose
  // disk is nearly full, since PostgreSQL itself ends when it cannot write its log.
  void set_read_only(bool read_only);
  // Ends all waits and closes idle connections; afterwards every call is unavailable.
  void close();
  // After close(): does not wait for what the database is working on, either.
  void cut();

 private:
  Store(boost::asio::any_io_executor executor, StoreOptions options, std::unique_ptr<PgPool> pool);

  std::unique_ptr<PgPool> pool_;
  std::unique_ptr<PgPool> work_;     // the same connections by another lane
  std::unique_ptr<PgPool> reading_;  // likewise
  Notifications notifications_;
  AccessStore access_;
  AuditStore audit_;
  TokenStore tokens_;
  ArtifactIndex artifacts_;
  ArtifactUploadStore uploads_;
  TargetStore targets_;
  WorkerStore workers_;
  WorkerStore claiming_workers_;
  CampaignStore campaigns_;
  CampaignStore read_campaigns_;
  CanaryStore canaries_;
  ServiceStore services_;
  JobStore jobs_;
  JobStore leased_jobs_;
  JobStore read_jobs_;
  ExperienceStore experiences_;
  TransitionStore transitions_;
  TransitionStore read_transitions_;
  PolicyStore policies_;
  PolicyKeyStore policy_keys_;
  EventStore events_;
  ServedTime served_time_;
  ViewStore views_;
  RetentionStore retention_;
  OperationsStore operations_;
};

}  // namespace hone
