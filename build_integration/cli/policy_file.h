// Policies on disk: plain, in an envelope with their signature, or with a .sig file beside them.
// Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>  // held by value below

#include "common/base/result.h"
#include "common/json/document.h"
#include "common/policy/policy_json.h"

namespace hone {

// A policy document as it came, and its signature.
struct SignedPolicy {
  Json document;
  std::string signature;  // base64, empty: none
};

// {"policy": {...}, "signature": "..."} or the policy itself. invalid_argument for anything else.
Result<SignedPolicy> parse_signed_policy(std::string_view text);

// The envelope; without a signature the plain document. For people, ends with a newline.
std::string print_signed_policy(const SignedPolicy& policy);

// Reads a policy; a plain one takes its signature from `path`.sig if that exists.
Result<SignedPolicy> read_policy_file(const std::filesystem::path& path);

// How signatures are treated: with public keys they are verified, and any one of them will do, so
// that one key can be followed by the next; without one --unsigned says that none is wanted.
struct Trust {
  std::vector<std::filesystem::path> public_keys;
  bool allow_unsigned = false;
};

// One for each public key that is missing or broken, whether another one fits or not: it will be
// missed on the day that the policy is signed by it.
std::vector<std::string> key_warnings(const Trust& trust);

// The policy to be used, with key_warnings() among its warnings. permission_denied if there is no
// signature or a wrong one; invalid_argument if neither a key nor --unsigned was given.
Result<ParsedPolicy> trusted_policy(const SignedPolicy& policy, const Trust& trust);

}  // namespace hone
