#include "server/store/target_store.h"

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// Makes the target if it is new and locks it in either case, so that versions are given one by one.
const PgStatement kLock{"target_lock", R"sql(
INSERT INTO targets (name) VALUES ($1)
ON CONFLICT (name) DO UPDATE SET name = excluded.name
RETURNING number, version)sql",
                        Repeat::unsafe};

const PgStatement kIsNewest{"target_is_newest", R"sql(
SELECT EXISTS (SELECT FROM target_versions
               WHERE target = $1 AND version = $2 AND spec = $3::jsonb) AS equal)sql",
                            Repeat::safe};

const PgStatement kAddVersion{"target_add_version", R"sql(
WITH newest AS (
  UPDATE targets SET version = version + 1 WHERE number = $1 RETURNING number, version
)
INSERT INTO target_versions (target, version, spec, created_by)
SELECT number, version, $2::jsonb, (SELECT number FROM tokens WHERE id = $3::uuid) FROM newest)sql",
                              Repeat::unsafe};

const std::string kSelect = R"sql(
SELECT t.name, v.version, v.spec, rfc3339(t.created_at) AS created_at,
       rfc3339(v.created_at) AS updated_at,
       (SELECT jsonb_build_object('why_none', p.why_none, 'files', p.files)
        FROM source_profiles p WHERE p.target = v.target AND p.target_version = v.version
        ORDER BY p.why_none IS NOT NULL, p.measured_at DESC LIMIT 1) AS profile
FROM targets t JOIN target_versions v ON v.target = t.number )sql";

const PgStatement kFind{"target_find", kSelect + "AND v.version = t.version WHERE t.name = $1",
                        Repeat::safe};
const PgStatement kFindVersion{"target_find_version",
                               kSelect + "AND v.version = $2 WHERE t.name = $1", Repeat::safe};
const PgStatement kList{
    "target_list",
    kSelect +
        "AND v.version = t.version WHERE t.name > $1 "
        "AND ($3::text[] IS NULL OR t.name = ANY ($3::text[])) ORDER BY t.name LIMIT $2",
    Repeat::safe};

TargetRecord read_target(const PgRow& row) {
  TargetRecord record;
  record.name = row.text("name");
  record.version = row.integer("version");
  record.spec = target_spec_from_json(row.json("spec"));
  record.created_at = row.text("created_at");
  record.updated_at = row.text("updated_at");
  if (!row.is_null("profile")) {
    record.profile = source_profile_from_json(row.json("profile"));
  }
  return record;
}

Async<PutTarget> put_in(PgTransaction& transaction, const TargetSpec& spec,
                        const std::string& created_by) {
  PgParams name;
  name.text(spec.name);
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kLock, name));
  const std::int64_t number = locked.first().integer("number");
  const std::int64_t newest = locked.first().integer("version");
  const Json document = to_json(spec);
  PutTarget put;
  put.created = newest == 0;
  PgParams compared;
  compared.integer(number).integer(newest).json(document);
  HONE_CO_TRY(const PgResult equal, co_await transaction.execute(kIsNewest, std::move(compared)));
  transaction.changes_target(spec.name);
  transaction.changes_from(Json{{"version", newest}});
  transaction.changes_to(
      Json{{"version", newest + 1}, {"spec_sha256", sha256_hex(dump_json(document))}});
  if (equal.first().truth("equal")) {
    transaction.changed_nothing();
  } else {
    PgParams added;
    added.integer(number).json(document).text_or_null(created_by);
    HONE_CO_CHECK(co_await transaction.execute(kAddVersion, std::move(added)));
  }
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(name)));
  put.record = read_target(found.first());
  co_return put;
}

}  // namespace

Async<PutTarget> TargetStore::put(TargetSpec spec, std::string created_by) {
  const auto body = [&](PgTransaction& transaction) {
    return put_in(transaction, spec, created_by);
  };
  Result<PutTarget> put = co_await in_transaction<PutTarget>(pool_, body);
  co_return put;
}

Async<TargetRecord> TargetStore::find(std::string name) {
  PgParams params;
  params.text(name);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, std::move(params)));
  if (found.empty()) {
    co_return no_such("target", name);
  }
  co_return read_target(found.first());
}

Async<TargetRecord> TargetStore::find_version(std::string name, std::int64_t version) {
  PgParams params;
  params.text(name).integer(version);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFindVersion, std::move(params)));
  if (found.empty()) {
    co_return no_such("version " + std::to_string(version) + " of target", name);
  }
  co_return read_target(found.first());
}

Async<Page<TargetRecord>> TargetStore::list(PageRequest page, Reader reader) {
  HONE_CO_CHECK(check_limit(page));
  // One more than asked for tells whether there is a next page.
  PgParams params;
  params.text(page.cursor).integer(page.limit + 1).text_array(reader.targets);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, std::move(params)));
  Page<TargetRecord> list;
  for (int i = 0; i < found.size() && i < page.limit; ++i) {
    list.items.push_back(read_target(found.row(i)));
  }
  if (found.size() > page.limit) {
    list.next_cursor = list.items.back().name;
  }
  co_return list;
}

}  // namespace hone
