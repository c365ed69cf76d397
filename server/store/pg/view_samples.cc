// ViewStore: all samples of a target, for a file.

#include <algorithm>

#include "server/store/pg/result_table.h"
#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

// Of a page.
constexpr std::int64_t kSampleRows = 10'000;

const PgStatement kSamples{"view_samples",
                           "SELECT " + milliseconds("s.at") +
                               R"sql( AS at, j.id AS job, w.name AS worker, s.stage, s.baseline,
       s.target_version AS version, m.metric, m.input, m.pair, m.position, m.block, m.layout, m.role,
       m.value, s.attempt
FROM (
  SELECT DISTINCT ON (attempt) * FROM result_summaries
  WHERE target = $1 AND attempt >= $2 AND at >= to_timestamp($3::double precision / 1000)
    AND at < to_timestamp(($4::double precision + 1) / 1000)
  ORDER BY attempt LIMIT $5) AS s
JOIN attempts a ON a.number = s.attempt
JOIN jobs j ON j.number = a.job
JOIN workers w ON w.number = s.worker
JOIN measurements m ON m.attempt = s.attempt
ORDER BY s.attempt, m.number)sql",
                           Repeat::safe, Planning::each_time};

const PgStatement kSpan{"view_samples_span", R"sql(
SELECT count(*) AS results, coalesce(sum(samples), 0) AS samples
FROM (SELECT samples FROM result_summaries WHERE target = $1 ORDER BY at DESC LIMIT 100) AS newest)sql",
                        Repeat::safe, Planning::each_time};

}  // namespace

Async<SamplePage> ViewStore::samples(HistoryQuery range, std::int64_t first_attempt) {
  Result<std::int64_t> number = co_await target_number(pool_, range.target);
  HONE_CO_CHECK(number);
  PgParams of_target;
  of_target.integer(*number);
  HONE_CO_TRY(const PgResult span, co_await pool_.execute(kSpan, of_target));
  // As many results as some ten thousand samples are, by what the newest have.
  const std::int64_t some = std::max<std::int64_t>(span.first().integer("results"), 1);
  const std::int64_t samples = std::max<std::int64_t>(span.first().integer("samples"), 1);
  of_target.integer(first_attempt);
  of_target.integer(range.from.value_or(0)).integer(range.to.value_or(253'402'300'799'000));
  of_target.integer(std::max<std::int64_t>(kSampleRows * some / samples, 1));
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kSamples, std::move(of_target)));
  SamplePage page;
  const int shown = found.columns() - 1;  // the last is our own number of the attempt
  page.header = csv_header(found, shown);
  if (!found.empty()) {
    page.lines = csv_rows(found, shown);
    page.next_attempt = found.row(found.size() - 1).integer("attempt") + 1;
  }
  co_return page;
}

}  // namespace hone
