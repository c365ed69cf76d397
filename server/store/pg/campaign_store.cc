// CampaignStore: campaigns made, shown and cancelled. The proposer's steps are in
// campaign_proposing.cc, the controller's in campaign_steps.cc.

#include "server/store/campaign_store.h"

#include <nlohmann/json.hpp>

#include "common/protocol/rules.h"
#include "server/store/pg/campaign_lock.h"
#include "server/store/pg/campaign_records.h"
#include "server/store/pg/idempotent.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

constexpr std::string_view kOperation = "create_campaign";

const PgStatement kFindTarget{"campaign_find_target",
                              "SELECT number, version FROM targets WHERE name = $1", Repeat::safe};

const PgStatement kCreate{"campaign_create", R"sql(
INSERT INTO campaigns (target, target_version, baseline, seed, priority, budget_candidates,
                       budget_seconds, proposing_seconds, created_by, traceparent, deadline)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, (SELECT number FROM tokens WHERE id = $9::uuid), $10,
        now() + interval '1 second' * coalesce($11::bigint, (
          SELECT (v.spec -> 'tune' ->> 'deadline_seconds')::bigint
          FROM target_versions v WHERE v.target = $1 AND v.version = $2)))
RETURNING id)sql",
                          Repeat::unsafe};

const PgStatement kFind{"campaign_find", select_campaign() + "WHERE c.id = $1::uuid", Repeat::safe,
                        Planning::each_time};

const PgStatement kExists{"campaign_exists", "SELECT number FROM campaigns WHERE id = $1::uuid",
                          Repeat::safe};
const PgStatement kCandidates{"campaign_candidates",
                              select_candidate() + "WHERE k.campaign = $1 ORDER BY k.set, k.index",
                              Repeat::safe, Planning::each_time};
const PgStatement kCandidate{"campaign_candidate", select_candidate() + "WHERE k.id = $1::uuid",
                             Repeat::safe};

const PgStatement kCancel{"campaign_cancel", R"sql(
UPDATE campaigns SET state = 'cancelled', reason = 'cancelled on request', finished_at = now()
WHERE number = $1)sql",
                          Repeat::unsafe};

Error bad_field(std::string what, std::string pointer, std::string detail) {
  Error error = fail(ErrorCode::invalid_argument, std::move(what));
  error.fields.push_back({std::move(pointer), std::move(detail)});
  return error;
}

struct Created {
  std::string id;
  bool replayed = false;
};

Async<Created> create_in(PgTransaction& transaction, const CampaignRequest& request,
                         const std::optional<IdempotencyKey>& key, const std::string& created_by,
                         const std::string& traceparent) {
  Created created;
  if (key) {
    HONE_CO_TRY(const EarlierAnswer earlier,
                co_await claim_key(transaction, *key, created_by, kOperation));
    if (earlier.answer) {
      created.id = earlier.answer->get<std::string>();
      created.replayed = true;
      transaction.changed_nothing();
      co_return created;
    }
  }
  PgParams name;
  name.text(request.target);
  HONE_CO_TRY(const PgResult target, co_await transaction.execute(kFindTarget, std::move(name)));
  if (target.empty()) {
    co_return bad_field("bad campaign", "/target",
                        "no target '" + request.target + "' is registered");
  }
  PgParams row;
  row.integer(target.first().integer("number")).integer(target.first().integer("version"));
  row.text(to_string(request.baseline)).unsigned_integer(request.seed).integer(request.priority);
  row.integer(request.budget_candidates).integer(request.budget_seconds);
  row.integer(request.proposing_seconds);
  row.text_or_null(created_by).text_or_null(traceparent).integer(request.deadline_seconds);
  HONE_CO_TRY(const PgResult made, co_await transaction.execute(kCreate, std::move(row)));
  created.id = made.first().text("id");
  transaction.changes_object(created.id);
  transaction.changes_target(request.target);
  if (key) {
    Json answer(created.id);
    HONE_CO_CHECK(
        co_await keep_answer(transaction, *key, created_by, kOperation, std::move(answer)));
  }
  co_return created;
}

