#include "server/api/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <set>

namespace hone {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

// Seconds. A lease's long poll lies in the last ones.
const prometheus::Histogram::BucketBoundaries kLatency{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

// Seconds of one statement.
const prometheus::Histogram::BucketBoundaries kStatement{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                         0.05,   0.1,   0.25,   0.5,   1,    5};

using Gauges = prometheus::Family<prometheus::Gauge>;

void set(Gauges& family, const prometheus::Labels& labels, double value) {
  family.Add(labels).Set(value);
}
template <class Whole>
void set(Gauges& family, const prometheus::Labels& labels, Whole value) {
  set(family, labels, static_cast<double>(value));
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      BuildCounter()
          .Name("hone_http_requests_total")
          .Help("Requests answered, by method, route template and status")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& latency =
      BuildHistogram()
          .Name("hone_http_request_duration_seconds")
          .Help("From a request's header to its answer's last byte, by route template and status")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& jobs =
      BuildGauge().Name("hone_jobs").Help("Jobs in the store, by state").Register(registry);
  prometheus::Family<prometheus::Counter>& leases_granted = BuildCounter()
                                                                .Name("hone_leases_granted_total")
                                                                .Help("Leases given to workers")
                                                                .Register(registry);
  prometheus::Family<prometheus::Counter>& leases_ended =
      BuildCounter()
          .Name("hone_leases_ended_total")
          .Help("Leases that ended, by how: completed, handed_back, expired")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& attempts =
      BuildCounter()
          .Name("hone_attempts_total")
          .Help("Results accepted from workers, by outcome")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& artifact_bytes =
      BuildCounter()
          .Name("hone_artifact_bytes_received_total")
          .Help("Bytes of uploaded artifacts")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& database =
      BuildGauge()
          .Name("hone_database_connections")
          .Help("Connections to PostgreSQL: open, in_use; waiting: requests that wait for one")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& http_connections =
      BuildGauge().Name("hone_http_connections").Help("Open client connections").Register(registry);
  prometheus::Family<prometheus::Counter>& log_rows =
      BuildCounter()
          .Name("hone_session_log_rows_total")
          .Help(
              "Rows of the session log, by result: written, or dropped: full (no room in the "
              "queue), refused (by the database), left (when honed ended)")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& log_queue =
      BuildGauge()
          .Name("hone_session_log_queue")
          .Help("What of the session log waits for the database, by unit: rows, bytes")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& claims =
      BuildHistogram()
          .Name("hone_claim_duration_seconds")
          .Help("What a claim of a job took in the database, whether it brought one or not")
          .Register(registry);
  Gauges& queued =
      BuildGauge()
          .Name("hone_queued_jobs")
          .Help("Jobs by priority, of the first 10000 in the queue's order; hone_jobs has all")
          .Register(registry);
  Gauges& oldest_queued = BuildGauge()
                              .Name("hone_queue_oldest_seconds")
                              .Help("Age of the job that is queued the longest; 0: none is queued")
                              .Register(registry);
  Gauges& leases =
      BuildGauge().Name("hone_leases").Help("Jobs that workers hold now").Register(registry);
  Gauges& lease_waits = BuildGauge()
                            .Name("hone_lease_waits")
                            .Help("Requests for a job that wait at this coordinator")
                            .Register(registry);
  Gauges& workers =
      BuildGauge()
          .Name("hone_workers")
          .Help(
              "Workers by state: live, drained (takes no jobs), silent (not seen for 90 s, but "
              "within a day)")
          .Register(registry);
  Gauges& unfit = BuildGauge()
                      .Name("hone_workers_unfit")
                      .Help("Workers that are out of rotation for a target by their self-checks")
                      .Register(registry);
  Gauges& campaigns = BuildGauge()
                          .Name("hone_campaigns")
                          .Help("Campaigns in the store, by state")
                          .Register(registry);
  Gauges& artifacts =
      BuildGauge().Name("hone_artifacts").Help("Artifacts in the store").Register(registry);
  Gauges& artifacts_bytes = BuildGauge()
                                .Name("hone_artifacts_bytes")
                                .Help("Bytes of all artifacts in the store")
                                .Register(registry);
  Gauges& streams = BuildGauge()
                        .Name("hone_streams")
                        .Help("Streams under way at this coordinator, by kind: events, lines")
                        .Register(registry);
  Gauges& sessions = BuildGauge()
                         .Name("hone_sessions")
                         .Help("Compile sessions that are open at this coordinator")
                         .Register(registry);
  Gauges& database_up =
      BuildGauge()
          .Name("hone_database_up")
          .Help("1 if the database answered when last asked; else the gauges of the store are old")
          .Register(registry);
  Gauges& database_bytes = BuildGauge()
                               .Name("hone_database_bytes")
                               .Help("Size of the database on its disk")
                               .Register(registry);
  Gauges& disk_free = BuildGauge()
                          .Name("hone_data_disk_free_bytes")
                          .Help("Free on the disk of the data folder, for honed's user")
                          .Register(registry);
  Gauges& disk_size = BuildGauge()
                          .Name("hone_data_disk_size_bytes")
                          .Help("Size of the disk of the data folder")
                          .Register(registry);
  prometheus::Family<prometheus::Counter>& removed =
      BuildCounter()
          .Name("hone_retention_removed_total")
          .Help("Rows that were older than they are kept for and removed, by what they were")
          .Register(registry);
  Gauges& retention_finished = BuildGauge()
                                   .Name("hone_retention_finished_timestamp_seconds")
                                   .Help("When a whole pass of removal last ended well; 0: not yet")
                                   .Register(registry);
  Gauges& build = BuildGauge()
                      .Name("hone_build_info")
                      .Help("Always 1; the labels say which honed this is")
                      .Register(registry);
  prometheus::Family<prometheus::Counter>& process_cpu =
      BuildCounter()
          .Name("process_cpu_seconds_total")
          .Help("User and system CPU time of honed itself, in seconds")
          .Register(registry);
  Gauges& process_rss = BuildGauge()
                            .Name("process_resident_memory_bytes")
                            .Help("Resident memory of honed itself")
                            .Register(registry);
  Gauges& process_vm = BuildGauge()
                           .Name("process_virtual_memory_bytes")
                           .Help("Virtual memory of honed itself")
                           .Register(registry);
  Gauges& process_fds = BuildGauge()
                            .Name("process_open_fds")
                            .Help("Open file descriptors of honed")
                            .Register(registry);
  Gauges& process_max_fds = BuildGauge()
                                .Name("process_max_fds")
                                .Help("How many file descriptors it may have")
                                .Register(registry);
  Gauges& process_start = BuildGauge()
                              .Name("process_start_time_seconds")
                              .Help("When honed started, in seconds since 1970")
                              .Register(registry);
  std::set<std::int64_t> priorities;  // that were ever told

  Gauges& canaries =
      BuildGauge().Name("hone_canaries").Help("Canaries in the store, by state").Register(registry);
  Gauges& canary_share = BuildGauge()
                             .Name("hone_canary_share_percent")
                             .Help("Traffic that the target's canary may get; 0: none is under way")
                             .Register(registry);
  Gauges& canary_lost = BuildGauge()
                            .Name("hone_canary_lost_windows")
                            .Help("Windows in a row that told nothing, of the target's canary")
                            .Register(registry);
  Gauges& canary_reward =
      BuildGauge()
          .Name("hone_canary_reward")
          .Help("ln(SLI of the baseline / SLI of the canary) of the target's newest canary")
          .Register(registry);
  Gauges& budgets =
      BuildGauge()
          .Name("hone_error_budgets")
          .Help(
              "Services by what is known of their error budget: left, spent, or unknown (not "
              "told for five minutes)")
          .Register(registry);
  Gauges& budget_left =
      BuildGauge()
          .Name("hone_error_budget_left_ratio")
          .Help("Share of the error budget of the target's service that is left, as last told")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& canary_windows =
      BuildCounter()
          .Name("hone_canary_windows_total")
          .Help("Windows of canaries that were looked at, by what they told: ok, or why nothing")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& canary_leases =
      BuildCounter()
          .Name("hone_canary_lease_checks_total")
          .Help("Balancers' questions whether a canary may have traffic, by answer: given, refused")
          .Register(registry);
  std::set<std::string> canary_targets;  // that ever had one under way
};

struct Metrics::RequestMetrics {
  prometheus::Counter* count;
  prometheus::Histogram* latency;
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {
  set(families_->build, {{"version", HONE_VERSION}, {"compiler", __VERSION__}}, 1);
  families_->claims.Add({}, kStatement);
  for (const Retained what : kAllRetained) {
    families_->removed.Add({{"what", std::string(to_string(what))}});
  }
  // Present from the start, so that a rate over them is defined before the first event.
  families_->leases_granted.Add({});
  families_->artifact_bytes.Add({});
  for (const char* how : {"completed", "handed_back", "expired"}) {
    families_->leases_ended.Add({{"how", how}});
  }
  families_->attempts.Add({{"outcome", "ok"}});
  families_->canary_windows.Add({{"outcome", "ok"}});
  for (const char* answer : {"given", "refused"}) {
    families_->canary_leases.Add({{"answer", answer}});
  }
  families_->retention_finished.Add({});
}

Metrics::~Metrics() = default;

void Metrics::request_finished(const RequestRecord& record) {
  const RequestKey key{record.route.empty() ? nullptr : record.route.data(),
                       record.method.empty() ? nullptr : record.method.data(), record.status};
  auto found = requests_.find(key);
  if (found == requests_.end()) {
    const std::string route(record.route.empty() ? "none" : record.route);
    const std::string method(record.method.empty() ? "none" : record.method);
    const std::string status = std::to_string(record.status);
    found =
        requests_
            .emplace(key,
                     RequestMetrics{
                         &families_->requests.Add(
                             {{"method", method}, {"route", route}, {"status", status}}),
                         &families_->latency.Add({{"route", route}, {"status", status}}, kLatency)})
            .first;
  }
  found->second.count->Increment();
  found->second.latency->Observe(record.seconds);
}

void Metrics::claim_took(double seconds) {
  families_->claims.Add({}, kStatement).Observe(seconds);
}

void Metrics::removed(std::string_view what, std::int64_t rows) {
  families_->removed.Add({{"what", std::string(what)}}).Increment(static_cast<double>(rows));
}

void Metrics::retention_finished() {
  families_->retention_finished.Add({}).SetToCurrentTime();
}

void Metrics::set_open(std::size_t event_streams, std::size_t line_streams, std::size_t lease_waits,
                       std::size_t sessions) {
  set(families_->streams, {{"kind", "events"}}, event_streams);
  set(families_->streams, {{"kind", "lines"}}, line_streams);
  set(families_->lease_waits, {}, lease_waits);
  set(families_->sessions, {}, sessions);
}

void Metrics::set_operations(const OperationGauges& gauges) {
  // A priority that nobody waits at any more is 0, not what it was.
  for (const std::int64_t priority : families_->priorities) {
    set(families_->queued, {{"priority", std::to_string(priority)}}, 0);
  }
  for (const auto& [priority, count] : gauges.queued_by_priority) {
    families_->priorities.insert(priority);
    set(families_->queued, {{"priority", std::to_string(priority)}}, count);
  }
  set(families_->oldest_queued, {}, gauges.oldest_queued_seconds);
  set(families_->leases, {}, gauges.leases);
  set(families_->workers, {{"state", "live"}}, gauges.workers_live);
  set(families_->workers, {{"state", "drained"}}, gauges.workers_drained);
  set(families_->workers, {{"state", "silent"}}, gauges.workers_silent);
  set(families_->unfit, {}, gauges.workers_unfit);
  for (const auto& [state, count] : gauges.campaigns) {
    set(families_->campaigns, {{"state", state}}, count);
  }
  set(families_->artifacts, {}, gauges.artifacts);
  set(families_->artifacts_bytes, {}, gauges.artifact_bytes);
  set(families_->database_bytes, {}, gauges.database_bytes);
}

void Metrics::set_canaries(const CanaryGauges& gauges) {
  for (const auto& [state, count] : gauges.by_state) {
    set(families_->canaries, {{"state", state}}, count);
  }
  // A target without a canary has 0, not what it had.
  for (const auto& [target, share] : gauges.share) {
    families_->canary_targets.insert(target);
  }
  for (const std::string& target : families_->canary_targets) {
    const auto share = gauges.share.find(target);
    const auto lost = gauges.lost_windows.find(target);
    set(families_->canary_share, {{"target", target}},
        share == gauges.share.end() ? 0 : share->second);
    set(families_->canary_lost, {{"target", target}},
        lost == gauges.lost_windows.end() ? 0 : lost->second);
  }
  for (const auto& [target, value] : gauges.reward) {
    set(families_->canary_reward, {{"target", target}}, value);
  }
  for (const auto& [target, value] : gauges.budget_left) {
    set(families_->budget_left, {{"target", target}}, value);
  }
  set(families_->budgets, {{"state", "left"}}, gauges.budgets_left);
  set(families_->budgets, {{"state", "spent"}}, gauges.budgets_spent);
  set(families_->budgets, {{"state", "unknown"}}, gauges.budgets_unknown);
}

void Metrics::canary_window(std::string_view outcome) {
  families_->canary_windows.Add({{"outcome", std::string(outcome)}}).Increment();
}

void Metrics::canary_lease(bool given) {
  families_->canary_leases.Add({{"answer", given ? "given" : "refused"}}).Increment();
}

void Metrics::set_database_up(bool up) {
  set(families_->database_up, {}, up ? 1 : 0);
}

void Metrics::set_disk(const DiskSpace& space) {
  set(families_->disk_free, {}, space.free_bytes);
  set(families_->disk_size, {}, space.total_bytes);
}

void Metrics::set_process(const ProcessUse& use) {
  prometheus::Counter& cpu = families_->process_cpu.Add({});
  cpu.Increment(std::max(0.0, use.cpu_seconds - cpu.Value()));
  set(families_->process_rss, {}, use.resident_bytes);
  set(families_->process_vm, {}, use.virtual_bytes);
  set(families_->process_fds, {}, use.open_files);
  set(families_->process_max_fds, {}, use.most_files);
  set(families_->process_start, {}, use.started_at);
}

void Metrics::lease_granted() {
  families_->leases_granted.Add({}).Increment();
}

void Metrics::lease_ended(std::string_view how) {
  families_->leases_ended.Add({{"how", std::string(how)}}).Increment();
}

void Metrics::attempt_counted(Outcome outcome) {
  families_->attempts.Add({{"outcome", std::string(to_string(outcome))}}).Increment();
}

void Metrics::artifact_received(std::int64_t bytes) {
  families_->artifact_bytes.Add({}).Increment(static_cast<double>(bytes));
}

void Metrics::set_jobs(const std::map<JobState, std::int64_t>& by_state) {
  for (const auto& [state, count] : by_state) {
    families_->jobs.Add({{"state", std::string(to_string(state))}}).Set(static_cast<double>(count));
  }
}

void Metrics::set_database_connections(const PoolUse& use) {
  families_->database.Add({{"state", "open"}}).Set(static_cast<double>(use.open));
  families_->database.Add({{"state", "in_use"}}).Set(static_cast<double>(use.in_use));
  families_->database.Add({{"state", "waiting"}}).Set(static_cast<double>(use.waiting));
}

void Metrics::set_http_connections(std::size_t open) {
  families_->http_connections.Add({}).Set(static_cast<double>(open));
}

void Metrics::set_session_log(const LogQueue& queue) {
  const LogCounts& counts = queue.counts();
  const auto raise = [this](const char* result, std::uint64_t count) {
    prometheus::Counter& counter = families_->log_rows.Add({{"result", result}});
    counter.Increment(static_cast<double>(count) - counter.Value());
  };
  raise("written", counts.written);
  raise("full", counts.full);
  raise("refused", counts.refused);
  raise("left", counts.left);
  families_->log_queue.Add({{"unit", "rows"}}).Set(static_cast<double>(queue.rows()));
  families_->log_queue.Add({{"unit", "bytes"}}).Set(static_cast<double>(queue.bytes()));
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace hone
