#include "server/store/deployment_store.h"

#include <utility>

#include "server/store/pg/pg_pool.h"

namespace hone {
namespace {

const PgStatement kRead{"deployment_read", R"sql(
SELECT coalesce(d.artifacts_mark, '') AS mark, coalesce(d.lease_seconds, 0) AS lease_seconds,
       coalesce(s.until > now() - interval '10 seconds', false) AS served
FROM deployment d, serving s)sql",
                        Repeat::safe};
const PgStatement kReplaceMark{"deployment_replace_mark", R"sql(
UPDATE deployment SET artifacts_mark = $2 WHERE coalesce(artifacts_mark, '') = $1)sql",
                               Repeat::unsafe};
const PgStatement kSetLease{"deployment_set_lease",
                            "UPDATE deployment SET lease_seconds = $1::bigint", Repeat::safe};

}  // namespace

Async<DeploymentView> DeploymentStore::read() {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kRead, PgParams()));
  const PgRow row = found.first();
  DeploymentView view;
  view.artifacts_mark = row.text("mark");
  view.lease_seconds = row.integer("lease_seconds");
  view.served = row.truth("served");
  co_return view;
}

Async<bool> DeploymentStore::replace_mark(std::string before, std::string mark) {
  PgParams params;
  params.text(before).text(mark);
  HONE_CO_TRY(const PgResult done, co_await pool_.execute(kReplaceMark, std::move(params)));
  co_return done.affected() == 1;
}

Async<void> DeploymentStore::set_lease_seconds(std::int64_t seconds) {
  PgParams params;
  params.integer(seconds);
  HONE_CO_CHECK(co_await pool_.execute(kSetLease, std::move(params)));
  co_return Result<void>();
}

}  // namespace hone
