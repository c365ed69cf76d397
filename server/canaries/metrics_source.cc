#include "server/canaries/metrics_source.h"

#include <chrono>

#include <fmt/format.h>

#include "common/client/client.h"
#include "common/client/url.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kPatience{5'000};
// Half a million samples. Of an answer without an end, no more comes into memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;

Result<std::string> ask(const std::string& url, const std::string& promql, double at) {
  ClientOptions options;
  options.url = url;
  options.timeout = kPatience;
  options.retries = 0;  // the next interval asks again
  HONE_TRY(const Client client, Client::create(std::move(options)));
  const std::string path =
      fmt::format("/api/v1/query?time={:.3f}&query={}", at, percent_encode(promql));
  RequestOptions limits;
  limits.most_reply_bytes = kMostBytes;
  Result<Response> response = client.exchange("GET", path, "", limits);
  if (!response && response.error().code == ErrorCode::too_large) {
    return fail(ErrorCode::too_large,
                fmt::format("Prometheus at {} answers more than {} MiB, which are not read: select "
                            "fewer series by labels",
                            url, kMostBytes >> 20U));
  }
  if (!response) {
    return response.error().within("Prometheus at " + url);
  }
  return std::move(response->body);
}

}  // namespace

Result<void> check_address(const std::string& prometheus) {
  const Result<Url> url = parse_url(prometheus);
  return url ? Result<void>() : Result<void>(url.error());
}

Async<std::string> PrometheusSource::query(std::string promql, double at) {
  std::function<Result<std::string>()> work = [url = url_, promql = std::move(promql), at] {
    return ask(url, promql, at);
  };
  Async<std::string> asking = run_blocking<std::string>(gate_, std::move(work));
  Result<std::string> reply = co_await std::move(asking);
  co_return reply;
}

}  // namespace hone
