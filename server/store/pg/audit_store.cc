#include "server/store/audit_store.h"

#include "server/store/pg/pg_pool.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

constexpr const char* kSelect = R"sql(
SELECT a.number, rfc3339(a.at) AS at, k.id AS token, k.name AS token_name, a.action, a.kind,
       a.object, a.target, a.request, a.before, a.after
FROM audit_log a LEFT JOIN tokens k ON k.number = a.token
WHERE true)sql";

AuditView read_row(const PgRow& row) {
  AuditView view;
  view.number = row.integer("number");
  view.at = row.text("at");
  view.token = row.text_or_empty("token");
  view.token_name = row.text_or_empty("token_name");
  view.entry.action = row.text("action");
  view.entry.kind = row.text("kind");
  view.entry.object = row.text("object");
  view.entry.target = row.text_or_empty("target");
  view.entry.request = row.text_or_empty("request");
  view.entry.before = row.text_or_empty("before");
  view.entry.after = row.text_or_empty("after");
  return view;
}

}  // namespace

Async<Page<AuditView>> AuditStore::list(AuditFilter filter, PageRequest page) {
  HONE_CO_TRY(const std::optional<std::int64_t> before, number_cursor(page));
  // Only the conditions that are asked for, so that each combination gets a plan of its own.
  PgStatement statement{"audit_list", kSelect, Repeat::safe};
  PgParams params;
  const auto require = [&](std::string_view mark, const std::string& condition,
                           const std::string& end = "") {
    statement.name += "_" + std::string(mark);
    statement.sql += " AND " + condition + " $" + std::to_string(params.size()) + end;
  };
  if (filter.token) {
    params.text(*filter.token);
    if (is_uuid(*filter.token)) {
      require("token", "a.token = (SELECT number FROM tokens WHERE id =", "::uuid)");
    } else {
      require("name", "a.token IN (SELECT number FROM tokens WHERE name =", ")");
    }
  }
  if (filter.target) {
    params.text(*filter.target);
    require("target", "a.target =");
  }
  if (filter.kind) {
    params.text(*filter.kind);
    require("kind", "a.kind =");
  }
  if (filter.object) {
    params.text(*filter.object);
    require("object", "a.object =");
  }
  if (filter.action) {
    params.text(*filter.action);
    require("action", "a.action =");
  }
  if (filter.from) {
    params.integer(*filter.from);
    require("from", "a.at >= to_timestamp(", "::double precision / 1000)");
  }
  if (filter.to) {
    params.integer(*filter.to);
    require("to", "a.at < to_timestamp((", "::double precision + 1) / 1000)");
  }
  if (before) {
    params.integer(*before);
    require("after", "a.number <");
  }
  params.integer(page.limit + 1);
  statement.sql += " ORDER BY a.number DESC LIMIT $" + std::to_string(params.size());
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  Page<AuditView> list;
  for (int i = 0; i < found.size() && i < page.limit; ++i) {
    list.items.push_back(read_row(found.row(i)));
    if (found.size() > page.limit) {
      list.next_cursor = found.row(i).text("number");
    }
  }
  co_return list;
}

}  // namespace hone
