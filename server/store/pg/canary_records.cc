#include "server/store/pg/canary_records.h"

#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kFind{"canary_find", std::string(kSelectCanary) + "WHERE c.id = $1::uuid",
                        Repeat::safe};
const PgStatement kLock{"canary_lock",
                        "SELECT number FROM canaries WHERE id = $1::uuid FOR NO KEY UPDATE",
                        Repeat::unsafe};

PgParams only(const std::string& text) {
  PgParams params;
  params.text(text);
  return params;
}

}  // namespace

const PgStatement& find_canary_statement() {
  return kFind;
}

Json json_or_null(const PgRow& row, const char* column) {
  return row.is_null(column) ? Json() : row.json(column);
}

// What was valid when it was stored is read leniently: a newer Hone may have written more.
CanaryView read_canary(const PgRow& row) {
  CanaryView canary;
  canary.id = row.text("id");
  canary.spec = parse_canary_spec(row.json("spec"), UnknownKeys::ignore).value();
  canary.service = parse_service_spec(row.json("service"), UnknownKeys::ignore).value();
  canary.status.state = row.one_of("state", parse_canary_state);
  canary.status.step = static_cast<std::size_t>(row.integer("step"));
  canary.status.step_windows = static_cast<std::size_t>(row.integer("step_windows"));
  canary.status.lost_windows = static_cast<std::size_t>(row.integer("lost_windows"));
  canary.status.share = static_cast<int>(row.integer("share"));
  canary.status.reason = row.text("reason");
  canary.follows = row.truth("follows");
  canary.superseded = row.truth("superseded");
  canary.revision = row.integer("revision");
  canary.windows = row.integer("windows");
  canary.judgement = json_or_null(row, "judgement");
  canary.budget = json_or_null(row, "budget");
  canary.created_at = row.text("created_at");
  canary.created_by = row.text_or_empty("created_by");
  canary.ended_at = row.text_or_empty("ended_at");
  canary.status.cause = row.one_of("cause", parse_canary_cause);
  if (!row.is_null("known_good")) {
    canary.known_good = row.integer("known_good");
  }
  if (!row.is_null("in_force")) {
    canary.policy_in_force = row.integer("in_force");
  }
  canary.campaign = row.text_or_empty("campaign");
  canary.candidate = row.text_or_empty("candidate");
  if (!row.is_null("log_propensity")) {
    canary.log_propensity = row.number("log_propensity");
  }
  canary.experience = json_or_null(row, "experience");
  return canary;
}

Async<LockedCanary> lock_canary(PgTransaction& transaction, std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("canary", id);
  }
  HONE_CO_CHECK(co_await transaction.execute(kLock, only(id)));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, only(id)));
  if (found.empty()) {
    co_return no_such("canary", id);
  }
  co_return LockedCanary{found.first().integer("number"), read_canary(found.first())};
}

Async<CanaryView> find_canary_in(PgTransaction& transaction, std::string id) {
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, only(id)));
  co_return read_canary(found.first());
}

}  // namespace hone
