// What honed tells Prometheus about itself.
//
// Counters are since this process started; gauges of the queue are read from the database when
// asked for, at most every few seconds. Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/protocol/values.h"
#include "server/api/process_use.h"
#include "server/http/http_server.h"
#include "server/sessions/log_queue.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/store.h"

namespace hone {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void request_finished(const RequestRecord& record);
  void lease_granted();
  // How a lease ended: "completed", "handed_back", "expired".
  void lease_ended(std::string_view how);
  // A job is dead because its attempts were used up.
  void job_given_up();
  void attempt_counted(Outcome outcome);
  void artifact_received(std::int64_t bytes);
  // Gauges.
  void set_jobs(const std::map<JobState, std::int64_t>& by_state);
  void set_database_connections(const PoolUse& use);
  void set_http_connections(std::size_t open);
  // The session log's counts since the start, and what waits.
  void set_session_log(const LogQueue& queue);
  // What one claim took in the database, whether it brought a job or not.
  void claim_took(double seconds);
  // Rows that retention removed, by kind; and that a whole pass is over.
  void removed(std::string_view what, std::int64_t rows);
  void retention_finished();
  // Whether a setting is another than that of other coordinators of the database.
  void set_difference(bool artifacts, bool lease_seconds);
  // What waits or is open in this process.
  void set_open(std::size_t event_streams, std::size_t line_streams, std::size_t lease_waits,
                std::size_t sessions);
  void set_operations(const OperationGauges& gauges);
  void set_canaries(const CanaryGauges& gauges);
  // A canary's window was looked at; how it was ("ok", "no_data", ...).
  void canary_window(std::string_view outcome);
  // A canary's reward could not be stored; whether that may pass by itself.
  void canary_reward_failed(bool passing);
  // A balancer asked for a canary's lease.
  void canary_lease(bool given);
  // Whether the database answered when it was asked for the gauges, which are old else.
  void set_database_up(bool up);
  void set_disk(const DiskSpace& space);
  // This process's own, as of now.
  void set_process(const ProcessUse& use);

  // The exposition text (text/plain; version=0.0.4), without what is told of a target by its name
  // that `sees_target` says no of.
  std::string text(const std::function<bool(const std::string&)>& sees_target) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hone
