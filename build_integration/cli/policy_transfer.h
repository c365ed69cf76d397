// Policies to and from the coordinator. Thread safe.
#pragma once

#include <chrono>
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

// The same within a budget, whatever the network does: name resolution, connection and answer
// together. timed_out when it is used up. A thread may be left behind that waits for a name server:
// it ends with the process.
Result<SignedPolicy> fetch_policy_within(std::chrono::milliseconds budget, ClientOptions options,
                                         const std::string& target, std::int64_t version);

// Whether an error says that there is no coordinator to be had just now (dead, slow, failing, asked
// too much by too many builds), as opposed to one that refuses.
bool is_coordinator_away(const Error& error);

// Publishes a new version; what the coordinator says of it.
Result<Json> publish_policy(const Client& client, std::string_view target,
                            const SignedPolicy& policy);

// A version number, from 1. invalid_argument.
Result<std::int64_t> parse_version(std::string_view text);

}  // namespace hone
