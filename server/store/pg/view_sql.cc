#include "server/store/pg/view_sql.h"

#include <fmt/format.h>

#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kTarget{"view_target", "SELECT number FROM targets WHERE name = $1",
                          Repeat::safe};

}  // namespace

std::string reward_json(const std::string& alias) {
  return fmt::format(
      "CASE WHEN {0}.reward IS NOT NULL THEN json_build_object('value', {0}.reward, 'low', "
      "{0}.reward_low, 'high', {0}.reward_high, 'confidence', {0}.reward_confidence, 'pairs', "
      "{0}.reward_pairs, 'detectable_effect', {0}.reward_detectable_effect, 'noise', "
      "{0}.reward_noise) END",
      alias);
}

std::string milliseconds(const std::string& time) {
  return fmt::format("floor(date_part('epoch', {}) * 1000)::bigint", time);
}

std::string commit_of(const std::string& version_alias) {
  return fmt::format("nullif({}.spec #>> '{{source,git,commit}}', '')", version_alias);
}

std::string metric_of(const std::string& version_alias) {
  return fmt::format("coalesce({}.spec #>> '{{benchmark,metric,metric}}', 'cpu_time')",
                     version_alias);
}

std::string estimated_end() {
  // What is still to be raced: the budget's candidates, or those proposed where there is no such
  // budget. Greatest of none and null is null's other side, so each is asked for.
  return R"sql(
CASE WHEN c.state = 'racing' THEN rfc3339(least(
  c.racing_at + c.budget_seconds * interval '1 second',
  CASE WHEN race.finished > 0 THEN
    now() + (now() - c.racing_at) * (
      greatest(coalesce(c.budget_candidates, 0) - race.finished, race.unfinished, 0)::double precision
      / race.finished)
  END)) END)sql";
}

std::string progress() {
  return R"sql(
CASE WHEN c.racing_at IS NOT NULL THEN least(1, greatest(
  race.finished::double precision / c.budget_candidates,
  date_part('epoch', coalesce(c.confirming_at, c.finished_at, now()) - c.racing_at) / c.budget_seconds))
END)sql";
}

std::string budget_is_spent_sql(const std::string& alias) {
  return fmt::format(
      "({0}.spent_since IS NOT NULL AND {0}.budget_at > now() - ({0}.spec #>> "
      "'{{objective,window_seconds}}')::double precision * interval '1 second')",
      alias);
}

Async<std::int64_t> target_number(PgPool& pool, const std::string& target) {
  PgParams name;
  name.text(target);
  HONE_CO_TRY(const PgResult known, co_await pool.execute(kTarget, std::move(name)));
  if (known.empty()) {
    co_return no_such("target", target);
  }
  co_return known.first().integer("number");
}

Async<std::string> one_document(PgPool& pool, const PgStatement& statement, PgParams params) {
  HONE_CO_TRY(const PgResult found, co_await pool.execute(statement, std::move(params)));
  co_return std::string(found.value(0, 0).value_or("null"));
}

}  // namespace hone
