// ViewStore: versions of policies, where they come from and what differs between two.

#include <nlohmann/json.hpp>

#include "server/store/pg/records.h"
#include "server/store/pg/rule_diff.h"
#include "server/store/pg/view_sql.h"
#include "server/store/view_store.h"

namespace hone {
namespace {

const PgStatement kAll{"view_policies", R"sql(
SELECT json_build_object('policies', coalesce(json_agg(json_build_object(
         'target', t.name, 'versions', coalesce(p.versions, 0), 'newest', p.newest,
         'promoted', p.promoted, 'promoted_signed', coalesce(p.is_signed, false),
         'at', rfc3339(p.at)) ORDER BY t.name), '[]'))
FROM targets t
LEFT JOIN (
  SELECT target, count(*) AS versions, max(version) AS newest, max(created_at) AS at,
         max(version) FILTER (WHERE promoted) AS promoted,
         bool_or(signature <> '') FILTER (WHERE promoted) AS is_signed
  FROM policies GROUP BY target) AS p ON p.target = t.number
WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[])))sql",
                       Repeat::safe, Planning::each_time};

// The rules are counted in the document's text as jsonb: at most 16 MiB each, and few of them.
const PgStatement kVersions{"view_policy_versions",
                            R"sql(
SELECT coalesce(json_agg(row_to_json(shown)), '[]') FROM (
  SELECT p.version, p.sequence, p.document_sha256 AS sha256, rfc3339(p.created_at) AS created_at,
         coalesce(maker.name, 'honed') AS created_by, p.promoted, p.signature <> '' AS signed,
         nullif(p.signature, '') AS signature, c.id AS campaign, k.id AS candidate, k.origin,
         nullif(k.note, '') AS note, s.generator, )sql" +
                                reward_json("r") +
                                R"sql( AS reward, c.baseline, r.verdict, w.name AS worker,
         nullif(r.compiler, '') AS compiler, )sql" +
                                commit_of("v") + R"sql( AS commit,
         json_array_length(p.document::json -> 'rules') AS rules,
         octet_length(p.document) AS bytes
  FROM (SELECT * FROM policies WHERE target = $1 ORDER BY version DESC LIMIT 200) AS p
  LEFT JOIN tokens maker ON maker.number = p.created_by
  LEFT JOIN campaigns c ON c.number = p.campaign
  LEFT JOIN target_versions v ON v.target = c.target AND v.version = c.target_version
  LEFT JOIN candidates k ON k.number = p.candidate
  LEFT JOIN candidate_sets s ON s.number = k.set
  LEFT JOIN jobs j ON j.candidate = p.candidate AND j.stage = 'confirm'
  LEFT JOIN results r ON r.job = j.number
  LEFT JOIN attempts a ON a.number = r.attempt
  LEFT JOIN workers w ON w.number = a.worker
  ORDER BY p.version DESC) AS shown)sql",
                            Repeat::safe, Planning::each_time};

const PgStatement kRules{"view_policy_rules", R"sql(
SELECT version, document::json -> 'rules' AS rules FROM policies
WHERE target = $1 AND version IN ($2, $3))sql",
                         Repeat::safe, Planning::each_time};

Error no_version(std::int64_t version, const std::string& target) {
  return fail(ErrorCode::not_found,
              "no version " + std::to_string(version) + " of policy '" + target + "'");
}

}  // namespace

Async<std::string> ViewStore::policies(Reader reader) {
  PgParams seen;
  seen.text_array(reader.targets);
  Result<std::string> document = co_await one_document(pool_, kAll, std::move(seen));
  co_return document;
}

Async<std::string> ViewStore::policy(std::string target, std::optional<std::int64_t> from,
                                     std::optional<std::int64_t> to) {
  Result<std::int64_t> known = co_await target_number(pool_, target);
  HONE_CO_CHECK(known);
  PgParams number;
  number.integer(*known);
  PgParams of_versions = number;
  Result<std::string> versions = co_await one_document(pool_, kVersions, std::move(of_versions));
  HONE_CO_CHECK(versions);
  Json diff;
  if (from && to) {
    number.integer(*from).integer(*to);
    HONE_CO_TRY(const PgResult found, co_await pool_.execute(kRules, std::move(number)));
    Json before;
    Json after;
    for (int i = 0; i < found.size(); ++i) {
      const std::int64_t version = found.row(i).integer("version");
      if (version == *from) {
        before = found.row(i).json("rules");
      }
      if (version == *to) {
        after = found.row(i).json("rules");
      }
    }
    if (before.is_null() || after.is_null()) {
      co_return no_version(before.is_null() ? *from : *to, target);
    }
    diff = rule_diff(before, after);
    diff["from"] = *from;
    diff["to"] = *to;
  }
  co_return "{\"target\":" + dump_json(Json(target)) + ",\"versions\":" + *versions +
      ",\"diff\":" + dump_json(diff) + "}";
}

}  // namespace hone
