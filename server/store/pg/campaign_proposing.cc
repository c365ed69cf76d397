// CampaignStore: the proposer's steps. Candidate sets, which of their candidates are to be
// confirmed, and that there will be no more; and the policy in force as a candidate beside them.

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "common/protocol/rules.h"
#include "server/store/campaign_store.h"
#include "server/store/pg/campaign_lock.h"
#include "server/store/pg/idempotent.h"
#include "server/store/pg/pg_transaction.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

// Candidates per statement; each may have thousands of rules.
constexpr std::size_t kBatch = 500;

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
                  max_attempts, deadline)
SELECT c.target, c.target_version, c.number, k.number, 'race', c.baseline, c.priority, 3,
       c.deadline
FROM candidates k JOIN campaigns c ON c.number = k.campaign
WHERE k.set = $1 AND k.index < $2
ORDER BY k.index
RETURNING id)sql",
                            Repeat::unsafe, Planning::each_time};

const PgStatement kStartRacing{"campaign_start_racing", R"sql(
UPDATE campaigns SET state = 'racing', racing_at = now() WHERE number = $1 AND state = 'waiting')sql",
                               Repeat::unsafe};

const PgStatement kClose{
    "campaign_close", "UPDATE campaigns SET closed_at = now() WHERE number = $1", Repeat::unsafe};

// The places of those that are its own.
const PgStatement kOwnCandidates{"campaign_own_candidates", R"sql(
SELECT b.place FROM unnest($2::text[]) WITH ORDINALITY AS b (id, place)
JOIN candidates k ON k.id::text = b.id AND k.campaign = $1)sql",
                                 Repeat::safe};

const PgStatement kNameFinalists{"campaign_name_finalists",
                                 "UPDATE campaigns SET finalists = $2::text[]::uuid[] "
                                 "WHERE number = $1",
                                 Repeat::unsafe};

const PgStatement kFindCurrentPolicy{
    "campaign_find_current_policy", "SELECT id FROM candidates WHERE campaign = $1 AND origin = $2",
    Repeat::safe};

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
    if (candidate.origin == kCurrentPolicy) {
      error.fields.push_back({pointer + "/origin", "is given by honed alone"});
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

// A key counts within its campaign.
std::string operation_on(const std::string& campaign) {
  return "candidate_set " + campaign;
}

Json answer_of(const AddedCandidateSet& set) {
  Json candidates = Json::array();
  for (const AddedCandidate& candidate : set.candidates) {
    candidates.push_back(Json{{"id", candidate.id}, {"index", candidate.index}});
  }
  return Json{{"id", set.id}, {"candidates", std::move(candidates)}, {"jobs", set.jobs}};
}

AddedCandidateSet set_of(const Json& answer) {
  AddedCandidateSet set;
  set.replayed = true;
  set.id = answer.at("id").get<std::string>();
  for (const Json& candidate : answer.at("candidates")) {
    set.candidates.push_back(
        {candidate.at("id").get<std::string>(), candidate.at("index").get<std::int64_t>()});
  }
  set.jobs = answer.at("jobs").get<std::vector<std::string>>();
  return set;
}

Async<AddedCandidateSet> add_set_in(PgTransaction& transaction, const std::string& id,
                                    const CandidateSet& set) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(require_state(campaign, {CampaignState::waiting, CampaignState::racing},
                              "it takes no more candidates"));
  HONE_CO_CHECK(require_in_time(campaign, "it takes no more candidates"));
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
  transaction.changes_to(Json{{"candidate_set", added.id},
                              {"candidates", added.candidates.size()},
                              {"jobs", added.jobs.size()}});
  co_return added;
}

Async<AddedCandidateSet> add_set_once(PgTransaction& transaction, const std::string& id,
                                      const CandidateSet& set,
                                      const std::optional<IdempotencyKey>& key,
                                      const std::string& proposed_by) {
  if (key) {
    HONE_CO_TRY(const EarlierAnswer earlier,
                co_await claim_key(transaction, *key, proposed_by, operation_on(id)));
    if (earlier.answer) {
      transaction.changed_nothing();
      co_return set_of(*earlier.answer);
    }
  }
  HONE_CO_TRY(AddedCandidateSet added, co_await add_set_in(transaction, id, set));
  if (key) {
    Json answer = answer_of(added);
    HONE_CO_CHECK(
        co_await keep_answer(transaction, *key, proposed_by, operation_on(id), std::move(answer)));
  }
  co_return added;
}

Async<std::string> add_current_policy_in(PgTransaction& transaction, const std::string& id,
                                         const Candidate& candidate) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(require_state(campaign, {CampaignState::confirming},
                              "the policy in force is not to be measured"));
  PgParams wanted;
  wanted.integer(campaign.number).text(kCurrentPolicy);
  HONE_CO_TRY(const PgResult found,
              co_await transaction.execute(kFindCurrentPolicy, std::move(wanted)));
  if (!found.empty()) {
    co_return found.first().text("id");
  }
  PgParams row;
  row.integer(campaign.number).text("honed").text("It is the policy in force.").unsigned_integer(0);
  HONE_CO_TRY(const PgResult stored, co_await transaction.execute(kAddSet, std::move(row)));
  Candidate current = candidate;
  current.index = 0;
  current.origin = kCurrentPolicy;
  AddedCandidateSet added;
  const std::vector<Candidate> alone = {current};
  HONE_CO_CHECK(co_await add_candidates(transaction, stored.first().integer("number"),
                                        campaign.number, alone, added));
  co_return added.candidates.at(0).id;
}

Async<void> close_in(PgTransaction& transaction, const std::string& id) {
  HONE_CO_TRY(const LockedCampaign campaign, co_await lock_campaign(transaction, id));
  HONE_CO_CHECK(require_state(campaign, {CampaignState::racing}, "there is nothing to be closed"));
  if (campaign.closed) {
    transaction.changed_nothing();
    co_return Result<void>();
  }
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
  transaction.changes_to(Json{{"finalists", candidates}});
  co_return Result<void>();
}

}  // namespace

Async<AddedCandidateSet> CampaignStore::add_candidate_set(std::string campaign, CandidateSet set,
                                                          std::optional<IdempotencyKey> key,
                                                          std::string proposed_by) {
  HONE_CO_CHECK(check_set(set));
  const auto body = [&](PgTransaction& transaction) {
    return add_set_once(transaction, campaign, set, key, proposed_by);
  };
  Result<AddedCandidateSet> added = co_await in_transaction<AddedCandidateSet>(pool_, body);
  co_return added;
}

Async<std::string> CampaignStore::add_current_policy(std::string id, Candidate candidate) {
  const auto body = [&](PgTransaction& transaction) {
    return add_current_policy_in(transaction, id, candidate);
  };
  Result<std::string> added = co_await in_transaction<std::string>(pool_, body);
  co_return added;
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

}  // namespace hone
