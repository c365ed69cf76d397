// The row that a transaction leaves in the audit log.
#pragma once

#include "server/store/audit_store.h"
#include "server/store/pg/pg_params.h"
#include "server/store/pg/pg_statement.h"

namespace hone {

const PgStatement& audit_statement();
PgParams audit_params(const AuditEntry& entry);

}  // namespace hone
