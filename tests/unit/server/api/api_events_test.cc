// Streams of events: their heartbeats.
#include <atomic>
#include <thread>

#include "common/base/token.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

std::string submit_waiting_job() {
  const Json batch{{"jobs", Json::array({{{"target", "events"},
                                          {"priority", -100},
                                          {"rules", Json::array({knob_rule(4)})}}})}};
  const Result<Json> answer =
      ApiServer::instance()
          .client(Role::submitter)
          .post("/v1/jobs", batch, {.headers = {{"Idempotency-Key", random_uuid()}}});
  EXPECT_TRUE(answer.has_value()) << answer.error().describe();
  return answer.has_value() ? (*answer)["jobs"][0]["id"].get<std::string>() : "";
}

void cancel(const std::string& job) {
  const Result<Json> done = ApiServer::instance()
                                .client(Role::submitter)
                                .post("/v1/jobs/" + job + "/cancel", Json::object());
  EXPECT_TRUE(done.has_value()) << done.error().describe();
}

TEST(ApiEvents, AQuietStreamHasItsHeartbeatsWhileOthersAreBusy) {
  register_target("events");
  const std::string quiet = submit_waiting_job();
  std::atomic<bool> heard = false;
  std::jthread others([&heard](const std::stop_token& stop) {
    while (!heard && !stop.stop_requested()) {
      cancel(submit_waiting_job());
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const Result<void> read =
      ApiServer::instance()
          .client(Role::viewer)
          .stream("/v1/jobs/" + quiet + "/events", [&](std::string_view piece) -> Result<bool> {
            heard = heard || piece.starts_with(":") || piece.find("\n:") != std::string_view::npos;
            return !heard && std::chrono::steady_clock::now() < end;
          });
  EXPECT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_TRUE(heard);
  others.request_stop();
  others.join();
  cancel(quiet);
}

}  // namespace
}  // namespace hone
