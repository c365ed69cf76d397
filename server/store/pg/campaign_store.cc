// CampaignStore: campaigns and candidates made, shown and cancelled. The controller's steps are in
// campaign_steps.cc.

#include "server/store/campaign_store.h"

#include <cmath>
#include <set>

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
// Candidates per statement; each may have thousands of rules.
constexpr std::size_t kBatch = 500;

const PgStatement kFindTarget{"campaign_find_target",
                              "SELECT number, version FROM targets WHERE name = $1", Repeat::safe};

const PgStatement kCreate{"campaign_create", R"sql(
INSERT INTO campaigns (target, target_version, baseline, seed, priority, budget_candidates,
                       budget_seconds, proposing_seconds, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, (SELECT number FROM tokens WHERE id = $9::uuid))
RETURNING id)sql",
                          Repeat::unsafe};

const PgStatement kFind{"campaign_find", select_campaign() + "WHERE c.id = $1::uuid", Repeat::safe};

const PgStatement kCountRaces{"campaign_count_races",
                              "SELECT count(*) AS count FROM jobs "
                              "WHERE campaign = $1 AND stage = 'race'",
                              Repeat::safe};

const PgStatement kAddSet{"candidate_set_add", R"sql(
INSERT INTO candidate_sets (campaign, generator, scheme, seed) VALUES ($1, $2, $3, $4)
RETURNING number, id)sql",
                          Repeat::unsafe};

const PgStatement kAddCandidates{"candidates_add", R"sql(
INSERT INTO candidates (set, campaign, index, origin, note, log_propensity, rules)
SELECT $1, $2, b.index, b.origin, b.note, b.log_propensity, b.rules::jsonb
FROM unnest($3::integer[], $4::text[], $5::text[], $6::double precision[], $7::text[])
     AS b (index, origin, note, log_propensity, rules)
ORDER BY b.index
RETURNING id, index)sql",
                                 Repeat::unsafe};

const PgStatement kAddRaces{"candidates_add_races", R"sql(
INSERT INTO jobs (target, target_version, campaign, candidate, stage, baseline, priority,
                  max_attempts)
SELECT c.target, c.target_version, c.number, k.number, 'race', c.baseline, c.priority, 3
FROM candidates k JOIN campaigns c ON c.number = k.campaign
WHERE k.set = $1 AND k.index < $2
ORDER BY k.index
RETURNING id)sql",
                            Repeat::unsafe};

const PgStatement kStartRacing{"campaign_start_racing", R"sql(
UPDATE campaigns SET state = 'racing', racing_at = now() WHERE number = $1 AND state = 'waiting')sql",
                               Repeat::unsafe};

const PgStatement kExists{"campaign_exists", "SELECT number FROM campaigns WHERE id = $1::uuid",
                          Repeat::safe};
const PgStatement kCandidates{"campaign_candidates",
                              select_candidate() + "WHERE k.campaign = $1 ORDER BY k.set, k.index",
                              Repeat::safe};
const PgStatement kCandidate{"campaign_candidate", select_candidate() + "WHERE k.id = $1::uuid",
                             Repeat::safe};

const PgStatement kClose{"campaign_close",
                         "UPDATE campaigns SET closed_at = coalesce(closed_at, now()) "
                         "WHERE number = $1",
                         Repeat::unsafe};

// The places of those that are its own.
const PgStatement kOwnCandidates{"campaign_own_candidates", R"sql(
SELECT b.place FROM unnest($2::text[]) WITH ORDINALITY AS b (id, place)
JOIN candidates k ON k.id::text = b.id AND k.campaign = $1)sql",
                                 Repeat::safe};

const PgStatement kNameFinalists{"campaign_name_finalists",
                                 "UPDATE campaigns SET finalists = $2::text[]::uuid[] "
                                 "WHERE number = $1",
                                 Repeat::unsafe};

const PgStatement kCancel{"campaign_cancel", R"sql(
UPDATE campaigns SET state = 'cancelled', reason = 'cancelled on request', finished_at = now()
WHERE number = $1)sql",
                          Repeat::unsafe};

Error bad_field(std::string what, std::string pointer, std::string detail) {
  Error error = fail(ErrorCode::invalid_argument, std::move(what));
  error.fields.push_back({std::move(pointer), std::move(detail)});
  return error;
}

