// Canaries as several store classes read them.
#pragma once

#include <string>

#include "common/protocol/canary.h"
#include "server/store/pg/pg_transaction.h"

namespace hone {

// Columns of a CanaryView: SELECT ... FROM canaries c and what belongs to it (targets t); append
// conditions.
inline constexpr const char* kSelectCanary = R"sql(
SELECT c.number, c.id, c.spec, c.service, c.state, c.step, c.step_windows, c.lost_windows, c.share,
       c.reason, c.cause, c.follows, c.revision, c.judgement, c.budget, k.name AS created_by,
       (SELECT count(*) FROM canary_windows w WHERE w.canary = c.number) AS windows,
       EXISTS (SELECT FROM canaries n WHERE n.target = c.target AND n.number > c.number) AS superseded,
       rfc3339(c.created_at) AS created_at, rfc3339(c.ended_at) AS ended_at, c.known_good,
       (SELECT f.version FROM policies f WHERE f.target = c.target AND f.promoted) AS in_force,
       g.id AS campaign, a.id AS candidate, a.log_propensity,
       (SELECT e.line FROM experiences e WHERE e.canary = c.number) AS experience
FROM canaries c JOIN targets t ON t.number = c.target
JOIN policies p ON p.target = c.target AND p.version = c.policy_version
LEFT JOIN campaigns g ON g.number = p.campaign LEFT JOIN candidates a ON a.number = p.candidate
LEFT JOIN tokens k ON k.number = c.created_by
)sql";
const PgStatement& find_canary_statement();  // by its id
CanaryView read_canary(const PgRow& row);
// A document of jsonb; null where there is none.
Json json_or_null(const PgRow& row, const char* column);

// A canary, locked for the rest of the transaction.
struct LockedCanary {
  std::int64_t number = 0;
  CanaryView view;
};
// not_found.
Async<LockedCanary> lock_canary(PgTransaction& transaction, std::string id);
// One that is there.
Async<CanaryView> find_canary_in(PgTransaction& transaction, std::string id);

}  // namespace hone
