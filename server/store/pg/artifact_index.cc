#include "server/store/artifact_index.h"

#include "common/base/log.h"
#include "server/store/pg/pg_pool.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const std::string kColumns = "sha256, size_bytes, rfc3339(created_at) AS created_at";

// Within a minute of the last use nothing is written: a collection looks at days.
const PgStatement kFind{"artifact_find",
                        "SELECT " + kColumns +
                            ", used_at > now() - interval '1 minute' AS recent "
                            "FROM artifacts WHERE sha256 = $1 AND state = 'kept'",
                        Repeat::safe};
// Meets a collection's mark at the row's lock: one of the two finds that the other was first.
const PgStatement kTouch{"artifact_touch",
                         "UPDATE artifacts SET used_at = now() "
                         "WHERE sha256 = $1 AND state = 'kept'",
                         Repeat::safe};

const PgStatement kBeginStoring{"artifact_begin_storing", R"sql(
INSERT INTO artifacts (sha256, size_bytes, created_by, state)
VALUES ($1, $2, (SELECT number FROM tokens WHERE id = $3::uuid), 'storing')
ON CONFLICT (sha256) DO UPDATE
SET used_at = now(), size_bytes = excluded.size_bytes, removing_until = NULL,
    state = CASE artifacts.state WHEN 'kept' THEN artifacts.state ELSE 'storing' END
WHERE artifacts.state <> 'deleting' OR artifacts.removing_until IS NULL
   OR artifacts.removing_until <= now())sql",
                                Repeat::safe};
const PgStatement kStored{"artifact_stored", R"sql(
WITH before AS (
  SELECT sha256, state FROM artifacts WHERE sha256 = $1 AND state <> 'deleting' FOR UPDATE
), sent AS (
  INSERT INTO artifact_uploads (artifact, token)
  SELECT b.sha256, t.number FROM before b, tokens t WHERE t.id = $2::uuid
  ON CONFLICT (artifact, token) DO NOTHING
  RETURNING artifact
)
UPDATE artifacts a SET state = 'kept', used_at = now()
FROM before b WHERE a.sha256 = b.sha256
RETURNING b.state = 'storing' OR EXISTS (SELECT FROM sent) AS is_new)sql",
                          Repeat::safe};

// Of artifacts (as a). A state that a crash left behind ages like any other, and is left alone for
// as long as what was under way then may still happen.
const std::string kUnneeded = R"sql(
  a.used_at < now() - make_interval(secs => $1)
  AND (a.removing_until IS NULL OR a.removing_until <= now())
  AND (a.state = 'deleting'
       OR NOT EXISTS (SELECT FROM artifact_references r WHERE r.sha256 = a.sha256)))sql";

const PgStatement kCount{"artifact_count_unneeded",
                         "SELECT count(*) AS artifacts, coalesce(sum(a.size_bytes), 0)::bigint AS "
                         "bytes FROM artifacts a WHERE" +
                             kUnneeded,
                         Repeat::safe};
const PgStatement kMark{"artifact_mark_unneeded",
                        R"sql(
UPDATE artifacts SET state = 'deleting' WHERE sha256 = (
  SELECT a.sha256 FROM artifacts a WHERE)sql" +
                            kUnneeded + R"sql(
    AND a.sha256 <> ALL ($2::text[])
  ORDER BY a.used_at LIMIT 1 FOR UPDATE OF a SKIP LOCKED)
RETURNING )sql" + kColumns,
                        Repeat::safe};

// Committed before the file is touched. Who waits here for another's lock finds his fence.
const PgStatement kFence{"artifact_fence", R"sql(
UPDATE artifacts SET removing_until = now() + make_interval(secs => $2)
WHERE sha256 = $1 AND state = 'deleting' AND (removing_until IS NULL OR removing_until <= now())
RETURNING removing_until::text AS fence)sql",
                         Repeat::unsafe};
const PgStatement kLockMarked{"artifact_lock_marked", R"sql(
SELECT EXISTS (SELECT FROM artifact_references r WHERE r.sha256 = a.sha256) AS needed
FROM artifacts a
WHERE a.sha256 = $1 AND a.state = 'deleting' AND a.removing_until = $2::timestamptz
FOR UPDATE OF a)sql",
                              Repeat::unsafe};
const PgStatement kUnmark{
    "artifact_unmark",
    "UPDATE artifacts SET state = 'kept', used_at = now(), removing_until = NULL WHERE sha256 = $1",
    Repeat::unsafe};
const PgStatement kRemove{"artifact_remove", "DELETE FROM artifacts WHERE sha256 = $1",
                          Repeat::unsafe};

