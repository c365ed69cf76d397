#include "server/store/pg/audit_log.h"

namespace hone {
namespace {

const PgStatement kWrite{"audit_write", R"sql(
INSERT INTO audit_log (token, action, kind, object, target, request, before, after)
VALUES ((SELECT number FROM tokens WHERE id = $1::uuid), $2, $3, $4,
        coalesce($5, audited_target($3, $4)), $6, $7::jsonb, $8::jsonb))sql",
                         Repeat::unsafe};

}  // namespace

const PgStatement& audit_statement() {
  return kWrite;
}

PgParams audit_params(const AuditEntry& entry) {
  PgParams params;
  params.text_or_null(entry.token).text(entry.action).text(entry.kind).text(entry.object);
  params.text_or_null(entry.target).text_or_null(entry.request);
  params.text_or_null(entry.before).text_or_null(entry.after);
  return params;
}

}  // namespace hone
