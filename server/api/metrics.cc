#include "server/api/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <unordered_map>

namespace hone {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

// Seconds. A lease's long poll lies in the last ones.
const prometheus::Histogram::BucketBoundaries kLatency{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

// Where requests of one kind are counted: looked up by labels once, then found again.
struct RequestSeries {
  std::string_view method;  // as in the record, whose texts outlive all requests
  std::string_view route;
  int status = 0;
  prometheus::Counter* count = nullptr;
  prometheus::Histogram* latency = nullptr;
};

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
          .Help("From a request's header to its answer's last byte")
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

  std::mutex mutex;                                                 // of of_requests
  std::unordered_multimap<const void*, RequestSeries> of_requests;  // by where the route's text is

  RequestSeries& series_of(const RequestRecord& record) {
    const auto [begin, end] = of_requests.equal_range(record.route.data());
    for (auto at = begin; at != end; ++at) {
      RequestSeries& known = at->second;
      if (known.status == record.status && known.method.data() == record.method.data() &&
          known.route.size() == record.route.size()) {
        return known;
      }
    }
    const std::string route(record.route.empty() ? "none" : record.route);
    const std::string method(record.method.empty() ? "none" : record.method);
    RequestSeries made{record.method, record.route, record.status, nullptr, nullptr};
    made.count = &requests.Add(
        {{"method", method}, {"route", route}, {"status", std::to_string(record.status)}});
    made.latency = &latency.Add({{"route", route}}, kLatency);
    return of_requests.emplace(record.route.data(), made)->second;
  }
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {
  // Present from the start, so that a rate over them is defined before the first event.
  families_->leases_granted.Add({});
  for (const char* how : {"completed", "handed_back", "expired"}) {
    families_->leases_ended.Add({{"how", how}});
  }
  families_->attempts.Add({{"outcome", "ok"}});
}

Metrics::~Metrics() = default;

void Metrics::request_finished(const RequestRecord& record) {
  const std::lock_guard lock(families_->mutex);
  RequestSeries& series = families_->series_of(record);
  series.count->Increment();
  series.latency->Observe(record.seconds);
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
