#include "server/canaries/haproxy_driver.h"

#include <charconv>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include "server/canaries/share_weights.h"

namespace hone {
namespace {

namespace asio = boost::asio;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kMostAnswer = 4096;

Error socket_error(const std::string& socket, const boost::system::error_code& error) {
  if (error == asio::error::access_denied) {
    return fail(ErrorCode::permission_denied,
                "HAProxy's socket " + socket + " may not be used by honed's user: " +
                    "set mode, user or group on its `stats socket` line");
  }
  return fail(ErrorCode::unavailable,
              "HAProxy does not answer at " + socket + ": " + error.message());
}

// Sends, then reads until HAProxy closes.
Async<std::string> exchange(asio::local::stream_protocol::socket& socket, std::string path,
                            std::string command) {
  auto [refused] =
      co_await socket.async_connect(asio::local::stream_protocol::endpoint(path), kToken);
  if (refused) {
    co_return socket_error(path, refused);
  }
  command += '\n';
  auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(command), kToken);
  if (unsent) {
    co_return socket_error(path, unsent);
  }
  std::string answer;
  auto [end, read] = co_await asio::async_read(socket, asio::dynamic_buffer(answer, kMostAnswer),
                                               asio::transfer_all(), kToken);
  if (end != asio::error::eof) {
    co_return end ? socket_error(path, end)
                  : fail(ErrorCode::too_large, "HAProxy's answer is longer than it should be");
  }
  const std::size_t last = answer.find_last_not_of(" \r\n");
  answer.erase(last == std::string::npos ? 0 : last + 1);
  co_return answer;
}

// "100 (initial 90)".
std::optional<long> parse_weight(std::string_view answer) {
  long weight = 0;
  const auto [stop, error] = std::from_chars(answer.data(), answer.data() + answer.size(), weight);
  const bool whole = stop == answer.data() + answer.size() || *stop == ' ';
  return error == std::errc() && whole && weight >= 0 ? std::optional(weight) : std::nullopt;
}

}  // namespace

Async<std::string> HaproxyDriver::ask(std::string command) {
  using namespace asio::experimental::awaitable_operators;
  asio::local::stream_protocol::socket socket(executor_);
  asio::steady_timer timer(executor_);
  timer.expires_after(patience_);
  asio::awaitable<Result<std::string>> answer = exchange(socket, place_.socket, std::move(command));
  auto either = co_await (std::move(answer) || timer.async_wait(kToken));
  if (either.index() == 1) {
    co_return fail(ErrorCode::timed_out, "HAProxy took too long to answer at " + place_.socket);
  }
  co_return std::get<0>(std::move(either));
}

Async<void> HaproxyDriver::set_weights(const std::vector<std::string>& servers, int weight) {
  for (const std::string& server : servers) {
    Result<std::string> answer =
        co_await ask(fmt::format("set server {}/{} weight {}", place_.backend, server, weight));
    HONE_CO_TRY(const std::string said, std::move(answer));
    if (!said.empty()) {  // silence is success
      co_return fail(
          ErrorCode::invalid_argument,
          fmt::format("HAProxy refused a weight for {}/{}: {}", place_.backend, server, said));
    }
  }
  co_return Result<void>();
}

Async<long> HaproxyDriver::weights_of(const std::vector<std::string>& servers) {
  long sum = 0;
  for (const std::string& server : servers) {
    Result<std::string> answer =
        co_await ask(fmt::format("get weight {}/{}", place_.backend, server));
    HONE_CO_TRY(const std::string said, std::move(answer));
    const std::optional<long> weight = parse_weight(said);
    if (!weight) {
      co_return fail(
          ErrorCode::invalid_argument,
          fmt::format("HAProxy knows no weight of {}/{}: {}", place_.backend, server, said));
    }
    sum += *weight;
  }
  co_return sum;
}

Async<void> HaproxyDriver::set_share(int percent) {
  HONE_CO_TRY(const ShareWeights weights,
              share_weights(percent, place_.baseline.size(), place_.canary.size()));
  Result<Weights> known = co_await this->weights();
  HONE_CO_TRY(const Weights before, std::move(known));
  const bool grows = weights.baseline * static_cast<long>(place_.baseline.size()) > before.baseline;
  const std::vector<std::string>& first = grows ? place_.baseline : place_.canary;
  const std::vector<std::string>& second = grows ? place_.canary : place_.baseline;
  const Result<void> one = co_await set_weights(first, grows ? weights.baseline : weights.canary);
  HONE_CO_CHECK(one);
  const Result<void> other =
      co_await set_weights(second, grows ? weights.canary : weights.baseline);
  HONE_CO_CHECK(other);
  Result<int> now = co_await share();
  HONE_CO_TRY(const int after, std::move(now));
  if (after > percent) {
    co_return fail(ErrorCode::unavailable,
                   fmt::format("the canary has {} % where {} % were set: something else changes "
                               "weights of {}",
                               after, percent, place_.backend));
  }
  co_return Result<void>();
}

Async<HaproxyDriver::Weights> HaproxyDriver::weights() {
  Weights weights;
  Result<long> baselines = co_await weights_of(place_.baseline);
  HONE_CO_TRY(weights.baseline, std::move(baselines));
  Result<long> canaries = co_await weights_of(place_.canary);
  HONE_CO_TRY(weights.canary, std::move(canaries));
  co_return weights;
}

Async<int> HaproxyDriver::share() {
  Result<Weights> known = co_await weights();
  HONE_CO_TRY(const Weights in_force, std::move(known));
  if (in_force.baseline + in_force.canary == 0) {
    co_return fail(ErrorCode::unavailable,
                   "no server of " + place_.backend + " has a weight: nobody serves its users");
  }
  co_return share_of(in_force.baseline, in_force.canary);
}

}  // namespace hone
