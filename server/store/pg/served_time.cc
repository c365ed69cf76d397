#include "server/store/served_time.h"

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/served_gap.h"

namespace hone {
namespace {

// The row's lock comes first, so that of several honeds which notice the same gap one acts on it:
// the others then see what it noted. `away` has a row only where there is something to do.
const PgStatement kNote{"served_time_note",
                        R"sql(
WITH before AS MATERIALIZED (
  SELECT until FROM serving FOR NO KEY UPDATE
), noted AS (
  UPDATE serving SET until = now() FROM before
), away AS MATERIALIZED (
  SELECT until IS NULL AS is_first, now() < until AS was_set_back,
         coalesce(now() - until, interval '0') - )sql" +
                            std::string(kServedGap) + R"sql( AS gap,
         now() + $1::bigint * interval '1 second' AS whole
  FROM before
  WHERE until IS NULL OR now() - until > )sql" +
                            std::string(kServedGap) + R"sql(
     OR until - now() > )sql" +
                            std::string(kServedGap) + R"sql(
  LIMIT 1
)
UPDATE attempts a
SET expires_at = CASE
  WHEN away.is_first THEN greatest(a.expires_at, away.whole)
  WHEN away.was_set_back THEN least(a.expires_at, away.whole)
  ELSE greatest(a.expires_at, least(a.expires_at + away.gap, away.whole)) END
FROM away WHERE a.state = 'leased')sql",
                        Repeat::safe};

}  // namespace

Async<std::int64_t> ServedTime::note(std::int64_t lease_seconds) {
  PgParams params;
  params.integer(lease_seconds);
  HONE_CO_TRY(const PgResult changed, co_await pool_.execute(kNote, std::move(params)));
  co_return changed.affected();
}

}  // namespace hone
