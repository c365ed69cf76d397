#include "build_integration/cli/policy_transfer.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/client/retry_pause.h"

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

Result<SignedPolicy> fetch_policy_within(std::chrono::milliseconds budget, ClientOptions options,
                                         const std::string& target, std::int64_t version) {
  // The client ends everything itself but a look-up of the host's name, which the C library does
  // not let anybody interrupt. Hence the thread, and the client's limit just below the budget.
  const auto limit = std::max(budget - std::chrono::milliseconds(200), budget / 2);
  options.timeout = limit;
  options.retries = 1;
  HONE_TRY(const Client client, Client::create(std::move(options)));
  auto done = std::make_shared<std::promise<Result<SignedPolicy>>>();
  std::future<Result<SignedPolicy>> answer = done->get_future();
  try {
    std::thread([done, client, target, version] {
      try {
        done->set_value(fetch_policy(client, target, version));
      } catch (...) {
        done->set_exception(std::current_exception());
      }
    }).detach();
  } catch (const std::system_error& error) {
    return system_error("cannot start a thread", error.code().value());
  }
  if (answer.wait_for(budget) != std::future_status::ready) {
    return fail(ErrorCode::timed_out,
                fmt::format("{} did not answer within {} ms", client.url(), budget.count()));
  }
  return answer.get();
}

bool is_coordinator_away(const Error& error) {
  return may_pass(error) || error.code == ErrorCode::internal;
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