Async<void> cancel_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  transaction.changes_from(Json{{"state", to_string(campaign.state)}});
  if (campaign.state == CampaignState::cancelled) {
    transaction.changed_nothing();
    co_return Result<void>();
  }
  HONE_CO_CHECK(require_state(
      campaign, {CampaignState::waiting, CampaignState::racing, CampaignState::confirming},
      "it cannot be cancelled"));
  HONE_CO_CHECK(co_await cancel_jobs(transaction, campaign.number, WhichJobs::all,
                                     "the campaign was cancelled"));
  PgParams number;
  number.integer(campaign.number);
  HONE_CO_CHECK(co_await transaction.execute(kCancel, std::move(number)));
  co_return Result<void>();
}

}  // namespace

Async<CreatedCampaign> CampaignStore::create(CampaignRequest request,
                                             std::optional<IdempotencyKey> key,
                                             std::string created_by, std::string traceparent) {
  const auto body = [&](PgTransaction& transaction) {
    return create_in(transaction, request, key, created_by, traceparent);
  };
  Result<Created> made = co_await in_transaction<Created>(pool_, body);
  HONE_CO_TRY(const Created created, std::move(made));
  CreatedCampaign answer;
  answer.replayed = created.replayed;
  HONE_CO_TRY(answer.view, co_await find(created.id));
  co_return answer;
}

Async<CampaignView> CampaignStore::find(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("campaign", id);
  }
  PgParams params;
  params.text(id);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kFind, std::move(params)));
  if (found.empty()) {
    co_return no_such("campaign", id);
  }
  co_return read_campaign(found.first());
}

Async<Page<CampaignView>> CampaignStore::list(CampaignFilter filter, PageRequest page) {
  HONE_CO_TRY(const std::optional<std::int64_t> before, number_cursor(page));
  PgStatement statement{"campaign_list", select_campaign() + "WHERE true", Repeat::safe,
                        Planning::each_time};
  PgParams params;
  const auto require = [&](std::string_view mark, const std::string& condition) {
    statement.name += "_" + std::string(mark);
    statement.sql += " AND " + condition + " $" + std::to_string(params.size());
  };
  if (filter.target) {
    params.text(*filter.target);
    require("target", "t.name =");
  }
  if (filter.state) {
    params.text(to_string(*filter.state));
    require("state", "c.state =");
  }
  if (filter.reader.targets) {
    params.text_array(filter.reader.targets);
    require("seen", "t.name = ANY (");
    statement.sql += "::text[])";
  }
  if (before) {
    params.integer(*before);
    require("after", "c.number <");
  }
  params.integer(page.limit + 1);
  statement.sql += " ORDER BY c.number DESC LIMIT $" + std::to_string(params.size());
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(statement, std::move(params)));
  Page<CampaignView> list;
  for (int i = 0; i < found.size() && i < page.limit; ++i) {
    list.items.push_back(read_campaign(found.row(i)));
    if (found.size() > page.limit) {
      list.next_cursor = found.row(i).text("number");
    }
  }
  co_return list;
}

Async<std::vector<CandidateView>> CampaignStore::candidates(std::string campaign) {
  if (!is_uuid(campaign)) {
    co_return no_such("campaign", campaign);
  }
  PgParams id;
  id.text(campaign);
  HONE_CO_TRY(const PgResult known, co_await pool_.execute(kExists, std::move(id)));
  if (known.empty()) {
    co_return no_such("campaign", campaign);
  }
  PgParams number;
  number.integer(known.first().integer("number"));
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kCandidates, std::move(number)));
  std::vector<CandidateView> candidates;
  candidates.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) {
    candidates.push_back(read_candidate_view(found.row(i)));
  }
  co_return candidates;
}

Async<CandidateView> CampaignStore::candidate(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("candidate", id);
  }
  PgParams params;
  params.text(id);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kCandidate, std::move(params)));
  if (found.empty()) {
    co_return no_such("candidate", id);
  }
  co_return read_candidate_view(found.first());
}

Async<CampaignView> CampaignStore::cancel(std::string id) {
  const auto body = [&](PgTransaction& transaction) { return cancel_in(transaction, id); };
  Result<void> cancelled = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(cancelled);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

}  // namespace hone
