#include "build_integration/cli/policy_file.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/json/object_reader.h"
#include "common/policy/signature.h"

namespace hone {
namespace {

constexpr std::size_t kMaxPolicyBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxKeyBytes = 16384;
constexpr std::size_t kMaxSignatureText = 4096;

Result<void> verify_by(const SignedPolicy& policy, const std::filesystem::path& key) {
  HONE_TRY(const std::string pem, read_file(key, kMaxKeyBytes));
  const Result<void> verified = verify_policy(policy.document, policy.signature, pem);
  if (!verified && verified.error().code != ErrorCode::permission_denied) {
    return verified.error().within("public key " + key.string());
  }
  return verified;
}

// The first key's refusal, if there is but one; else that one is of no use; else that none fits.
Result<void> verify_by_any(const SignedPolicy& policy,
                           const std::vector<std::filesystem::path>& keys) {
  std::optional<Error> first;
  for (const std::filesystem::path& key : keys) {
    const Result<void> verified = verify_by(policy, key);
    if (verified) {
      return {};
    }
    if (!first && (keys.size() == 1 || verified.error().code != ErrorCode::permission_denied)) {
      first = verified.error();
    }
  }
  if (first) {
    return *first;
  }
  return fail(ErrorCode::permission_denied,
              "the signature is of none of the " + std::to_string(keys.size()) +
                  " public keys over this policy: changed, or signed by another");
}

}  // namespace

Result<SignedPolicy> parse_signed_policy(std::string_view text) {
  HONE_TRY(Json document, parse_json(text, {.bytes = kMaxPolicyBytes}));
  if (!document.is_object() || !document.contains("policy")) {
    return SignedPolicy{std::move(document), ""};
  }
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  const Json* const policy = reader.require("policy");
  std::string signature =
      reader.optional_text("signature", {.max_size = kMaxSignatureText}).value_or("");
  reader.finish();
  if (auto error = problems.as_error("policy envelope")) {
    return *std::move(error);
  }
  return SignedPolicy{*policy, std::move(signature)};
}

std::string print_signed_policy(const SignedPolicy& policy) {
  if (policy.signature.empty()) {
    return dump_json_pretty(policy.document) + "\n";
  }
  Json envelope = Json::object();
  envelope["policy"] = policy.document;
  envelope["signature"] = policy.signature;
  return dump_json_pretty(envelope) + "\n";
}

Result<SignedPolicy> read_policy_file(const std::filesystem::path& path) {
  HONE_TRY(const std::string text, read_file(path, kMaxPolicyBytes));
  Result<SignedPolicy> policy = parse_signed_policy(text);
  if (!policy) {
    return policy.error().within(path.string());
  }
  if (policy->signature.empty()) {
    const Result<std::string> detached = read_file(path.string() + ".sig", kMaxSignatureText);
    if (detached) {
      policy->signature = std::string(trim(*detached));
    } else if (detached.error().code != ErrorCode::not_found) {
      return detached.error();
    }
  }
  return policy;
}

std::vector<std::string> key_warnings(const Trust& trust) {
  std::vector<std::string> warnings;
  for (const std::filesystem::path& key : trust.public_keys) {
    const Result<std::string> pem = read_file(key, kMaxKeyBytes);
    const Result<std::string> known = pem ? key_fingerprint(*pem) : pem;
    if (!known) {
      warnings.push_back("the public key " + key.string() +
                         " is of no use: " + known.error().message);
    }
  }
  return warnings;
}

Result<ParsedPolicy> trusted_policy(const SignedPolicy& policy, const Trust& trust) {
  if (!trust.public_keys.empty()) {
    if (policy.signature.empty()) {
      return fail(ErrorCode::permission_denied,
                  "the policy is not signed: sign it with `hone policy sign`");
    }
    HONE_CHECK(verify_by_any(policy, trust.public_keys));
    HONE_TRY(ParsedPolicy parsed, policy_from_json(policy.document));
    const std::vector<std::string> warnings = key_warnings(trust);
    parsed.warnings.insert(parsed.warnings.end(), warnings.begin(), warnings.end());
    return parsed;
  }
  if (!trust.allow_unsigned) {
    return fail(ErrorCode::invalid_argument,
                "give --public-key FILE to verify the policy's signature, or --unsigned to go "
                "without");
  }
  return policy_from_json(policy.document);
}

}  // namespace hone
