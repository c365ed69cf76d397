#include "server/store/pg/policy_keys.h"

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/policy/signature.h"
#include "common/protocol/names.h"
#include "server/store/pg/records.h"
#include "server/store/policy_key_store.h"

namespace hone {
namespace {

constexpr const char* kInUse =
    "(p.retired_at IS NULL AND p.valid_from <= now() "
    "AND (p.valid_until IS NULL OR p.valid_until > now()))";

const std::string kSelect = std::string(R"sql(
SELECT p.id, p.name, t.name AS target, p.public_key, p.fingerprint,
       rfc3339(p.valid_from) AS valid_from, rfc3339(p.valid_until) AS valid_until,
       rfc3339(p.created_at) AS created_at, k.name AS created_by,
       rfc3339(p.retired_at) AS retired_at, )sql") +
                            kInUse + R"sql( AS in_use
FROM policy_keys p
LEFT JOIN targets t ON t.number = p.target
LEFT JOIN tokens k ON k.number = p.created_by )sql";

const PgStatement kAdd{"policy_key_add", R"sql(
INSERT INTO policy_keys (name, target, public_key, fingerprint, valid_from, valid_until, created_by)
VALUES ($1, (SELECT number FROM targets WHERE name = $2), $3, $4,
        coalesce(to_timestamp($5::double precision / 1000), now()),
        to_timestamp($6::double precision / 1000), (SELECT number FROM tokens WHERE id = $7::uuid))
RETURNING id)sql",
                       Repeat::unsafe};
const PgStatement kFind{"policy_key_find", kSelect + "WHERE p.id = $1::uuid", Repeat::safe};
const PgStatement kList{"policy_key_list",
                        kSelect +
                            "WHERE p.target IS NULL OR $1::text[] IS NULL "
                            "OR t.name = ANY ($1::text[]) ORDER BY p.number",
                        Repeat::safe};
const PgStatement kRetire{"policy_key_retire",
                          "UPDATE policy_keys SET retired_at = now() "
                          "WHERE id = $1::uuid AND retired_at IS NULL",
                          Repeat::unsafe};
// Targets that ask for signatures and have no other key in use than this one.
const PgStatement kLeftWithout{"policy_key_left_without",
                               R"sql(
SELECT t.name FROM targets t JOIN policy_keys mine ON mine.target IS NULL OR mine.target = t.number
WHERE mine.id = $1::uuid AND mine.retired_at IS NULL AND t.signatures_required
  AND (mine.valid_until IS NULL OR mine.valid_until > now())
  AND NOT EXISTS (SELECT FROM policy_keys p
                  WHERE p.number <> mine.number AND (p.target IS NULL OR p.target = t.number)
                    AND )sql" + std::string(kInUse) +
                                   ") ORDER BY t.name LIMIT 4",
                               Repeat::safe};
const PgStatement kGood{"policy_keys_good",
                        std::string("SELECT p.name, p.public_key FROM policy_keys p "
                                    "WHERE (p.target IS NULL OR p.target = "
                                    "(SELECT number FROM targets WHERE name = $1)) AND ") +
                            kInUse + " ORDER BY p.number",
                        Repeat::safe};
const PgStatement kNeeds{"policy_signatures_required",
                         "SELECT signatures_required FROM targets WHERE name = $1", Repeat::safe};
const PgStatement kRequire{"policy_require_signatures",
                           "UPDATE targets SET signatures_required = $2 WHERE name = $1 "
                           "AND signatures_required <> $2",
                           Repeat::unsafe};
const PgStatement kHasTarget{"policy_key_target", "SELECT FROM targets WHERE name = $1",
                             Repeat::safe};

Error bad_key(std::string pointer, std::string detail) {
  return Error{
      ErrorCode::invalid_argument, "bad policy key", {{std::move(pointer), std::move(detail)}}};
}

PolicyKeyView read_key(const PgRow& row) {
  PolicyKeyView key;
  key.id = row.text("id");
  key.name = row.text("name");
  key.target = row.text_or_empty("target");
  key.public_key = row.text("public_key");
  key.fingerprint = row.text("fingerprint");
  key.valid_from = row.text("valid_from");
  key.valid_until = row.text_or_empty("valid_until");
  key.created_at = row.text("created_at");
  key.created_by = row.text_or_empty("created_by");
  key.retired_at = row.text_or_empty("retired_at");
  key.in_use = row.truth("in_use");
  return key;
}

Async<PolicyKeyView> find_in(PgTransaction& transaction, const std::string& id) {
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(wanted)));
  if (found.empty()) {
    co_return no_such("policy key", id);
  }
  co_return read_key(found.first());
}

Async<PolicyKeyView> add_in(PgTransaction& transaction, const NewPolicyKey& key,
                            const std::string& fingerprint) {
  if (!key.target.empty()) {
    PgParams target;
    target.text(key.target);
    HONE_CO_TRY(const PgResult known, co_await transaction.execute(kHasTarget, std::move(target)));
    if (known.empty()) {
      co_return no_such("target", key.target);
    }
  }
  PgParams row;
  row.text(key.name).text_or_null(key.target).text(key.public_key).text(fingerprint);
  row.integer(key.valid_from).integer(key.valid_until).text_or_null(key.created_by);
  PgOutcome<PgResult> added = co_await transaction.execute(kAdd, std::move(row));
  if (!added) {
    const std::string& broken = added.error().constraint;
    if (broken == "policy_keys_name_in_use" || broken == "policy_keys_in_use") {
      co_return fail(ErrorCode::conflict, broken == "policy_keys_in_use"
                                              ? "this key is in use already"
                                              : "a key named '" + key.name + "' is in use already");
    }
    if (broken == "policy_key_is_valid_for_a_time") {
      co_return bad_key("/valid_until", "must lie behind valid_from");
    }
  }
  HONE_CO_TRY(const PgResult made, std::move(added));
  HONE_CO_TRY(PolicyKeyView view, co_await find_in(transaction, made.first().text("id")));
  transaction.changes_object(view.id);
  transaction.changes_target(view.target);
  transaction.changes_to(Json{{"name", view.name}, {"fingerprint", view.fingerprint}});
  co_return view;
}

