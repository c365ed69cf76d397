// ViewStore: a target's history, one series of it.
//
// A series is what can be compared: one metric, one kind of baseline, one worker. Its results are
// read from result_summaries along an index; where they are more than the points that were asked
// for, PostgreSQL makes buckets of equal time of them, from whole hours where these are narrow
// enough. So a request costs what it shows, not what there is. Change points are found in what is
// shown.

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/stats/change_points.h"
#include "server/store/pg/history_rows.h"
#include "server/store/pg/records.h"
#include "server/store/pg/result_table.h"
#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

// Where PELT may become quadratic, a series is merged to so many points first.
constexpr std::size_t kPeltPoints = 2'000;
// Below a thousandth no level is told from another: machines drift more than that.
constexpr double kSmallestChange = 0.001;
// Each row then names its job.
constexpr std::int64_t kNamedRows = 2'000;
// With more rows than that, only what a line is drawn from.
constexpr std::int64_t kWideRows = 20'000;
constexpr std::int64_t kHour = 3'600'000;

const PgStatement kSeries{"view_history_series",
                          R"sql(
SELECT s.metric, s.baseline, s.worker, w.name, s.results, )sql" +
                              milliseconds("s.first") + " AS first, " + milliseconds("s.last") +
                              R"sql( AS last
FROM (SELECT metric, baseline, worker, sum(results)::bigint AS results, min(first_at) AS first,
             max(last_at) AS last
      FROM history_hours WHERE target = $1
      GROUP BY metric, baseline, worker) AS s
JOIN workers w ON w.number = s.worker
ORDER BY s.results DESC, s.last DESC)sql",
                          Repeat::safe, Planning::each_time};

// $1 target, $2 metric, $3 baseline, $4 worker, $5 from, $6 to, $7 stage or null.
const std::string kOfSeries = R"sql(
FROM result_summaries s
WHERE s.target = $1 AND s.metric = $2::metric AND s.baseline = $3::baseline_kind AND s.worker = $4
  AND s.at >= to_timestamp($5::double precision / 1000)
  AND s.at < to_timestamp(($6::double precision + 1) / 1000)
  AND ($7::stage IS NULL OR s.stage = $7::stage))sql";

const PgStatement kCount{"view_history_count", "SELECT count(*) AS total" + kOfSeries, Repeat::safe,
                         Planning::each_time};

// The same of whole hours.
const std::string kHours = R"sql(
FROM history_hours h
WHERE h.target = $1 AND h.metric = $2::metric AND h.baseline = $3::baseline_kind AND h.worker = $4
  AND h.hour >= date_trunc('hour', to_timestamp($5::double precision / 1000), 'UTC')
  AND h.hour < to_timestamp(($6::double precision + 1) / 1000)
  AND ($7::stage IS NULL OR h.stage = $7::stage))sql";

const PgStatement kCountHours{"view_history_count_hours",
                              "SELECT coalesce(sum(h.results), 0)::bigint AS total" + kHours,
                              Repeat::safe, Planning::each_time};

const std::string kRows =
    "SELECT " + milliseconds("s.at") +
    R"sql( AS at, 1 AS count, s.target_version AS version, s.baseline_value::real AS baseline,
       s.baseline_low::real AS baseline_low, s.baseline_high::real AS baseline_high,
       s.candidate_value::real AS candidate, s.candidate_low::real AS candidate_low,
       s.candidate_high::real AS candidate_high, s.reward::real AS reward,
       s.reward_low::real AS reward_low, s.reward_high::real AS reward_high)sql";

const PgStatement kUnnamed{"view_history_rows",
                           kRows + kOfSeries + " ORDER BY s.at, s.attempt LIMIT $8", Repeat::safe,
                           Planning::each_time};
const PgStatement kNamed{"view_history_named",
                         kRows +
                             R"sql(, (SELECT j.id FROM attempts a JOIN jobs j ON j.number = a.job
        WHERE a.number = s.attempt) AS job, s.verdict, s.stage)sql" +
                             kOfSeries + " ORDER BY s.at, s.attempt LIMIT $8",
                         Repeat::safe, Planning::each_time};

