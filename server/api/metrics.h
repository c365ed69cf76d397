// What honed tells Prometheus about itself.
//
// Counters are since this process started; gauges of the queue are read from the database when
// asked for, at most every few seconds. Thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/protocol/values.h"
#include "server/http/http_server.h"
#include "server/sessions/log_queue.h"
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
  void attempt_counted(Outcome outcome);
  void artifact_received(std::int64_t bytes);
  // Gauges.
  void set_jobs(const std::map<JobState, std::int64_t>& by_state);
  void set_database_connections(const PoolUse& use);
  void set_http_connections(std::size_t open);
  // The session log's counts since the start, and what waits.
  void set_session_log(const LogQueue& queue);

  // The exposition text (text/plain; version=0.0.4).
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace hone