// What in a set no store takes, all at once.
Result<void> check_set(const CandidateSet& set) {
  Error error = fail(ErrorCode::invalid_argument, "bad candidate set");
  if (set.candidates.empty() || set.candidates.size() > kMaxCandidates) {
    error.fields.push_back(
        {"/candidates", "must hold 1 to " + std::to_string(kMaxCandidates) + " candidates"});
  }
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    const Candidate& candidate = set.candidates[i];
    const std::string pointer = "/candidates/" + std::to_string(i);
    if (candidate.index != static_cast<std::int64_t>(i)) {
      error.fields.push_back({pointer + "/index", "must be " + std::to_string(i)});
    }
    const std::optional<double>& logarithm = candidate.log_propensity;
    // The little above 0 is rounding; candidate_propensity_is_a_probability allows the same.
    if (logarithm && (!std::isfinite(*logarithm) || *logarithm > 1e-9)) {
      error.fields.push_back({pointer + "/log_propensity", "must be at most 0"});
    }
  }
  if (!error.fields.empty()) {
    return error;
  }
  return {};
}

struct Created {
  std::string id;
  bool replayed = false;
};

Async<Created> create_in(PgTransaction& transaction, const CampaignRequest& request,
                         const std::optional<IdempotencyKey>& key, const std::string& created_by) {
  Created created;
  if (key) {
    HONE_CO_TRY(const EarlierAnswer earlier,
                co_await claim_key(transaction, *key, created_by, kOperation));
    if (earlier.answer) {
      created.id = earlier.answer->get<std::string>();
      created.replayed = true;
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
  row.text_or_null(created_by);
  HONE_CO_TRY(const PgResult made, co_await transaction.execute(kCreate, std::move(row)));
  created.id = made.first().text("id");
  if (key) {
    Json answer(created.id);
    HONE_CO_CHECK(
        co_await keep_answer(transaction, *key, created_by, kOperation, std::move(answer)));
  }
  co_return created;
}

Async<void> add_candidates(PgTransaction& transaction, std::int64_t set, std::int64_t campaign,
                           const std::vector<Candidate>& candidates, AddedCandidateSet& added) {
  for (std::size_t start = 0; start < candidates.size(); start += kBatch) {
    std::vector<std::int64_t> indices;
    std::vector<std::string> origins;
    std::vector<std::string> notes;
    std::vector<std::optional<double>> propensities;
    std::vector<std::string> rules;
    for (std::size_t i = start; i < candidates.size() && i < start + kBatch; ++i) {
      indices.push_back(candidates[i].index);
      origins.push_back(candidates[i].origin);
      notes.push_back(candidates[i].note);
      propensities.push_back(candidates[i].log_propensity);
      rules.push_back(storable_json_text(rules_to_json(candidates[i].rules)));
    }
    PgParams rows;
    rows.integer(set).integer(campaign).integer_array(indices).text_array(origins);
    rows.text_array(notes).number_array(propensities).text_array(rules);
    HONE_CO_TRY(const PgResult stored,
                co_await transaction.execute(kAddCandidates, std::move(rows)));
    for (int i = 0; i < stored.size(); ++i) {
      added.candidates.push_back({stored.row(i).text("id"), stored.row(i).integer("index")});
    }
  }
  co_return Result<void>();
}

Async<AddedCandidateSet> add_set_in(PgTransaction& transaction, const std::string& id,
                                    const CandidateSet& set) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(require_state(campaign, {CampaignState::waiting, CampaignState::racing},
                              "it takes no more candidates"));
  if (campaign.closed) {
    co_return fail(ErrorCode::conflict,
                   "campaign '" + id + "' is closed, so it takes no more candidates");
  }
  PgParams number;
  number.integer(campaign.number);
  HONE_CO_TRY(const PgResult races, co_await transaction.execute(kCountRaces, number));
  std::int64_t room = static_cast<std::int64_t>(set.candidates.size());
  if (campaign.budget_candidates) {
    room = std::min(room, *campaign.budget_candidates - races.first().integer("count"));
  }
  if (room <= 0) {
    co_return fail(ErrorCode::conflict, "the budget of campaign '" + id + "' is used up");
  }
  PgParams row;
  row.integer(campaign.number).text(set.generator).text(set.scheme).unsigned_integer(set.seed);
  HONE_CO_TRY(const PgResult stored, co_await transaction.execute(kAddSet, std::move(row)));
  const std::int64_t set_number = stored.first().integer("number");
  AddedCandidateSet added;
  added.id = stored.first().text("id");
  HONE_CO_CHECK(
      co_await add_candidates(transaction, set_number, campaign.number, set.candidates, added));
  PgParams chosen;
  chosen.integer(set_number).integer(room);
  HONE_CO_TRY(const PgResult jobs, co_await transaction.execute(kAddRaces, std::move(chosen)));
  for (int i = 0; i < jobs.size(); ++i) {
    added.jobs.push_back(jobs.row(i).text("id"));
  }
  HONE_CO_CHECK(co_await transaction.execute(kStartRacing, std::move(number)));
  co_return added;
}

Async<void> close_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(require_state(campaign, {CampaignState::racing}, "there is nothing to be closed"));
  PgParams number;
  number.integer(campaign.number);
  HONE_CO_CHECK(co_await transaction.execute(kClose, std::move(number)));
  co_return Result<void>();
}