// $8 buckets over the range, of `at` in milliseconds.
const std::string kBucketOf = R"sql(
floor((shown.at - $5::double precision) * $8::double precision
      / ($6::double precision - $5::double precision + 1)))sql";

const PgStatement kBuckets{"view_history_buckets",
                           R"sql(
SELECT floor(min(at))::bigint AS at, count(*) AS count, max(version) AS version,
       avg(baseline)::real AS baseline, min(baseline)::real AS baseline_low,
       max(baseline)::real AS baseline_high, avg(candidate)::real AS candidate,
       min(candidate)::real AS candidate_low, max(candidate)::real AS candidate_high,
       avg(reward)::real AS reward, min(reward)::real AS reward_low, max(reward)::real AS reward_high
FROM (
  SELECT date_part('epoch', s.at) * 1000 AS at, s.target_version AS version,
         s.baseline_value AS baseline, s.candidate_value AS candidate, s.reward)sql" +
                               kOfSeries + ") AS shown GROUP BY " + kBucketOf + " ORDER BY 1",
                           Repeat::safe, Planning::each_time};

const PgStatement kHourBuckets{"view_history_hours",
                               R"sql(
SELECT floor(min(at))::bigint AS at, sum(results)::bigint AS count, max(version) AS version,
       (sum(baseline_sum) / nullif(sum(baselines), 0))::real AS baseline,
       min(baseline_min)::real AS baseline_low, max(baseline_max)::real AS baseline_high,
       (sum(candidate_sum) / nullif(sum(candidates), 0))::real AS candidate,
       min(candidate_min)::real AS candidate_low, max(candidate_max)::real AS candidate_high,
       (sum(reward_sum) / nullif(sum(rewards), 0))::real AS reward,
       min(reward_min)::real AS reward_low, max(reward_max)::real AS reward_high
FROM (
  SELECT date_part('epoch', h.first_at) * 1000 AS at, h.target_version AS version,
         h.results::double precision, h.baselines::double precision, h.baseline_sum,
         h.baseline_min, h.baseline_max, h.candidates::double precision, h.candidate_sum,
         h.candidate_min, h.candidate_max, h.rewards::double precision, h.reward_sum, h.reward_min,
         h.reward_max)sql" + kHours +
                                   ") AS shown GROUP BY " + kBucketOf + " ORDER BY 1",
                               Repeat::safe, Planning::each_time};

const PgStatement kVersions{"view_history_versions",
                            "SELECT coalesce(json_agg(json_build_object('version', v.version, "
                            "'at', " +
                                milliseconds("v.created_at") + ", 'commit', " + commit_of("v") +
                                R"sql(, 'artifact', nullif(v.spec #>> '{source,artifact}', ''))
       ORDER BY v.version), '[]')
FROM (SELECT * FROM target_versions WHERE target = $1 ORDER BY version DESC LIMIT 1000) AS v)sql",
                            Repeat::safe, Planning::each_time};

const PgStatement kCampaigns{"view_history_campaigns",
                             "SELECT coalesce(json_agg(json_build_object('id', c.id, 'at', " +
                                 milliseconds("c.finished_at") +
                                 R"sql(, 'state', c.state, 'reward', r.reward,
         'low', r.reward_low, 'high', r.reward_high, 'policy_version', c.policy_version)
       ORDER BY c.finished_at), '[]')
FROM (SELECT * FROM campaigns WHERE target = $1 AND finished_at IS NOT NULL
      ORDER BY finished_at DESC LIMIT 500) AS c
LEFT JOIN jobs j ON j.candidate = c.winner AND j.stage = 'confirm'
LEFT JOIN results r ON r.job = j.number)sql",
                             Repeat::safe, Planning::each_time};

// The unit of a metric's values, for people.
std::string_view unit_of(std::string_view metric) {
  if (metric == "cpu_time" || metric == "wall_time" || metric == "compile_time") {
    return "seconds";
  }
  if (metric == "energy") {
    return "joules";
  }
  if (metric.ends_with("_bytes")) {
    return "bytes";
  }
  return metric == "printed" ? "" : metric == "cycles" ? "cycles" : "instructions";
}

