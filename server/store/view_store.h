// What the dashboard shows, joined from the other tables: one answer a view, as JSON text, since
// nothing of it is looked at on its way. server/api/openapi.json describes the forms.
//
// Nothing is changed here. Each answer is a few statements, not one snapshot: a job may end between
// two of them. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/protocol/canary.h"
#include "common/protocol/values.h"
#include "server/store/async.h"
#include "server/store/reader.h"

namespace hone {

inline constexpr std::int64_t kMinHistoryPoints = 100;
inline constexpr std::int64_t kMaxHistoryPoints = 100'000;
inline constexpr std::int64_t kDefaultHistoryPoints = 2'000;
// What a download of a history holds at most.
inline constexpr std::int64_t kAllHistoryPoints = 1'000'000;

// Of many single results a chart gets what it draws, a file everything.
enum class HistoryDetail { chart, all };

// Times are milliseconds since 1970.
struct HistoryQuery {
  std::string target;                           // name
  std::optional<std::int64_t> from;             // absent: the first result
  std::optional<std::int64_t> to;               // absent: the last; both ends count
  std::int64_t points = kDefaultHistoryPoints;  // more results than that come in buckets
  std::optional<Metric> metric;          // absent, likewise baseline and worker: those of the
  std::optional<BaselineKind> baseline;  // series with the most results
  std::optional<std::string> worker;
  std::optional<Stage> stage;  // absent: both
  HistoryDetail detail = HistoryDetail::chart;
};

// Which canaries; absent: all.
struct CanaryQuery {
  std::optional<std::string> target;  // name
  std::optional<CanaryState> state;
};

// A page of raw samples as CSV lines.
struct SamplePage {
  std::string header;
  std::string lines;  // empty: there are no more
  std::int64_t next_attempt = 0;
};

class ViewStore {
 public:
  explicit ViewStore(PgPool& pool) : pool_(pool) {}

  // Of what the reader sees; the fleet is everybody's, but for what its workers do.
  Async<std::string> overview(Reader reader = {});
  // All candidates, or those of which something came after `since` (milliseconds). not_found.
  Async<std::string> campaign(std::string id, std::optional<std::int64_t> since);
  // What a job measured, beside what it is to be compared with; `job` is the id of one that exists
  // (JobStore::find) and its JSON. not_found.
  Async<std::string> comparison(std::string id, std::string job_json);
  // The id of a candidate's job: of that stage, or its confirm job if that is done, else its race
  // job. not_found for the candidate, and where it has no such job.
  Async<std::string> job_of_candidate(std::string candidate, std::optional<Stage> stage);
  // not_found for the target and the worker.
  Async<std::string> history(HistoryQuery query);
  // The samples of a target's results in a range of time, from `first_attempt` on, some ten
  // thousand at a time. not_found.
  Async<SamplePage> samples(HistoryQuery range, std::int64_t first_attempt);
  Async<std::string> fleet(Reader reader = {});
  Async<std::string> policies(Reader reader = {});
  // Versions of a target's policy; what differs between two of them if both are given. not_found.
  Async<std::string> policy(std::string target, std::optional<std::int64_t> from,
                            std::optional<std::int64_t> to);
  // The newest 200 canaries, and every service with its error budget.
  Async<std::string> canaries(CanaryQuery query, Reader reader = {});
  // What a canary is joined with: its policy and what it taught; `id` is of one that exists
  // (CanaryStore::find).
  Async<std::string> canary(std::string id);
  // Programs that logged sessions worked on and, of one of them, the tree of what was tried: the
  // members of an object, without its braces. not_found for a program that was never logged.
  Async<std::string> explorer(std::optional<std::string> program, Reader reader = {});

 private:
  PgPool& pool_;
};

}  // namespace hone
