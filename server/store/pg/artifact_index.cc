#include "server/store/artifact_index.h"

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kAdd{"artifact_add", R"sql(
WITH by AS (
  SELECT number FROM tokens WHERE id = $3::uuid
), added AS (
  INSERT INTO artifacts (sha256, size_bytes, created_by)
  VALUES ($1, $2, (SELECT number FROM by))
  ON CONFLICT (sha256) DO NOTHING
  RETURNING sha256
), uploaded AS (
  INSERT INTO artifact_uploads (artifact, token) SELECT $1, number FROM by
  ON CONFLICT (artifact, token) DO NOTHING
  RETURNING artifact
)
SELECT sha256 FROM added UNION SELECT artifact FROM uploaded)sql",
                       Repeat::safe};

const PgStatement kFind{"artifact_find",
                        "SELECT sha256, size_bytes, rfc3339(created_at) AS created_at "
                        "FROM artifacts WHERE sha256 = $1",
                        Repeat::safe};

}  // namespace

Async<bool> ArtifactIndex::add(std::string sha256, std::int64_t size_bytes,
                               std::string created_by) {
  PgParams params;
  params.text(sha256).integer(size_bytes).text_or_null(created_by);
  HONE_CO_TRY(const PgResult added, co_await pool_.execute(kAdd, std::move(params)));
  co_return !added.empty();
}

Async<ArtifactView> ArtifactIndex::find(std::string sha256) {
  PgParams params;
  params.text(sha256);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, std::move(params)));
  if (found.empty()) {
    co_return no_such("artifact", sha256);
  }
  ArtifactView view;
  view.sha256 = found.first().text("sha256");
  view.size_bytes = found.first().integer("size_bytes");
  view.created_at = found.first().text("created_at");
  co_return view;
}

}  // namespace hone
