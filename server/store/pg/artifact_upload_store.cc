#include "server/store/artifact_upload_store.h"

#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const std::string kColumns = "id, sha256, size_bytes, rfc3339(used_at + make_interval(secs => " +
                             std::to_string(kUploadSeconds) + ")) AS expires_at";

// One after the other: each counts what those before it began.
const PgStatement kLockToken{"upload_lock_token",
                             "SELECT number FROM tokens WHERE id = $1::uuid FOR NO KEY UPDATE",
                             Repeat::unsafe};
const PgStatement kDropOther{"upload_drop_other", R"sql(
DELETE FROM unfinished_uploads u USING tokens t
WHERE t.id = $1::uuid AND u.token = t.number AND u.sha256 = $2 AND u.size_bytes <> $3
RETURNING u.id)sql",
                             Repeat::unsafe};
// One that is under way already counts nothing and waits for nobody but its token.
const PgStatement kGoOn{"upload_go_on", R"sql(
UPDATE unfinished_uploads u SET used_at = now() FROM tokens t
WHERE t.id = $1::uuid AND u.token = t.number AND u.sha256 = $2
RETURNING u.id, u.sha256, u.size_bytes,
          rfc3339(u.used_at + make_interval(secs => $3)) AS expires_at)sql",
                        Repeat::unsafe};
// A new one is counted among those of all tokens, one after the other: taken last, and held for one
// count and one row. The key: "uplo" in ASCII.
const PgStatement kLockAll{"upload_lock_all", "SELECT pg_advisory_xact_lock(1970302063)",
                           Repeat::unsafe};
const PgStatement kBegin{"upload_begin", R"sql(
INSERT INTO unfinished_uploads (token, sha256, size_bytes)
SELECT t.number, $2::text, $3 FROM tokens t
WHERE t.id = $1::uuid
  AND (SELECT count(*) FROM unfinished_uploads u WHERE u.token = t.number) < $4
  AND (SELECT count(*) FROM unfinished_uploads) < $5
RETURNING )sql" + kColumns,
                         Repeat::unsafe};
const PgStatement kUse{"upload_use", R"sql(
UPDATE unfinished_uploads u SET used_at = now() FROM tokens t
WHERE u.id = $1::uuid AND t.id = $2::uuid AND u.token = t.number
RETURNING u.id, u.sha256, u.size_bytes,
          rfc3339(u.used_at + make_interval(secs => $3)) AS expires_at)sql",
                       Repeat::safe};
const PgStatement kRemove{"upload_remove", "DELETE FROM unfinished_uploads WHERE id = $1::uuid",
                          Repeat::safe};
const PgStatement kRemoveOutdated{
    "upload_remove_outdated",
    "DELETE FROM unfinished_uploads WHERE used_at < now() - make_interval(secs => $1) RETURNING id",
    Repeat::unsafe};
const PgStatement kWithoutUpload{"upload_without", R"sql(
SELECT given.id FROM unnest($1::uuid[]) AS given (id)
WHERE NOT EXISTS (SELECT FROM unfinished_uploads u WHERE u.id = given.id))sql",
                                 Repeat::safe};

std::vector<std::string> read_ids(const PgResult& rows) {
  std::vector<std::string> ids;
  for (int i = 0; i < rows.size(); ++i) {
    ids.push_back(rows.row(i).text("id"));
  }
  return ids;
}

UploadView read_upload(const PgRow& row) {
  return {row.text("id"), row.text("sha256"), row.integer("size_bytes"), row.text("expires_at")};
}

Async<BegunUpload> begin_in(PgTransaction& transaction, const std::string& sha256,
                            std::int64_t size_bytes, const std::string& token_id) {
  PgParams token;
  token.text(token_id);
  HONE_CO_CHECK(co_await transaction.execute(kLockToken, std::move(token)));
  PgParams other;
  other.text(token_id).text(sha256).integer(size_bytes);
  HONE_CO_TRY(const PgResult replaced, co_await transaction.execute(kDropOther, std::move(other)));
  PgParams own;
  own.text(token_id).text(sha256).integer(kUploadSeconds);
  HONE_CO_TRY(const PgResult under_way, co_await transaction.execute(kGoOn, std::move(own)));
  if (!under_way.empty()) {
    co_return BegunUpload{read_upload(under_way.first()), read_ids(replaced)};
  }
  HONE_CO_CHECK(co_await transaction.execute(kLockAll, PgParams()));
  PgParams params;
  params.text(token_id).text(sha256).integer(size_bytes);
  params.integer(kMaxUploadsPerToken).integer(kMaxUploads);
  HONE_CO_TRY(const PgResult begun, co_await transaction.execute(kBegin, std::move(params)));
  if (begun.empty()) {
    co_return fail(ErrorCode::unavailable, "too many uploads are under way: at most " +
                                               std::to_string(kMaxUploadsPerToken) +
                                               " of a token, " + std::to_string(kMaxUploads) +
                                               " in all; finish or delete one first");
  }
  co_return BegunUpload{read_upload(begun.first()), read_ids(replaced)};
}

}  // namespace

Async<BegunUpload> ArtifactUploadStore::begin(std::string sha256, std::int64_t size_bytes,
                                              std::string token_id) {
  const auto body = [&](PgTransaction& transaction) {
    return begin_in(transaction, sha256, size_bytes, token_id);
  };
  Result<BegunUpload> begun = co_await in_transaction<BegunUpload>(pool_, body);
  co_return begun;
}

Async<UploadView> ArtifactUploadStore::use(std::string id, std::string token_id) {
  if (!is_uuid(id) || !is_uuid(token_id)) {
    co_return no_such("upload", id);
  }
  PgParams params;
  params.text(id).text(token_id).integer(kUploadSeconds);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kUse, std::move(params)));
  if (found.empty()) {
    co_return no_such("upload", id);
  }
  co_return read_upload(found.first());
}

Async<void> ArtifactUploadStore::remove(std::string id) {
  PgParams params;
  params.text(id);
  HONE_CO_CHECK(co_await pool_.execute(kRemove, std::move(params)));
  co_return Result<void>();
}

Async<std::vector<std::string>> ArtifactUploadStore::remove_outdated() {
  PgParams params;
  params.integer(kUploadSeconds);
  HONE_CO_TRY(const PgResult removed, co_await pool_.execute(kRemoveOutdated, std::move(params)));
  co_return read_ids(removed);
}

Async<std::vector<std::string>> ArtifactUploadStore::without_upload(std::vector<std::string> ids) {
  std::erase_if(ids, [](const std::string& id) { return !is_uuid(id); });
  PgParams params;
  params.text_array(ids);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kWithoutUpload, std::move(params)));
  co_return read_ids(found);
}

}  // namespace hone
