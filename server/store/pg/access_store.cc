#include "server/store/access_store.h"

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kOfJob{"access_of_job", R"sql(
SELECT t.name FROM jobs j JOIN targets t ON t.number = j.target WHERE j.id = $1::uuid)sql",
                         Repeat::safe};
const PgStatement kOfCampaign{"access_of_campaign", R"sql(
SELECT t.name FROM campaigns c JOIN targets t ON t.number = c.target WHERE c.id = $1::uuid)sql",
                              Repeat::safe};
const PgStatement kOfCandidate{"access_of_candidate", R"sql(
SELECT t.name FROM candidates k JOIN campaigns c ON c.number = k.campaign
JOIN targets t ON t.number = c.target WHERE k.id = $1::uuid)sql",
                               Repeat::safe};
const PgStatement kOfAttempt{"access_of_attempt", R"sql(
SELECT t.name FROM attempts a JOIN jobs j ON j.number = a.job
JOIN targets t ON t.number = j.target WHERE a.id = $1::uuid)sql",
                             Repeat::safe};

const PgStatement kOfCanary{"access_of_canary", R"sql(
SELECT t.name FROM canaries c JOIN targets t ON t.number = c.target WHERE c.id = $1::uuid)sql",
                            Repeat::safe};

const PgStatement kVisibleJobs{"access_visible_jobs", R"sql(
SELECT j.id FROM unnest($1::text[]) AS wanted (id)
JOIN jobs j ON j.id = wanted.id::uuid
JOIN targets t ON t.number = j.target
WHERE $2::text[] IS NULL OR t.name = ANY ($2::text[]))sql",
                               Repeat::safe};

const PgStatement kMayRead{"access_may_read_artifact",
                           "SELECT may_read_artifact($1, $2::uuid, $3::text[]) AS may",
                           Repeat::safe};

const PgStatement& statement_of(OwnedThing thing) {
  switch (thing) {
    case OwnedThing::job:
      return kOfJob;
    case OwnedThing::campaign:
      return kOfCampaign;
    case OwnedThing::candidate:
      return kOfCandidate;
    case OwnedThing::canary:
      return kOfCanary;
    case OwnedThing::attempt:
      break;
  }
  return kOfAttempt;
}

}  // namespace

Async<std::optional<std::string>> AccessStore::target_of(OwnedThing thing, std::string id) {
  std::optional<std::string> target;
  if (!is_uuid(id)) {
    co_return target;
  }
  PgParams params;
  params.text(id);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement_of(thing), std::move(params)));
  if (!found.empty()) {
    target = found.first().text("name");
  }
  co_return target;
}

Async<std::vector<std::string>> AccessStore::visible_jobs(std::vector<std::string> ids,
                                                          Reader reader) {
  PgParams params;
  params.text_array(ids).text_array(reader.targets);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kVisibleJobs, std::move(params)));
  std::vector<std::string> visible;
  for (int i = 0; i < found.size(); ++i) {
    visible.push_back(found.row(i).text("id"));
  }
  co_return visible;
}

Async<bool> AccessStore::may_read_artifact(std::string sha256, Reader reader) {
  if (!reader.targets) {
    co_return true;
  }
  PgParams params;
  params.text(sha256).text_or_null(reader.token).text_array(reader.targets);
  HONE_CO_TRY(const PgResult answer, co_await pool_.execute(kMayRead, std::move(params)));
  co_return answer.first().truth("may");
}

}  // namespace hone
