#include "server/store/pg/source_profiles.h"

#include <nlohmann/json.hpp>

namespace hone {
namespace {

const PgStatement kAdd{"source_profile_add", R"sql(
INSERT INTO source_profiles AS p (target, target_version, worker, attempt, why_none, files)
SELECT j.target, j.target_version, a.worker, a.number, $2, $3::jsonb -> 'files'
FROM attempts a JOIN jobs j ON j.number = a.job
WHERE a.number = $1
ON CONFLICT (target, target_version, worker) DO UPDATE
SET attempt = excluded.attempt, why_none = excluded.why_none, files = excluded.files,
    measured_at = excluded.measured_at
WHERE p.why_none IS NOT NULL)sql",
                       Repeat::unsafe};

}  // namespace

Async<void> add_source_profile(PgTransaction& transaction, const LockedAttempt& attempt,
                               const SourceProfile& profile) {
  PgParams row;
  row.integer(attempt.number).text_or_null(profile.why_none).json(to_json(profile));
  HONE_CO_CHECK(co_await transaction.execute(kAdd, std::move(row)));
  co_return Result<void>();
}

}  // namespace hone
