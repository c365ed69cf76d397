#include "server/store/pg/policy_publish.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/sha256.h"
#include "common/json/document.h"
#include "server/store/pg/audit_log.h"
#include "server/store/pg/records.h"

namespace hone {
namespace {

const PgStatement kLockTarget{"policy_lock_target", R"sql(
SELECT t.number,
       coalesce((SELECT max(version) FROM policies p WHERE p.target = t.number), 0) AS version,
       coalesce((SELECT max(sequence) FROM policies p WHERE p.target = t.number), 0) AS sequence,
       r.gap + coalesce((SELECT max(sequence) FROM policies p
                         WHERE p.target = t.number AND p.created_at <= r.last), 0) AS lost
FROM (SELECT number FROM targets WHERE name = $1 FOR NO KEY UPDATE) t,
     (SELECT max(restored_at) AS last, coalesce(max(policy_gap), 0) AS gap FROM restores) r)sql",
                              Repeat::unsafe};

const PgStatement kDemote{"policy_demote",
                          "UPDATE policies SET promoted = false WHERE target = $1 AND promoted",
                          Repeat::unsafe};

const PgStatement kAdd{"policy_add", R"sql(
INSERT INTO policies (target, version, sequence, document, document_sha256, signature, campaign,
                      candidate, created_by, promoted)
VALUES ($1, $2, $3, $4, $5, $6, (SELECT number FROM campaigns WHERE id = $7::uuid),
        (SELECT number FROM candidates WHERE id = $8::uuid),
        (SELECT number FROM tokens WHERE id = $9::uuid), $10))sql",
                       Repeat::unsafe};

const PgStatement kFind{"policy_added",
                        std::string(kSelectPolicy) + "WHERE p.target = $1 AND p.version = $2",
                        Repeat::safe};

const PgStatement kFindSame{"policy_find_same",
                            std::string(kSelectPolicy) +
                                "WHERE p.target = $1 AND p.document_sha256 = $2 "
                                "ORDER BY p.version DESC LIMIT 1",
                            Repeat::safe};

const PgStatement kSign{"policy_sign_published",
                        "UPDATE policies SET signature = $3 WHERE target = $1 AND version = $2",
                        Repeat::unsafe};

Error bad_document(std::string pointer, std::string detail) {
  Error error = fail(ErrorCode::invalid_argument, "bad policy");
  error.fields.push_back({std::move(pointer), std::move(detail)});
  return error;
}

// What a target's numbers must be above.
struct Taken {
  std::int64_t published = 0;  // the highest one
  std::int64_t lost = 0;       // up to which some may have been before a restore; 0: there was none
  std::int64_t highest() const { return std::max(published, lost); }
};

// The bytes to store and their sequence number.
struct Numbered {
  std::string document;
  std::int64_t sequence = 0;
};

// Those that honed gives, one above the highest, come behind it: whatever a signer chose, there are
// more than will ever be published.
constexpr std::uint64_t kMaxSignedSequence = std::uint64_t{1} << 52U;

Result<Numbered> number_document(const NewPolicy& policy, const Taken& taken) {
  HONE_TRY(Json document, parse_json(policy.document));
  if (!document.is_object()) {
    return bad_document("/document", "must be an object");
  }
  if (policy.signature.empty()) {
    const std::int64_t next = taken.highest() + 1;
    document["sequence"] = next;
    return Numbered{dump_json(document), next};
  }
  const auto sequence = document.find("sequence");
  const std::uint64_t given = sequence != document.end() && sequence->is_number_unsigned()
                                  ? sequence->get<std::uint64_t>()
                                  : 0;
  if (given < 1 || given > kMaxSignedSequence) {
    return bad_document(
        "/document/sequence",
        "must be from 1 to " + std::to_string(kMaxSignedSequence) + " in a signed policy");
  }
  const auto number = static_cast<std::int64_t>(given);
  if (number <= taken.highest()) {
    const std::string why = taken.lost > taken.published
                                ? "' may have published numbers up to " +
                                      std::to_string(taken.lost) +
                                      " before its database was restored from a backup"
                                : "' has published " + std::to_string(taken.published);
    return fail(ErrorCode::conflict,
                "the signed policy has sequence " + std::to_string(number) + ", and target '" +
                    policy.target + why + ": sign it with one from " +
                    std::to_string(taken.highest() + 1) + " on (hone policy sign --sequence)");
  }
  return Numbered{policy.document, number};
}

// Where a target's next policy comes.
struct Place {
  std::int64_t target = 0;
  std::int64_t version = 0;
  Taken taken;
};

Async<Place> lock_in(PgTransaction& transaction, const std::string& target) {
  PgParams wanted;
  wanted.text(target);
  HONE_CO_CHECK(co_await transaction.execute(kLockTarget, wanted));
  // Once more, now that the lock is had: a publication that was waited for is counted.
  HONE_CO_TRY(const PgResult locked, co_await transaction.execute(kLockTarget, std::move(wanted)));
  if (locked.empty()) {
    co_return no_such("target", target);
  }
  const PgRow row = locked.first();
  Place place;
  place.target = row.integer("number");
  place.version = row.integer("version") + 1;
  place.taken.published = row.integer("sequence");
  place.taken.lost = row.integer("lost");
  co_return place;
}

