// Policies to and from the coordinator. Thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "build_integration/cli/policy_file.h"
#include "common/base/result.h"
#include "common/client/client.h"

namespace hone {

// The promoted policy of a target, or a version of it if `version` is not 0, with its signature
// (response header Hone-Policy-Signature). Errors are those of the client.
Result<SignedPolicy> fetch_policy(const Client& client, std::string_view target,
                                  std::int64_t version);

// Publishes a new version; what the coordinator says of it.
Result<Json> publish_policy(const Client& client, std::string_view target,
                            const SignedPolicy& policy);

// A version number, from 1. invalid_argument.
Result<std::int64_t> parse_version(std::string_view text);

}  // namespace hone
