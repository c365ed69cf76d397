#include "server/store/pg/pg_transaction.h"

#include <random>

#include "common/base/log.h"
#include "server/store/pg/audit_log.h"

namespace hone {

namespace {

// Who may do what, and what is in force: that an operator's log tells, too. All else is in the
// audit log alone, or has lines of its own.
bool is_told(const AuditEntry& entry) {
  return entry.kind == "token" || entry.kind == "policy_key" || entry.kind == "policy";
}

}  // namespace

PgAsync<PgTransaction> PgTransaction::begin(PgPool& pool) {
  PgOutcome<PgPool::Lease> lease = co_await pool.acquire();
  if (!lease) {
    co_return std::move(lease).error();
  }
  PgTransaction transaction(*std::move(lease), pool.audit());
  PgOutcome<PgResult> begun = co_await transaction.lease_->run("BEGIN");
  if (!begun) {
    co_return std::move(begun).error();
  }
  co_return transaction;
}

PgAsync<PgResult> PgTransaction::execute(const PgStatement& statement, PgParams params) {
  PgOutcome<PgResult> answer = co_await lease_->execute(statement, std::move(params));
  if (!answer) {
    may_run_again_ = answer.error().is_transient() ||
                     (answer.error().connection_lost && !answer.error().timed_out);
  }
  co_return answer;
}

void PgTransaction::changes_object(std::string object) {
  if (audit_) {
    audit_->object = std::move(object);
  }
}

void PgTransaction::changes_target(std::string target) {
  if (audit_) {
    audit_->target = std::move(target);
  }
}

void PgTransaction::changes_from(const Json& before) {
  if (audit_) {
    audit_->before = dump_json(before);
  }
}

void PgTransaction::changes_to(const Json& after) {
  if (audit_) {
    audit_->after = dump_json(after);
  }
}

PgAsync<> PgTransaction::commit() {
  if (audit_) {
    PgOutcome<PgResult> written = co_await execute(audit_statement(), audit_params(*audit_));
    if (!written) {
      co_return std::move(written).error();
    }
  }
  PgOutcome<PgResult> answer = co_await lease_->run("COMMIT");
  if (!answer) {
    // A lost connection leaves open whether it was committed: not for us to run again.
    may_run_again_ = answer.error().is_transient();
    co_return std::move(answer).error();
  }
  if (answer->command() != "COMMIT") {
    co_return PgError{"25P02", "COMMIT of a failed transaction", "", false, false};
  }
  if (audit_ && is_told(*audit_)) {
    LogContext context;
    context.request = audit_->request;
    log_info(context, "access_changed",
             {{"action", audit_->action},
              {"object", audit_->object},
              {"target", audit_->target},
              {"token", audit_->token}});
  }
  co_return PgOutcome<>();
}

boost::asio::awaitable<void> PgTransaction::rollback() {
  if (!lease_->lost()) {
    // Should this fail, the connection is not idle and the pool drops it.
    [[maybe_unused]] PgOutcome<PgResult> answer = co_await lease_->run("ROLLBACK");
  }
}

std::chrono::milliseconds pause_before_try(int number) {
  static std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(std::uniform_int_distribution<int>(1, 10 * number)(random));
}

}  // namespace hone
