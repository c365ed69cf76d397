// The statement by which jobs are leased, as it is sent: for JobStore, and for a test that asks the
// database how it goes about it. Thread safe.
#pragma once

#include "server/store/pg/pg_statement.h"

namespace hone {

// $1 names of workers, $2 ids of their tokens, $3 seeds, all of one length; $4 seconds of a lease.
const PgStatement& claim_statement();

}  // namespace hone
