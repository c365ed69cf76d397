// Publishing a policy inside a transaction: by itself, or as the end of a campaign.
#pragma once

#include "server/store/pg/pg_transaction.h"
#include "server/store/policy_store.h"

namespace hone {

// As PolicyStore::publish says. Locks the target, so that versions are given one by one.
Async<PolicyVersion> publish_in(PgTransaction& transaction, NewPolicy policy);

// The audit log's row of a publication by honed itself, as one through the API leaves it.
Async<void> log_publication_in(PgTransaction& transaction, PolicyVersion version);

// The lowest number that a target's next policy may have. Locks the target. not_found.
Async<std::int64_t> next_sequence_in(PgTransaction& transaction, std::string target);

// Columns of a PolicyVersion: SELECT ... FROM policies p and what belongs to it; append conditions.
inline constexpr const char* kSelectPolicy = R"sql(
SELECT t.name AS target, p.version, p.sequence, p.document_sha256, rfc3339(p.created_at) AS created_at,
       coalesce(k.name, 'honed') AS created_by, p.promoted, c.id AS campaign, a.id AS candidate,
       p.signature <> '' AS is_signed, p.document, p.signature
FROM policies p
JOIN targets t ON t.number = p.target
LEFT JOIN tokens k ON k.number = p.created_by
LEFT JOIN campaigns c ON c.number = p.campaign
LEFT JOIN candidates a ON a.number = p.candidate
)sql";
PolicyVersion read_policy_version(const PgRow& row);

}  // namespace hone