ArtifactView read_artifact(const PgRow& row) {
  ArtifactView view;
  view.sha256 = row.text("sha256");
  view.size_bytes = row.integer("size_bytes");
  view.created_at = row.text("created_at");
  return view;
}

PgParams only(const std::string& sha256) {
  PgParams params;
  params.text(sha256);
  return params;
}

// What a removal goes by: its own fence, and when it must have touched the file for the last time.
struct Removal {
  std::string fence;
  std::chrono::steady_clock::time_point until;
};

// May run again after its connection was lost: the fence is still this removal's.
Async<bool> remove_in(PgTransaction& transaction, const std::string& sha256, const Removal& removal,
                      const RemoveFile& remove_file) {
  PgParams marked;
  marked.text(sha256).text(removal.fence);
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kLockMarked, std::move(marked)));
  if (locked.empty()) {
    co_return false;
  }
  if (locked.first().truth("needed")) {
    // Referred to between mark and removal, by a coordinator that knows no marks.
    HONE_CO_CHECK(co_await transaction.execute(kUnmark, only(sha256)));
    co_return false;
  }
  Async<void> removing = remove_file(removal.until);
  const Result<void> removed = co_await std::move(removing);
  HONE_CO_CHECK(removed);
  HONE_CO_CHECK(co_await transaction.execute(kRemove, only(sha256)));
  co_return true;
}

}  // namespace

Async<ArtifactView> ArtifactIndex::use(std::string sha256) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, only(sha256)));
  if (found.empty()) {
    co_return no_such("artifact", sha256);
  }
  if (!found.first().truth("recent")) {
    const PgOutcome<PgResult> touched = co_await pool_.execute(kTouch, only(sha256));
    if (touched && touched->affected() == 0) {
      co_return no_such("artifact", sha256);
    }
    if (!touched) {
      const Error error = touched.error().to_error();
      if (error.code != ErrorCode::unavailable) {
        co_return error;
      }
      log_warning("artifact_use_not_noted", {{"sha256", sha256}, {"reason", error.message}});
    }
  }
  co_return read_artifact(found.first());
}

Async<void> ArtifactIndex::begin_storing(std::string sha256, std::int64_t size_bytes,
                                         std::string created_by) {
  PgParams params;
  params.text(sha256).integer(size_bytes).text_or_null(created_by);
  HONE_CO_TRY(const PgResult begun, co_await pool_.execute(kBeginStoring, std::move(params)));
  if (begun.affected() == 0) {
    co_return fail(ErrorCode::unavailable,
                   "an older file of artifact " + sha256 +
                       " may still be being removed, by a honed that lost its database: upload it "
                       "again in " +
                       std::to_string(kFenceSeconds / 60) + " minutes");
  }
  co_return Result<void>();
}

Async<bool> ArtifactIndex::stored(std::string sha256, std::string sent_by) {
  PgParams params;
  params.text(sha256).text_or_null(sent_by);
  HONE_CO_TRY(const PgResult done, co_await pool_.execute(kStored, std::move(params)));
  if (done.empty()) {
    co_return fail(ErrorCode::unavailable,
                   "artifact " + sha256 + " took too long to be stored: upload it again");
  }
  co_return done.first().truth("is_new");
}

Async<ArtifactCount> ArtifactIndex::count_unneeded(std::int64_t unused_seconds) {
  PgParams params;
  params.integer(unused_seconds);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kCount, std::move(params)));
  co_return ArtifactCount{found.first().integer("artifacts"), found.first().integer("bytes")};
}

Async<std::optional<ArtifactView>> ArtifactIndex::mark_unneeded(
    std::int64_t unused_seconds, std::vector<std::string> passed_over) {
  PgParams params;
  params.integer(unused_seconds).text_array(passed_over);
  HONE_CO_TRY(const PgResult marked, co_await pool_.execute(kMark, std::move(params)));
  if (marked.empty()) {
    co_return std::optional<ArtifactView>();
  }
  co_return std::optional<ArtifactView>(read_artifact(marked.first()));
}

Async<bool> ArtifactIndex::remove_marked(std::string sha256, RemoveFile remove_file) {
  Removal removal;
  // Before the database counts its part, so that this one is over first.
  removal.until = std::chrono::steady_clock::now() + kRemovalTime;
  PgParams params;
  params.text(sha256).integer(kFenceSeconds);
  HONE_CO_TRY(const PgResult fenced, co_await pool_.execute(kFence, std::move(params)));
  if (fenced.empty()) {
    co_return false;
  }
  removal.fence = fenced.first().text("fence");
  const auto body = [&](PgTransaction& transaction) {
    return remove_in(transaction, sha256, removal, remove_file);
  };
  Result<bool> removed = co_await in_transaction<bool>(pool_, body);
  co_return removed;
}

}  // namespace hone
