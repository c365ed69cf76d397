#include "server/api/metrics.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>

#include "server/api/canary_metrics.h"
#include "server/api/metric_families.h"
#include "server/api/operation_metrics.h"
#include "server/api/process_metrics.h"
#include "server/api/request_metrics.h"

namespace hone {

// /metrics tells the families of a type in this order.
struct Metrics::Parts {
  prometheus::Registry registry;
  RequestMetrics requests{registry};
  Gauges& jobs = add_gauges(registry, "hone_jobs", "Jobs in the store, by state");
  Counters& leases_granted =
      add_counters(registry, "hone_leases_granted_total", "Leases given to workers");
  Counters& jobs_given_up =
      add_counters(registry, "hone_jobs_given_up_total",
                   "Jobs that are dead because their attempts were used up; not those whose "
                   "deadline passed");
  Counters& leases_ended =
      add_counters(registry, "hone_leases_ended_total",
                   "Leases that ended, by how: completed, handed_back, expired");
  Counters& attempts =
      add_counters(registry, "hone_attempts_total", "Results accepted from workers, by outcome");
  Counters& artifact_bytes =
      add_counters(registry, "hone_artifact_bytes_received_total", "Bytes of uploaded artifacts");
  Gauges& database =
      add_gauges(registry, "hone_database_connections",
                 "Connections to PostgreSQL: open, in_use; waiting: requests that wait for one");
  Gauges& http_connections =
      add_gauges(registry, "hone_http_connections", "Open client connections");
  Counters& log_rows =
      add_counters(registry, "hone_session_log_rows_total",
                   "Rows of the session log, by result: written, or dropped: full (no room in the "
                   "queue), refused (by the database), left (when honed ended)");
  Gauges& log_queue =
      add_gauges(registry, "hone_session_log_queue",
                 "What of the session log waits for the database, by unit: rows, bytes");
  OperationMetrics operations{registry};
  Gauges& build =
      add_gauges(registry, "hone_build_info", "Always 1; the labels say which honed this is");
  ProcessMetrics process{registry};
  CanaryMetrics canaries{registry};
};

Metrics::Metrics() : parts_(std::make_unique<Parts>()) {
  set_gauge(parts_->build, {{"version", HONE_VERSION}, {"compiler", __VERSION__}}, 1);
  // Present from the start, so that a rate over them is defined before the first event.
  parts_->leases_granted.Add({});
  parts_->artifact_bytes.Add({});
  parts_->jobs_given_up.Add({});
  for (const char* how : {"completed", "handed_back", "expired"}) {
    parts_->leases_ended.Add({{"how", how}});
  }
  parts_->attempts.Add({{"outcome", "ok"}});
}

Metrics::~Metrics() = default;

void Metrics::lease_granted() {
  parts_->leases_granted.Add({}).Increment();
}

void Metrics::lease_ended(std::string_view how) {
  parts_->leases_ended.Add({{"how", std::string(how)}}).Increment();
}

void Metrics::job_given_up() {
  parts_->jobs_given_up.Add({}).Increment();
}

void Metrics::attempt_counted(Outcome outcome) {
  parts_->attempts.Add({{"outcome", std::string(to_string(outcome))}}).Increment();
}

void Metrics::artifact_received(std::int64_t bytes) {
  parts_->artifact_bytes.Add({}).Increment(static_cast<double>(bytes));
}

void Metrics::set_jobs(const std::map<JobState, std::int64_t>& by_state) {
  for (const auto& [state, count] : by_state) {
    parts_->jobs.Add({{"state", std::string(to_string(state))}}).Set(static_cast<double>(count));
  }
}

void Metrics::set_database_connections(const PoolUse& use) {
  parts_->database.Add({{"state", "open"}}).Set(static_cast<double>(use.open));
  parts_->database.Add({{"state", "in_use"}}).Set(static_cast<double>(use.in_use));
  parts_->database.Add({{"state", "waiting"}}).Set(static_cast<double>(use.waiting));
}

void Metrics::set_http_connections(std::size_t open) {
  parts_->http_connections.Add({}).Set(static_cast<double>(open));
}

void Metrics::set_session_log(const LogQueue& queue) {
  const LogCounts& counts = queue.counts();
  const auto raise = [this](const char* result, std::uint64_t count) {
    prometheus::Counter& counter = parts_->log_rows.Add({{"result", result}});
    counter.Increment(static_cast<double>(count) - counter.Value());
  };
  raise("written", counts.written);
  raise("full", counts.full);
  raise("refused", counts.refused);
  raise("left", counts.left);
  parts_->log_queue.Add({{"unit", "rows"}}).Set(static_cast<double>(queue.rows()));
  parts_->log_queue.Add({{"unit", "bytes"}}).Set(static_cast<double>(queue.bytes()));
}

void Metrics::request_finished(const RequestRecord& record) {
  parts_->requests.finished(record);
}

void Metrics::claim_took(double seconds) {
  parts_->operations.claim_took(seconds);
}

void Metrics::removed(std::string_view what, std::int64_t rows) {
  parts_->operations.removed(what, rows);
}

void Metrics::retention_finished() {
  parts_->operations.retention_finished();
}

void Metrics::set_difference(bool artifacts, bool lease_seconds) {
  parts_->operations.set_difference(artifacts, lease_seconds);
}

void Metrics::set_open(std::size_t event_streams, std::size_t line_streams, std::size_t lease_waits,
                       std::size_t sessions) {
  parts_->operations.set_open(event_streams, line_streams, lease_waits, sessions);
}

void Metrics::set_operations(const OperationGauges& gauges) {
  parts_->operations.set(gauges);
}

void Metrics::set_canaries(const CanaryGauges& gauges) {
  parts_->canaries.set(gauges);
}

void Metrics::canary_window(std::string_view outcome) {
  parts_->canaries.window(outcome);
}

void Metrics::canary_reward_failed(bool passing) {
  parts_->canaries.reward_failed(passing);
}

void Metrics::canary_lease(bool given) {
  parts_->canaries.lease(given);
}

void Metrics::set_database_up(bool up) {
  parts_->operations.set_database_up(up);
}

void Metrics::set_disk(const DiskSpace& space) {
  parts_->operations.set_disk(space);
}

void Metrics::set_process(const ProcessUse& use) {
  parts_->process.set(use);
}

std::string Metrics::text(const std::function<bool(const std::string&)>& sees_target) const {
  std::vector<prometheus::MetricFamily> families = parts_->registry.Collect();
  for (prometheus::MetricFamily& family : families) {
    std::erase_if(family.metric, [&](const prometheus::ClientMetric& metric) {
      return std::ranges::any_of(metric.label, [&](const auto& label) {
        return label.name == "target" && !sees_target(label.value);
      });
    });
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace hone