Async<void> name_finalists_in(PgTransaction& transaction, const std::string& id,
                              const std::vector<std::string>& candidates) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(
      require_state(campaign, {CampaignState::racing}, "it is no time to name its finalists"));
  PgParams both;
  both.integer(campaign.number).text_array(candidates);
  HONE_CO_TRY(const PgResult own, co_await transaction.execute(kOwnCandidates, both));
  std::set<std::int64_t> places;
  for (int i = 0; i < own.size(); ++i) {
    places.insert(own.row(i).integer("place"));
  }
  Error error = fail(ErrorCode::invalid_argument, "bad finalists");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!places.contains(static_cast<std::int64_t>(i) + 1)) {
      error.fields.push_back({"/candidates/" + std::to_string(i),
                              "is no candidate of this campaign: '" + candidates[i] + "'"});
    }
  }
  if (!error.fields.empty()) {
    co_return error;
  }
  HONE_CO_CHECK(co_await transaction.execute(kNameFinalists, std::move(both)));
  co_return Result<void>();
}

Async<void> cancel_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  if (campaign.state == CampaignState::cancelled) {
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
                                             std::string created_by) {
  const auto body = [&](PgTransaction& transaction) {
    return create_in(transaction, request, key, created_by);
  };
  Result<Created> made = co_await in_transaction<Created>(pool_, body);
  HONE_CO_TRY(const Created created, std::move(made));
  CreatedCampaign answer;
  answer.replayed = created.replayed;
  HONE_CO_TRY(answer.view, co_await find(created.id));
  co_return answer;
}

Async<AddedCandidateSet> CampaignStore::add_candidate_set(std::string campaign, CandidateSet set) {
  HONE_CO_CHECK(check_set(set));
  const auto body = [&](PgTransaction& transaction) {
    return add_set_in(transaction, campaign, set);
  };
  Result<AddedCandidateSet> added = co_await in_transaction<AddedCandidateSet>(pool_, body);
  co_return added;
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
  PgStatement statement{"campaign_list", select_campaign() + "WHERE true", Repeat::safe};
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

Async<CampaignView> CampaignStore::close(std::string id) {
  const auto body = [&](PgTransaction& transaction) { return close_in(transaction, id); };
  Result<void> closed = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(closed);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

Async<CampaignView> CampaignStore::name_finalists(std::string id,
                                                  std::vector<std::string> candidates) {
  const auto body = [&](PgTransaction& transaction) {
    return name_finalists_in(transaction, id, candidates);
  };
  Result<void> named = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(named);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

Async<CampaignView> CampaignStore::cancel(std::string id) {
  const auto body = [&](PgTransaction& transaction) { return cancel_in(transaction, id); };
  Result<void> cancelled = co_await in_transaction<void>(pool_, body);
  HONE_CO_CHECK(cancelled);
  Result<CampaignView> view = co_await find(id);
  co_return view;
}

}  // namespace hone
