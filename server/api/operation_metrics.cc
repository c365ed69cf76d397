#include "server/api/operation_metrics.h"

#include <string>

#include "server/store/retention_store.h"

namespace hone {
namespace {

// Seconds of one statement.
const prometheus::Histogram::BucketBoundaries kStatement{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                         0.05,   0.1,   0.25,   0.5,   1,    5};

}  // namespace

OperationMetrics::OperationMetrics(prometheus::Registry& registry)
    : claims_(add_histograms(
          registry, "hone_claim_duration_seconds",
          "What a claim of a job took in the database, whether it brought one or not")),
      queued_(add_gauges(
          registry, "hone_queued_jobs",
          "Jobs by priority, of the first 10000 in the queue's order; hone_jobs has all")),
      oldest_queued_(add_gauges(registry, "hone_queue_oldest_seconds",
                                "Age of the job that is queued the longest; 0: none is queued")),
      leases_(add_gauges(registry, "hone_leases", "Jobs that workers hold now")),
      lease_waits_(add_gauges(registry, "hone_lease_waits",
                              "Requests for a job that wait at this coordinator")),
      workers_(add_gauges(registry, "hone_workers",
                          "Workers by state: live, drained (takes no jobs), left (stopped and said "
                          "so within a day), silent (not seen for 90 s, but within a day)")),
      unfit_(add_gauges(registry, "hone_workers_unfit",
                        "Workers that are out of rotation for a target by their self-checks")),
      campaigns_(add_gauges(registry, "hone_campaigns", "Campaigns in the store, by state")),
      artifacts_(add_gauges(registry, "hone_artifacts", "Artifacts in the store")),
      artifacts_bytes_(
          add_gauges(registry, "hone_artifacts_bytes", "Bytes of all artifacts in the store")),
      streams_(add_gauges(registry, "hone_streams",
                          "Streams under way at this coordinator, by kind: events, lines")),
      sessions_(add_gauges(registry, "hone_sessions",
                           "Compile sessions that are open at this coordinator")),
      database_up_(add_gauges(
          registry, "hone_database_up",
          "1 if the database answered when last asked; else the gauges of the store are old")),
      database_bytes_(
          add_gauges(registry, "hone_database_bytes", "Size of the database on its disk")),
      disk_free_(add_gauges(registry, "hone_data_disk_free_bytes",
                            "Free on the disk of the data folder, for honed's user")),
      disk_size_(
          add_gauges(registry, "hone_data_disk_size_bytes", "Size of the disk of the data folder")),
      removed_(add_counters(
          registry, "hone_retention_removed_total",
          "Rows that were older than they are kept for and removed, by what they were")),
      retention_finished_(add_gauges(registry, "hone_retention_finished_timestamp_seconds",
                                     "When a whole pass of removal last ended well; 0: not yet")),
      differences_(add_gauges(registry, "hone_settings_differ",
                              "1 if a setting is another than that of other coordinators of the "
                              "database: artifacts, lease_seconds")) {
  // Present from the start, so that a rate over them is defined before the first event.
  claims_.Add({}, kStatement);
  for (const Retained what : kAllRetained) {
    removed_.Add({{"what", std::string(to_string(what))}});
  }
  retention_finished_.Add({});
  set_difference(false, false);
}

void OperationMetrics::set_difference(bool artifacts, bool lease_seconds) {
  set_gauge(differences_, {{"setting", "artifacts"}}, artifacts ? 1 : 0);
  set_gauge(differences_, {{"setting", "lease_seconds"}}, lease_seconds ? 1 : 0);
}

void OperationMetrics::claim_took(double seconds) {
  claims_.Add({}, kStatement).Observe(seconds);
}

void OperationMetrics::removed(std::string_view what, std::int64_t rows) {
  removed_.Add({{"what", std::string(what)}}).Increment(static_cast<double>(rows));
}

void OperationMetrics::retention_finished() {
  retention_finished_.Add({}).SetToCurrentTime();
}

void OperationMetrics::set_open(std::size_t event_streams, std::size_t line_streams,
                                std::size_t lease_waits, std::size_t sessions) {
  set_gauge(streams_, {{"kind", "events"}}, event_streams);
  set_gauge(streams_, {{"kind", "lines"}}, line_streams);
  set_gauge(lease_waits_, {}, lease_waits);
  set_gauge(sessions_, {}, sessions);
}

void OperationMetrics::set(const OperationGauges& gauges) {
  // A priority that nobody waits at any more is 0, not what it was.
  for (const std::int64_t priority : priorities_) {
    set_gauge(queued_, {{"priority", std::to_string(priority)}}, 0);
  }
  for (const auto& [priority, count] : gauges.queued_by_priority) {
    priorities_.insert(priority);
    set_gauge(queued_, {{"priority", std::to_string(priority)}}, count);
  }
  set_gauge(oldest_queued_, {}, gauges.oldest_queued_seconds);
  set_gauge(leases_, {}, gauges.leases);
  set_gauge(workers_, {{"state", "live"}}, gauges.workers_live);
  set_gauge(workers_, {{"state", "drained"}}, gauges.workers_drained);
  set_gauge(workers_, {{"state", "left"}}, gauges.workers_left);
  set_gauge(workers_, {{"state", "silent"}}, gauges.workers_silent);
  set_gauge(unfit_, {}, gauges.workers_unfit);
  for (const auto& [state, count] : gauges.campaigns) {
    set_gauge(campaigns_, {{"state", state}}, count);
  }
  set_gauge(artifacts_, {}, gauges.artifacts);
  set_gauge(artifacts_bytes_, {}, gauges.artifact_bytes);
  set_gauge(database_bytes_, {}, gauges.database_bytes);
}

void OperationMetrics::set_database_up(bool up) {
  set_gauge(database_up_, {}, up ? 1 : 0);
}

void OperationMetrics::set_disk(const DiskSpace& space) {
  set_gauge(disk_free_, {}, space.free_bytes);
  set_gauge(disk_size_, {}, space.total_bytes);
}

}  // namespace hone
