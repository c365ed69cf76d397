#include "build_integration/cli/policy_transfer.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/text.h"

namespace hone {

Result<SignedPolicy> fetch_policy(const Client& client, std::string_view target,
                                  std::int64_t version) {
  std::string path = "/v1/policies/" + percent_encode(target);
  if (version != 0) {
    path += fmt::format("?version={}", version);
  }
  const Result<Response> answer = client.exchange("GET", path, "");
  if (!answer) {
    Error error = answer.error();
    if (error.code == ErrorCode::not_found && version == 0) {
      error.message += fmt::format(
          " (`hone policy versions {0}` lists what there is; give --version N, or promote one with "
          "`hone policy promote {0} N`)",
          target);
    }
    return error;
  }
  HONE_TRY(SignedPolicy policy, parse_signed_policy(answer->body));
  if (policy.signature.empty()) {
    policy.signature = std::string(trim(answer->header("hone-policy-signature")));
  }
  return policy;
}

Result<Json> publish_policy(const Client& client, std::string_view target,
                            const SignedPolicy& policy) {
  Json body = Json::object();
  body["document"] = policy.document;
  body["signature"] = policy.signature.empty() ? Json(nullptr) : Json(policy.signature);
  return client.post("/v1/policies/" + percent_encode(target), body);
}

Result<std::int64_t> parse_version(std::string_view text) {
  std::int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" is no version: want a number from 1", text));
  }
  return version;
}

}  // namespace hone