// What change points are looked for in: a column, with how many results each value stands for.
class Levels {
 public:
  enum class Scale { linear, logarithm };
  Levels(const char* name, Scale scale) : name_(name), scale_(scale) {}

  void add(std::int64_t at, std::int64_t version, double value, double count) {
    if (!std::isfinite(value) || (scale_ == Scale::logarithm && value <= 0)) {
      return;
    }
    series_.push_back({scale_ == Scale::logarithm ? std::log(value) : value, count});
    at_.push_back(at);
    version_.push_back(version);
  }

  void append_changes(Json& changes) const {
    const MergedPoints merged = merge_points(series_, kPeltPoints);
    for (const ChangePoint& change :
         change_points(merged.points, {.min_change = kSmallestChange})) {
      const std::size_t first = merged.firsts[change.index];
      changes.push_back({{"of", name_},
                         {"at", at_[first]},
                         {"not_before", at_[first - 1]},
                         {"before", level(change.before)},
                         {"after", level(change.after)},
                         {"change", change.after - change.before},
                         {"version", version_[first]}});
    }
  }

 private:
  double level(double value) const { return scale_ == Scale::logarithm ? std::exp(value) : value; }

  const char* name_;
  Scale scale_;
  std::vector<SeriesPoint> series_;
  std::vector<std::int64_t> at_;
  std::vector<std::int64_t> version_;
};

void append_changes(Json& changes, const PgResult& points) {
  Levels baseline("baseline", Levels::Scale::logarithm);
  Levels reward("reward", Levels::Scale::linear);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < points.size(); ++i) {
    const PgRow row = points.row(i);
    const std::int64_t at = row.integer("at");
    const std::int64_t version = row.integer("version");
    const double count = row.number("count");
    baseline.add(at, version, row.optional_number("baseline").value_or(kNone), count);
    reward.add(at, version, row.optional_number("reward").value_or(kNone), count);
  }
  baseline.append_changes(changes);
  reward.append_changes(changes);
}

void append_changes(Json& changes, const HistoryRows& rows) {
  Levels baseline("baseline", Levels::Scale::logarithm);
  Levels reward("reward", Levels::Scale::linear);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    baseline.add(rows.at[i], rows.version[i], static_cast<double>(rows.baseline[i]), 1);
    reward.add(rows.at[i], rows.version[i], static_cast<double>(rows.reward[i]), 1);
  }
  baseline.append_changes(changes);
  reward.append_changes(changes);
}

struct Chosen {
  std::string metric;
  std::string baseline;
  std::int64_t worker = 0;
  std::string worker_name;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The first series, the one with most results, that the query fits.
std::optional<Chosen> choose(const PgResult& series, const HistoryQuery& query) {
  for (int i = 0; i < series.size(); ++i) {
    const PgRow row = series.row(i);
    if ((query.metric && to_string(*query.metric) != row.view("metric")) ||
        (query.baseline && to_string(*query.baseline) != row.view("baseline")) ||
        (query.worker && *query.worker != row.view("name"))) {
      continue;
    }
    return Chosen{row.text("metric"), row.text("baseline"), row.integer("worker"),
                  row.text("name"),   row.integer("first"), row.integer("last")};
  }
  return std::nullopt;
}

// What a chart of very many shows; a file has the rest. Only values of closed sets and numbers go
// into the text.
std::string narrow_rows(std::int64_t target, const Chosen& of, std::int64_t from, std::int64_t to,
                        const HistoryQuery& query) {
  std::string stage;
  if (query.stage) {
    stage = fmt::format(" AND s.stage = '{}'", to_string(*query.stage));
  }
  return fmt::format(R"sql(
SELECT s.at, s.target_version, s.baseline_value::real, s.candidate_value::real, s.reward::real
FROM result_summaries s
WHERE s.target = {} AND s.metric = '{}' AND s.baseline = '{}' AND s.worker = {}
  AND s.at >= to_timestamp({}::double precision / 1000)
  AND s.at < to_timestamp(({}::double precision + 1) / 1000){}
ORDER BY s.at, s.attempt LIMIT {})sql",
                     target, of.metric, of.baseline, of.worker, from, to, stage, query.points);
}

