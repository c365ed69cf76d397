// The steps of a job's way through the API, as its submitter and a worker take them.
//
// All tests of the program share one queue: each ends the jobs that it submits.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "tests/unit/server/api/api_server.h"

namespace hone {

class JobFlow : public testing::Test {
 protected:
  static void register_worker(const std::string& name) {
    const Result<Json> put =
        ApiServer::instance()
            .client(Role::worker)
            .put("/v1/workers/" + name, Json{{"name", name}, {"machine", {{"host", "h"}}}});
    ASSERT_TRUE(put.has_value()) << put.error().describe();
  }

  // Submits one job of high priority, so that it is the next to be leased; gives its id.
  static std::string submit(const std::string& target, const std::string& key) {
    const Json batch{{"jobs", Json::array({{{"target", target},
                                            {"priority", 100},
                                            {"max_attempts", 2},
                                            {"rules", Json::array({knob_rule(4)})}}})}};
    const Result<Json> answer =
        ApiServer::instance()
            .client(Role::submitter)
            .post("/v1/jobs", batch, {.headers = {{"Idempotency-Key", key}}});
    EXPECT_TRUE(answer.has_value()) << answer.error().describe();
    return answer.has_value() ? text_of((*answer)["jobs"][0], "id") : "";
  }

  // The lease of the next job, or null if there is none within that time.
  static Result<Json> claim(const std::string& worker, int wait_seconds = 0) {
    return ApiServer::instance()
        .client(Role::worker)
        .post("/v1/leases",
              Json{{"version", 1}, {"worker", worker}, {"wait_seconds", wait_seconds}});
  }

  // The job as a viewer sees it.
  static Json job(const std::string& id, const std::string& query = "") {
    return ApiServer::instance().client(Role::viewer).get("/v1/jobs/" + id + query).value();
  }

  // Looks until it is so: false after a minute.
  static bool comes(const std::function<bool()>& it_is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!it_is_so()) {
      if (std::chrono::steady_clock::now() > end) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  // Whether so many requests for a lease are waited for now.
  static bool are_waiting(int requests) {
    const Result<Response> metrics =
        ApiServer::instance().client(Role::viewer).exchange("GET", "/metrics", "");
    return metrics && metrics->body.find("\nhone_lease_waits " + std::to_string(requests) + "\n") !=
                          std::string::npos;
  }

  static std::string lease_path(const Json& lease, const char* action) {
    return "/v1/leases/" + text_of(lease, "attempt") + "/" + action;
  }
};

}  // namespace hone