// Whoever pushes again what is there already gets what is there. A winner is published unsigned by
// its campaign; signed and pushed it is the same version, with the signature, which a promotion
// verifies as it does that of any other.
Async<std::optional<PolicyVersion>> find_same(PgTransaction& transaction, std::int64_t target,
                                              const NewPolicy& policy) {
  PgParams wanted;
  wanted.integer(target).text(sha256_hex(policy.document));
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFindSame, std::move(wanted)));
  if (policy.signature.empty() || found.empty() || policy.promotion == Promotion::promote) {
    co_return std::optional<PolicyVersion>();
  }
  PolicyVersion same = read_policy_version(found.first());
  const std::string has = found.first().text("signature");
  if (has.empty() && !same.promoted) {
    PgParams row;
    row.integer(target).integer(same.version).text(policy.signature);
    HONE_CO_CHECK(co_await transaction.execute(kSign, std::move(row)));
    transaction.changes_from(Json{{"version", same.version}, {"signed", false}});
    transaction.changes_to(Json{{"version", same.version}, {"signed", true}});
    same.is_signed = true;
  } else if (has != policy.signature) {
    const std::string version = std::to_string(same.version);
    co_return fail(ErrorCode::conflict,
                   "version " + version + " of policy '" + policy.target +
                       "' is this very document with another signature or none: put yours beside "
                       "it (hone policy attach " +
                       policy.target + " " + version + " FILE)");
  } else {
    transaction.changed_nothing();
  }
  same.known = true;
  co_return std::optional<PolicyVersion>(std::move(same));
}

}  // namespace

PolicyVersion read_policy_version(const PgRow& row) {
  PolicyVersion version;
  version.target = row.text("target");
  version.version = row.integer("version");
  version.sequence = row.integer("sequence");
  version.sha256 = row.text("document_sha256");
  version.created_at = row.text("created_at");
  version.created_by = row.text("created_by");
  version.promoted = row.truth("promoted");
  version.campaign = row.text_or_empty("campaign");
  version.candidate = row.text_or_empty("candidate");
  version.is_signed = row.truth("is_signed");
  return version;
}

Async<std::int64_t> next_sequence_in(PgTransaction& transaction, std::string target) {
  Result<Place> found = co_await lock_in(transaction, target);
  HONE_CO_TRY(const Place place, std::move(found));
  co_return place.taken.highest() + 1;
}

Async<PolicyVersion> publish_in(PgTransaction& transaction, NewPolicy policy) {
  Result<Place> found_place = co_await lock_in(transaction, policy.target);
  HONE_CO_TRY(const Place place, std::move(found_place));
  const std::int64_t target = place.target;
  const std::int64_t version = place.version;
  Result<std::optional<PolicyVersion>> looked = co_await find_same(transaction, target, policy);
  HONE_CO_TRY(std::optional<PolicyVersion> same, std::move(looked));
  if (same) {
    co_return *std::move(same);
  }
  HONE_CO_TRY(const Numbered numbered, number_document(policy, place.taken));
  const bool promoted = policy.promotion == Promotion::promote;
  if (promoted) {
    PgParams demoted;
    demoted.integer(target);
    HONE_CO_CHECK(co_await transaction.execute(kDemote, std::move(demoted)));
  }
  PgParams row;
  row.integer(target).integer(version).integer(numbered.sequence).text(numbered.document);
  row.text(sha256_hex(numbered.document)).text(policy.signature).text_or_null(policy.campaign);
  row.text_or_null(policy.candidate).text_or_null(policy.created_by).truth(promoted);
  HONE_CO_CHECK(co_await transaction.execute(kAdd, std::move(row)));
  transaction.changes_to(Json{{"version", version},
                              {"sequence", numbered.sequence},
                              {"sha256", sha256_hex(numbered.document)},
                              {"promoted", promoted}});
  PgParams added;
  added.integer(target).integer(version);
  HONE_CO_TRY(const PgResult found, co_await transaction.execute(kFind, std::move(added)));
  co_return read_policy_version(found.first());
}

Async<void> log_publication_in(PgTransaction& transaction, PolicyVersion version) {
  AuditEntry entry;
  entry.action = "policy.publish";
  entry.kind = "policy";
  entry.object = entry.target = version.target;
  entry.after = dump_json({{"version", version.version},
                           {"sequence", version.sequence},
                           {"sha256", version.sha256},
                           {"promoted", version.promoted},
                           {"campaign", version.campaign}});
  HONE_CO_CHECK(co_await transaction.execute(audit_statement(), audit_params(entry)));
  co_return Result<void>();
}

}  // namespace hone