Json series_json(const PgResult& series) {
  Json list = Json::array();
  for (int i = 0; i < series.size(); ++i) {
    const PgRow row = series.row(i);
    list.push_back({{"metric", row.text("metric")},
                    {"baseline", row.text("baseline")},
                    {"worker", row.text("name")},
                    {"results", row.integer("results")},
                    {"from", row.integer("first")},
                    {"to", row.integer("last")}});
  }
  return list;
}

constexpr const char* kNoPoints =
    R"({"rows":0,"columns":{"at":[],"count":[],"version":[],"baseline":[],"baseline_low":[],)"
    R"("baseline_high":[],"candidate":[],"candidate_low":[],"candidate_high":[],"reward":[],)"
    R"("reward_low":[],"reward_high":[]}})";

}  // namespace

Async<std::string> ViewStore::history(HistoryQuery query) {
  Result<std::int64_t> number = co_await target_number(pool_, query.target);
  HONE_CO_CHECK(number);
  PgParams of_target;
  of_target.integer(*number);
  HONE_CO_TRY(const PgResult series, co_await pool_.execute(kSeries, of_target));
  Result<std::string> versions = co_await one_document(pool_, kVersions, of_target);
  HONE_CO_CHECK(versions);
  Result<std::string> campaigns = co_await one_document(pool_, kCampaigns, std::move(of_target));
  HONE_CO_CHECK(campaigns);
  const std::optional<Chosen> chosen = choose(series, query);
  Json head{{"target", query.target},
            {"series", series_json(series)},
            {"stage", query.stage ? Json(to_string(*query.stage)) : Json()},
            {"metric", chosen ? Json(chosen->metric) : Json()},
            {"unit", chosen ? Json(unit_of(chosen->metric)) : Json()},
            {"baseline", chosen ? Json(chosen->baseline) : Json()},
            {"worker", chosen ? Json(chosen->worker_name) : Json()},
            {"from", Json()},
            {"to", Json()},
            {"total", 0},
            {"bucketed", false},
            {"changes", Json::array()}};
  std::string points = kNoPoints;
  std::int64_t shown = 0;
  if (chosen) {
    const std::int64_t from = query.from.value_or(chosen->from);
    const std::int64_t to = query.to.value_or(chosen->to);
    PgParams range;
    range.integer(*number).text(chosen->metric).text(chosen->baseline).integer(chosen->worker);
    range.integer(from).integer(to);
    range.text_or_null(query.stage ? to_string(*query.stage) : "");
    // Hours in their buckets, where a bucket holds at least one: a few results at the ends may then
    // lie outside of the range.
    const bool by_hour = (to - from) / kHour >= query.points;
    HONE_CO_TRY(const PgResult counted,
                co_await pool_.execute(by_hour ? kCountHours : kCount, range));
    const std::int64_t total = counted.first().integer("total");
    const bool bucketed = total > query.points;
    range.integer(query.points);
    if (!bucketed && total > kWideRows && query.detail == HistoryDetail::chart) {
      const std::string select = narrow_rows(*number, *chosen, from, to, query);
      Result<HistoryRows> read = co_await read_history_rows(pool_, select);
      HONE_CO_TRY(const HistoryRows rows, std::move(read));
      points = columns_json(rows);
      append_changes(head["changes"], rows);
      shown = static_cast<std::int64_t>(rows.size());
    } else {
      const bool named = total <= kNamedRows || query.detail == HistoryDetail::all;
      const PgStatement& rows = named ? kNamed : kUnnamed;
      const PgStatement& statement = !bucketed ? rows : by_hour ? kHourBuckets : kBuckets;
      HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(range)));
      points = columns_json(found);
      append_changes(head["changes"], found);
      shown = found.size();
    }
    head["from"] = from;
    head["to"] = to;
    head["total"] = bucketed ? total : shown;
    head["bucketed"] = bucketed;
  }
  std::string document = dump_json(head);
  document.pop_back();
  document +=
      ",\"points\":" + points + ",\"versions\":" + *versions + ",\"campaigns\":" + *campaigns + "}";
  co_return document;
}

}  // namespace hone
