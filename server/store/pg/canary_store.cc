#include "server/store/canary_store.h"

#include <algorithm>

#include "server/store/pg/canary_records.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kFacts{"canary_facts", R"sql(
SELECT t.number AS target, s.spec AS service,
       p.version IS NOT NULL AS has_policy, f.version AS in_force,
       coalesce(p.sequence < f.sequence, false) AS is_older,
       EXISTS (SELECT FROM canaries o
               WHERE o.ended_at IS NULL AND o.target <> t.number
                 AND (o.service->'traffic'->'manifest'->'file' = s.spec->'traffic'->'manifest'->'file'
                      OR (o.service->'traffic'->'haproxy'->'socket' = s.spec->'traffic'->'haproxy'->'socket'
                          AND o.service->'traffic'->'haproxy'->'backend' =
                              s.spec->'traffic'->'haproxy'->'backend'))) AS has_rival
FROM targets t LEFT JOIN services s ON s.target = t.number
LEFT JOIN policies p ON p.target = t.number AND p.version = $2
LEFT JOIN policies f ON f.target = t.number AND f.promoted
WHERE t.name = $1)sql",
                         Repeat::safe};
// One canary begins at a time: two at once would both see no rival. The key: "cnry" in ASCII.
const PgStatement kBeginAlone{"canary_begin_alone", "SELECT pg_advisory_xact_lock(1668182649)",
                              Repeat::safe};
const PgStatement kCreate{"canary_create", R"sql(
INSERT INTO canaries (target, policy_version, spec, service, created_by, known_good)
VALUES ($1, $2, $3::jsonb, $4::jsonb, (SELECT number FROM tokens WHERE id = $5::uuid), $6)
RETURNING id)sql",
                          Repeat::unsafe};

const PgStatement kList{"canary_list", std::string(kSelectCanary) + R"sql(
WHERE ($1::text[] IS NULL OR t.name = ANY ($1::text[])) AND ($2::text IS NULL OR t.name = $2)
  AND ($3::bigint IS NULL OR c.number < $3)
ORDER BY c.number DESC LIMIT $4)sql",
                        Repeat::safe};

const PgStatement kDecisions{"canary_decisions", R"sql(
SELECT rfc3339(d.at) AS at, d.state, d.share, d.windows, d.reason, d.judgement
FROM canary_decisions d JOIN canaries c ON c.number = d.canary
WHERE c.id = $1::uuid ORDER BY d.number)sql",
                             Repeat::safe};
const PgStatement kWindows{"canary_windows", R"sql(
SELECT w.number, w.start, w.seconds, w.share, w.baseline, w.canary_group
FROM canary_windows w JOIN canaries c ON c.number = w.canary
WHERE c.id = $1::uuid ORDER BY w.number)sql",
                           Repeat::safe};

const PgStatement kServing{"canary_serving", R"sql(
SELECT c.id, CASE WHEN c.state <> 'promoted'
                  THEN floor(extract(epoch FROM c.serving_until - now()) * 1000)::bigint END AS left_ms
FROM canaries c
WHERE c.share > 0
  AND CASE WHEN c.state = 'promoted'
           THEN NOT EXISTS (SELECT FROM canaries n WHERE n.target = c.target AND n.number > c.number)
           ELSE c.serving_until > now() END)sql",
                           Repeat::safe};

const PgStatement kAddExperience{"canary_add_experience", R"sql(
INSERT INTO experiences (source, canary, line)
SELECT 'production', number, $2 FROM canaries WHERE id = $1::uuid
ON CONFLICT ON CONSTRAINT experience_of_a_canary_is_one DO NOTHING)sql",
                                 Repeat::unsafe};

Error bad_canary(std::string pointer, std::string detail) {
  return Error{
      ErrorCode::invalid_argument, "bad canary", {{std::move(pointer), std::move(detail)}}};
}

PgParams only(const std::string& text) {
  PgParams params;
  params.text(text);
  return params;
}