Async<void> check_not_last(PgTransaction& transaction, const std::string& id) {
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kLeftWithout, std::move(wanted)));
  std::vector<std::string> targets;
  for (int i = 0; i < found.size(); ++i) {
    targets.push_back(i < 3 ? found.row(i).text("name") : "...");
  }
  if (!targets.empty()) {
    co_return fail(ErrorCode::conflict,
                   "it is the last key in use of targets that ask for signatures (" +
                       join(targets, ", ") +
                       "): without one nothing can be put in force there. Add the next one first "
                       "(hone policy key add), or retire it all the same (hone policy key retire "
                       "--force)");
  }
  co_return Result<void>();
}

Async<PolicyKeyView> retire_in(PgTransaction& transaction, const std::string& id, LastKey last) {
  if (last == LastKey::keep) {
    const Result<void> may = co_await check_not_last(transaction, id);
    HONE_CO_CHECK(may);
  }
  PgParams wanted;
  wanted.text(id);
  HONE_CO_TRY(const PgResult retired, co_await transaction.execute(kRetire, std::move(wanted)));
  HONE_CO_TRY(PolicyKeyView view, co_await find_in(transaction, id));
  transaction.changes_target(view.target);
  transaction.changes_from(Json{{"name", view.name}, {"fingerprint", view.fingerprint}});
  if (retired.affected() == 0) {
    transaction.changed_nothing();
  }
  co_return view;
}

Async<void> require_in(PgTransaction& transaction, const std::string& target, bool required) {
  PgParams known;
  known.text(target);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kHasTarget, std::move(known)));
  if (found.empty()) {
    co_return no_such("target", target);
  }
  PgParams both;
  both.text(target).truth(required);
  HONE_CO_TRY(const PgResult changed, co_await transaction.execute(kRequire, std::move(both)));
  transaction.changes_to(Json{{"signatures_required", required}});
  if (changed.affected() == 0) {
    transaction.changed_nothing();
  }
  co_return Result<void>();
}

}  // namespace

Async<void> check_signature(PgTransaction& transaction, std::string target, std::string document,
                            std::string signature) {
  PgParams name;
  name.text(target);
  HONE_CO_TRY(const PgResult keys, co_await transaction.execute(kGood, std::move(name)));
  std::vector<std::string> names;
  for (int i = 0; i < keys.size(); ++i) {
    const PgRow row = keys.row(i);
    const Result<void> verified = verify_policy_text(document, signature, row.view("public_key"));
    if (verified || verified.error().code != ErrorCode::permission_denied) {
      co_return verified;
    }
    names.push_back(row.text("name"));
  }
  co_return fail(ErrorCode::permission_denied,
                 "the signature is of no key in use for target '" + target + "'" +
                     (names.empty() ? ": none is registered" : " (" + join(names, ", ") + ")"));
}

Async<bool> needs_signature(PgTransaction& transaction, std::string target) {
  PgParams name;
  name.text(target);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kNeeds, std::move(name)));
  co_return !found.empty() && found.first().truth("signatures_required");
}

Async<PolicyKeyView> PolicyKeyStore::add(NewPolicyKey key) {
  if (!is_valid_name(key.name)) {
    co_return bad_key("/name", "must be a name: a-z or 0-9, then at most 62 of a-z 0-9 . _ -");
  }
  const Result<std::string> fingerprint = key_fingerprint(key.public_key);
  if (!fingerprint) {
    co_return bad_key("/public_key", fingerprint.error().message);
  }
  const auto body = [&](PgTransaction& transaction) {
    return add_in(transaction, key, *fingerprint);
  };
  Result<PolicyKeyView> added = co_await in_transaction<PolicyKeyView>(pool_, body);
  co_return added;
}

Async<std::vector<PolicyKeyView>> PolicyKeyStore::list(Reader reader) {
  PgParams seen;
  seen.text_array(reader.targets);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kList, std::move(seen)));
  std::vector<PolicyKeyView> keys;
  for (int i = 0; i < found.size(); ++i) {
    keys.push_back(read_key(found.row(i)));
  }
  co_return keys;
}

Async<PolicyKeyView> PolicyKeyStore::retire(std::string id, LastKey last) {
  if (!is_uuid(id)) {
    co_return no_such("policy key", id);
  }
  const auto body = [&](PgTransaction& transaction) { return retire_in(transaction, id, last); };
  Result<PolicyKeyView> retired = co_await in_transaction<PolicyKeyView>(pool_, body);
  co_return retired;
}

Async<bool> PolicyKeyStore::signatures_required(std::string target) {
  PgParams name;
  name.text(target);
  HONE_CO_TRY(const PgResult found, co_await pool_.execute(kNeeds, std::move(name)));
  if (found.empty()) {
    co_return no_such("target", target);
  }
  co_return found.first().truth("signatures_required");
}

Async<void> PolicyKeyStore::require_signatures(std::string target, bool required) {
  const auto body = [&](PgTransaction& transaction) {
    return require_in(transaction, target, required);
  };
  Result<void> changed = co_await in_transaction<void>(pool_, body);
  co_return changed;
}

}  // namespace hone
