// Published policies: documents in versions, one of them promoted per target.
//
// A launcher refuses a policy with a sequence number below one it saw. So sequence numbers only
// grow along publications and promotions, and going back to older rules is a new version with a new
// number; after a restore from a backup they go on behind a gap. Documents are kept byte for byte,
// since signatures and ETags are of the bytes. Not thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json/document.h"
#include "server/store/async.h"

namespace hone {

enum class Promotion { leave, promote };

struct NewPolicy {
  std::string target;      // name of a registered target
  std::string document;    // JSON object with a member "sequence"
  std::string signature;   // base64, of the document's bytes; empty: not signed
  std::string campaign;    // id of the campaign it came from, empty if none
  std::string candidate;   // id likewise
  std::string created_by;  // a token's id; empty: honed itself
  Promotion promotion = Promotion::leave;
};

struct PolicyVersion {
  std::string target;
  std::int64_t version = 1;   // counts from 1 per target
  std::int64_t sequence = 1;  // as in the document
  std::string sha256;         // of the document's bytes
  std::string created_at;     // RFC 3339
  std::string created_by;     // name of the token, "honed" if it was honed itself
  bool promoted = false;
  std::string campaign;   // id, empty if none
  std::string candidate;  // id, empty if none
  bool is_signed = false;
  bool known = false;  // by publish(): it was published before
};

struct PolicyDocument {
  PolicyVersion version;
  std::string document;
  std::string signature;  // empty: not signed
};

// What became of a policy that was in force in a backup.
struct RestoredPolicy {
  enum class End {
    published,        // again, under a number that every machine takes
    wants_signature,  // its number is within the signed bytes
    has_canary,       // one is under way, of a version that may follow it
  };
  End end = End::published;
  std::string target;
  std::int64_t version = 0;   // in the backup
  std::int64_t sequence = 0;  // its new one, or the lowest that it may be published with
  std::string canary;         // id
};

class PolicyStore {
 public:
  explicit PolicyStore(PgPool& pool) : pool_(pool) {}

  // Adds a version. Unsigned: the store sets the document's sequence to one more than the target's
  // highest and writes it in canonical form (dump_json). Signed: the bytes stay, and a sequence
  // that is not above the highest is a conflict naming it, but for the very document
  // of a version that is there, with its signature or, where it has none and is not in force, the
  // first one: that version, marked as known. invalid_argument if the document is
  // no JSON object with a positive sequence; not_found if the target is not registered.
  Async<PolicyVersion> publish(NewPolicy policy);
  // The promoted version. not_found if the target has none.
  Async<PolicyDocument> find_promoted(std::string target);
  // not_found.
  Async<PolicyDocument> find_version(std::string target, std::int64_t version);
  // Newest first; empty for a target without policies. not_found if the target is not registered.
  Async<std::vector<PolicyVersion>> versions(std::string target);
  // Puts a signature (base64) beside a version that has none, or in place of another, as whoever
  // signs follows one key with the next. permission_denied unless it is of a key in use for the
  // target (PolicyKeyStore); invalid_argument for what is no signature; not_found.
  Async<PolicyVersion> attach_signature(std::string target, std::int64_t version,
                                        std::string signature);
  // Makes it the promoted version. The promoted one already: no change. conflict if its sequence is
  // below that of the promoted one (use rollback), if the target asks for a signature and it has
  // none, or while the error budget of the target's service is spent (known good is what is in
  // force); permission_denied if the signature is of no key in use; not_found.
  Async<PolicyVersion> promote(std::string target, std::int64_t version);
  // Whether promote() would do it now; its errors.
  Async<void> check_promotion(std::string target, std::int64_t version);
  // Publishes the document of an older version again, with the next sequence number, and promotes
  // it; gives the new version. conflict if that version is signed, or the target asks for a
  // signature (sign it anew with a higher sequence and publish it); not_found.
  Async<PolicyVersion> rollback(std::string target, std::int64_t version, std::string created_by);
  // The database was restored from a backup, and does not know what was published since: from now
  // on each target's sequences lie above its highest and `gap`. `gap` is positive, and larger than
  // that of an earlier restore of the same backup by more than was published in between.
  Async<void> leave_gap(std::int64_t gap);
  // After leave_gap(): what is in force is older than what machines may have seen, so they would
  // refuse it. Publishes and promotes each again, with a number behind the gap, where honed gives
  // the numbers; says of every policy in force what became of it, by name of the target.
  Async<std::vector<RestoredPolicy>> number_anew(std::string created_by);

 private:
  PgPool& pool_;
};

}  // namespace hone
