// Streams of events: their heartbeats, and when they are complete.
#include <atomic>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "common/base/token.h"
#include "server/store/pg/pg_connection.h"
#include "tests/support/database.h"
#include "tests/unit/server/api/job_flow.h"

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

// A transaction that has written, and runs until it is dropped: events behind it are not given yet.
class OlderTransaction {
 public:
  OlderTransaction() {
    PgConnectOptions options;
    options.url = ApiServer::instance().database_url();
    connection_ =
        test::run_on(context_, PgConnection::connect(context_.get_executor(), std::move(options)))
            .value();
    run("BEGIN");
    run("SELECT pg_current_xact_id()");
  }
  void end() { run("COMMIT"); }

 private:
  void run(const std::string& text) {
    const PgOutcome<PgResult> done = test::run_on(context_, connection_->run(text));
    ASSERT_TRUE(done) << done.error().message;
  }

  boost::asio::io_context context_;
  std::unique_ptr<PgConnection> connection_;
};

std::string state_of(const ServerEvent& event) {
  return parse_json(event.data)->at("state").get<std::string>();
}

TEST(ApiEvents, AStreamDoesNotEndBeforeAnEventThatIsHidden) {
  register_target("events");
  const std::string job = submit_waiting_job();
  OlderTransaction older;
  cancel(job);
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<bool> over = false;
  std::jthread ends_later([&] {
    // Long enough for the stream to look and find nothing.
    while (!over && std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(600)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    older.end();
  });
  std::vector<std::string> states;
  const Result<void> end =
      ApiServer::instance()
          .client(Role::viewer)
          .events("/v1/jobs/" + job + "/events", [&](const ServerEvent& event) {
            states.push_back(state_of(event));
            return true;
          });
  over = true;
  EXPECT_TRUE(end.has_value()) << end.error().describe();
  EXPECT_EQ(states, (std::vector<std::string>{"queued", "cancelled"}));
}

class ApiEventsOfRetries : public JobFlow {};

TEST_F(ApiEventsOfRetries, AStreamGoesOnBehindAnEndThatWasNone) {
  register_target("events-retried");
  register_worker("w-events-retried");
  const std::string job = submit("events-retried", random_uuid());  // two attempts
  for (int i = 0; i < 2; ++i) {
    const Result<Json> lease = claim("w-events-retried");
    ASSERT_TRUE(lease.has_value());
    const Result<Json> failed = ApiServer::instance()
                                    .client(Role::worker)
                                    .post(lease_path(*lease, "fail"), Json{{"reason", "no disk"}});
    ASSERT_TRUE(failed.has_value()) << failed.error().describe();
  }
  const Client submitter = ApiServer::instance().client(Role::submitter);
  ASSERT_TRUE(submitter.post("/v1/jobs/" + job + "/retry", Json::object()).has_value());
  std::string text;
  bool cancelled = false;
  const Result<void> read =
      ApiServer::instance()
          .client(Role::viewer)
          .stream("/v1/jobs/" + job + "/events", [&](std::string_view piece) -> Result<bool> {
            text += piece;
            // A heartbeat: it has given all there was, "dead" among it, and waits for more.
            if (!cancelled && text.find("\n:") != std::string::npos) {
              cancelled = true;
              cancel(job);
            }
            return true;
          });
  EXPECT_TRUE(read.has_value()) << read.error().describe();
  EXPECT_NE(text.find("\"dead\""), std::string::npos) << text;
  EXPECT_TRUE(cancelled) << text;
  EXPECT_NE(text.find("\"cancelled\""), std::string::npos) << text;
  if (!cancelled) {
    cancel(job);
  }
}

}  // namespace
}  // namespace hone
