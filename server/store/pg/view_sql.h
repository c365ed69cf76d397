// Pieces of SQL that the views share.
#pragma once

#include <cstdint>
#include <string>

#include "server/store/pg/pg_pool.h"

namespace hone {

// json_build_object of a result's reward, or null; the alias is of results.
std::string reward_json(const std::string& alias);

// A time as columns have it, whole milliseconds since 1970: those that are over.
std::string milliseconds(const std::string& time);

// The target version's commit; null where its source is no git repository.
std::string commit_of(const std::string& version_alias);
// The metric that it is measured by.
std::string metric_of(const std::string& version_alias);

// Of running campaigns (alias c, with `finished` and `unfinished` race jobs as columns of alias
// `race`): when it will be over if it goes on like this, and which share of its budget is used.
// Both null where nothing can be said yet.
std::string estimated_end();
std::string progress();

// Whether a service (alias of services) has no error budget left, by the rule of service_budget.h.
std::string budget_is_spent_sql(const std::string& alias);

// not_found.
Async<std::int64_t> target_number(PgPool& pool, const std::string& target);

// The one value of the one row of a statement that makes JSON.
Async<std::string> one_document(PgPool& pool, const PgStatement& statement, PgParams params);

// The SELECT of a campaign's candidates with their jobs and results; $1 is the campaign's number.
// Here so that a test can ask PostgreSQL what it costs.
const std::string& campaign_candidates_sql();

}  // namespace hone