Async<CanaryView> create_in(PgTransaction& transaction, const CanarySpec& spec,
                            const std::string& created_by) {
  HONE_CO_CHECK(co_await transaction.execute(kBeginAlone, PgParams()));
  PgParams wanted;
  wanted.text(spec.target).integer(spec.policy_version);
  HONE_CO_TRY(const PgResult facts, co_await transaction.execute(kFacts, std::move(wanted)));
  if (facts.empty()) {
    co_return bad_canary("/target", "no target '" + spec.target + "' is registered");
  }
  const PgRow known = facts.first();
  if (known.is_null("service")) {
    co_return bad_canary(
        "/target", "no service of '" + spec.target + "' is described: hone service set says how");
  }
  if (!known.truth("has_policy")) {
    co_return bad_canary("/policy_version", "there is no version " +
                                                std::to_string(spec.policy_version) +
                                                " of the policy of '" + spec.target + "'");
  }
  if (known.truth("is_older")) {
    co_return fail(ErrorCode::conflict,
                   "version " + std::to_string(spec.policy_version) + " is older than version " +
                       known.text("in_force") +
                       ", which is in force, and could never follow it: publish it again");
  }
  if (known.truth("has_rival")) {
    // Each would take the other's share for a mistake, and correct it.
    co_return fail(ErrorCode::conflict,
                   "a canary of another target moves the same traffic (that backend of HAProxy, or "
                   "that manifest): end it first");
  }
  PgParams row;
  row.integer(known.integer("target")).integer(spec.policy_version).json(to_json(spec));
  row.json(known.json("service")).text_or_null(created_by);
  known.is_null("in_force") ? row.null() : row.integer(known.integer("in_force"));
  PgOutcome<PgResult> created = co_await transaction.execute(kCreate, std::move(row));
  if (!created && created.error().constraint == "canary_is_alone_on_its_target") {
    co_return fail(ErrorCode::conflict,
                   "a canary of '" + spec.target + "' is under way: end it first");
  }
  HONE_CO_TRY(const PgResult made, std::move(created));
  const std::string id = made.first().text("id");
  transaction.changes_object(id);
  transaction.changes_target(spec.target);
  transaction.changes_to(Json{{"policy_version", spec.policy_version}});
  Result<CanaryView> view = co_await find_canary_in(transaction, id);
  co_return view;
}

}  // namespace

Async<CanaryView> CanaryStore::create(CanarySpec spec, std::string created_by) {
  const auto body = [&](PgTransaction& transaction) {
    return create_in(transaction, spec, created_by);
  };
  Result<CanaryView> created = co_await in_transaction<CanaryView>(pool_, body);
  co_return created;
}

Async<CanaryView> CanaryStore::find(std::string id) {
  if (!is_uuid(id)) {
    co_return no_such("canary", id);
  }
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(find_canary_statement(), only(id)));
  if (found.empty()) {
    co_return no_such("canary", id);
  }
  co_return read_canary(found.first());
}

Async<Page<CanaryView>> CanaryStore::list(Reader reader, std::optional<std::string> target,
                                          PageRequest page) {
  HONE_CO_CHECK(check_limit(page));
  HONE_CO_TRY(const std::optional<std::int64_t> before, number_cursor(page));
  PgParams wanted;
  reader.targets ? wanted.text_array(*reader.targets) : wanted.null();
  target ? wanted.text(*target) : wanted.null();
  wanted.integer(before).integer(page.limit + 1);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, std::move(wanted)));
  Page<CanaryView> list;
  const int shown = std::min(found.size(), static_cast<int>(page.limit));
  for (int i = 0; i < shown; ++i) {
    list.items.push_back(read_canary(found.row(i)));
  }
  if (found.size() > shown) {
    list.next_cursor = found.row(shown - 1).text("number");
  }
  co_return list;
}

Async<std::vector<CanaryDecision>> CanaryStore::decisions(std::string id) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kDecisions, only(id)));
  std::vector<CanaryDecision> trail;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    trail.push_back({row.text("at"), row.one_of("state", parse_canary_state),
                     static_cast<int>(row.integer("share")), row.integer("windows"),
                     row.text("reason"), json_or_null(row, "judgement")});
  }
  co_return trail;
}

Async<std::vector<CanaryWindow>> CanaryStore::windows(std::string id) {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kWindows, only(id)));
  std::vector<CanaryWindow> windows;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    windows.push_back({row.integer("number"), row.number("start"), row.number("seconds"),
                       static_cast<int>(row.integer("share")), row.json("baseline"),
                       row.json("canary_group")});
  }
  co_return windows;
}

Async<std::vector<ServingCanary>> CanaryStore::serving() {
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kServing, PgParams()));
  std::vector<ServingCanary> canaries;
  for (int i = 0; i < found.size(); ++i) {
    const PgRow row = found.row(i);
    ServingCanary& canary = canaries.emplace_back();
    canary.id = row.text("id");
    if (!row.is_null("left_ms")) {
      canary.left_ms = row.integer("left_ms");
    }
  }
  co_return canaries;
}

Async<bool> CanaryStore::may_serve(std::string id) {
  Result<std::vector<ServingCanary>> found = co_await serving();
  HONE_CO_TRY(const std::vector<ServingCanary> canaries, std::move(found));
  co_return std::ranges::find(canaries, id, &ServingCanary::id) != canaries.end();
}

Async<bool> CanaryStore::add_experience(std::string id, Json line) {
  PgParams params;
  params.text(id).text(dump_json(line));
  HONE_CO_TRY(const PgResult added, co_await pool_.execute(kAddExperience, std::move(params)));
  co_return added.affected() > 0;
}

}  // namespace hone
