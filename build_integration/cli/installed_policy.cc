#include "build_integration/cli/installed_policy.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/policy/decision_files.h"
#include "common/policy/index.h"
#include "common/policy/timestamp.h"

namespace hone {
namespace {

constexpr std::size_t kMaxSeenBytes = 1024;

std::filesystem::path seen_file(const std::filesystem::path& index) {
  return index.string() + ".seen";
}

// The highest sequence number seen of a target, 0 if none. The file holds "TARGET NUMBER".
Result<std::uint64_t> seen_sequence(const std::filesystem::path& index, const std::string& target) {
  const std::filesystem::path path = seen_file(index);
  const Result<std::string> text = read_file(path, kMaxSeenBytes);
  if (!text.has_value()) {
    if (text.error().code == ErrorCode::not_found) {
      return 0;
    }
    return text.error();
  }
  const std::string_view line = trim(*text);
  const std::size_t space = line.rfind(' ');
  std::uint64_t sequence = 0;
  const std::string_view number =
      space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), sequence);
  if (error != std::errc() || end != number.data() + number.size()) {
    return fail(ErrorCode::invalid_argument,
                path.string() + " holds no target and sequence number; if you know why, remove it");
  }
  return line.substr(0, space) == target ? sequence : 0;
}

// A sequence number belongs to one document. The document in place says which: one with the same
// number and other rules is from a coordinator that counts anew (a restored or fresh database).
// Nothing can be said where the document in place is missing, or of another number.
Result<void> check_same_document(const SignedPolicy& policy, std::uint64_t sequence,
                                 const PolicyPlace& place) {
  const Result<SignedPolicy> in_place = read_policy_file(place.document);
  if (!in_place.has_value() || in_place->document == policy.document) {
    return {};
  }
  const Result<ParsedPolicy> parsed = policy_from_json(in_place->document);
  if (!parsed.has_value() || parsed->policy.sequence != sequence) {
    return {};
  }
  return fail(ErrorCode::conflict,
              fmt::format("the policy has sequence {}, and so has {}, which is another one: a "
                          "number is given once. Publish it with a higher one (`hone policy "
                          "rollback`, or sign it anew)",
                          sequence, place.document.string()));
}

void warn_of_expiry(std::int64_t expires_at, std::vector<std::string>& warnings) {
  if (expires_at != 0 && expires_at < std::time(nullptr)) {
    warnings.push_back("the policy expired at " + format_timestamp(expires_at) +
                       ": builds stay plain");
  }
}

}  // namespace

Result<Installation> install_policy(const SignedPolicy& policy, const Trust& trust,
                                    const std::string& target, const PolicyPlace& place) {
  HONE_TRY(ParsedPolicy parsed, trusted_policy(policy, trust));
  if (parsed.policy.target != target) {
    return fail(ErrorCode::permission_denied, "the policy is one for target \"" +
                                                  parsed.policy.target + "\", not for \"" + target +
                                                  "\"");
  }
  HONE_TRY(const std::uint64_t seen, seen_sequence(place.index, target));
  if (parsed.policy.sequence < seen) {
    return fail(
        ErrorCode::expired,
        fmt::format("the policy has sequence {}, and {} was seen before: an older policy is "
                    "not taken (`hone policy rollback {} VERSION` publishes one anew, a signed one "
                    "has to be signed with a higher number)",
                    parsed.policy.sequence, seen, target));
  }
  if (parsed.policy.sequence == seen) {
    HONE_CHECK(check_same_document(policy, seen, place));
  }
  HONE_TRY(const std::string index, compile_index(parsed.policy));
  Installation done;
  done.sequence = parsed.policy.sequence;
  done.rules = parsed.policy.rules.size();
  done.warnings = std::move(parsed.warnings);
  warn_of_expiry(parsed.policy.expires_at, done.warnings);
  // In this order: a run that ends in between has no policy in place whose sequence is not noted,
  // and no decision file newer than the index that an object made because of it was compiled with.
  HONE_CHECK(write_file_if_changed(seen_file(place.index),
                                   fmt::format("{} {}\n", target, parsed.policy.sequence)));
  HONE_TRY(done.changed, write_file_if_changed(place.index, index));
  if (!place.decisions.empty()) {
    HONE_TRY(done.decisions_changed,
             write_decision_files(parsed.policy, place.sources, place.decisions));
  }
  HONE_CHECK(write_file_if_changed(place.document, print_signed_policy(policy)));
  return done;
}

Result<std::optional<Installation>> keep_policy(const Trust& trust, const PolicyPlace& place) {
  const Result<PolicyIndex> index = PolicyIndex::open(place.index);
  Policy policy;
  policy.rules.clear();
  bool is_known = !index.has_value();  // without an index nothing is decided
  std::optional<Installation> kept;
  if (index.has_value()) {
    kept.emplace();
    kept->sequence = index->sequence();
    kept->rules = index->rule_count();
    kept->warnings = key_warnings(trust);
    warn_of_expiry(index->expires_at(), kept->warnings);
    const Result<SignedPolicy> document = read_policy_file(place.document);
    if (document.has_value()) {
      Result<ParsedPolicy> parsed = trusted_policy(*document, trust);
      if (parsed.has_value() && parsed->policy.sequence == index->sequence()) {
        policy = std::move(parsed->policy);
        is_known = true;
      }
    }
  }
  if (!place.decisions.empty() && is_known) {
    HONE_TRY(const std::size_t changed,
             write_decision_files(policy, place.sources, place.decisions));
    if (kept) {
      kept->decisions_changed = changed;
    }
  } else if (!place.decisions.empty() && kept) {
    kept->warnings.push_back(place.document.string() +
                             " is not the document of the index: no decision file was written");
  }
  return kept;
}

}  // namespace hone
