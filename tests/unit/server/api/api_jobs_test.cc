// Jobs: submitted once per key, held to what they require, watched to their end, tried again.
#include <thread>

#include "tests/unit/server/api/job_flow.h"

namespace hone {
namespace {

class ApiJobs : public JobFlow {};

TEST_F(ApiJobs, BatchIsCountedOncePerKey) {
  register_target("keyed");
  const Client client = ApiServer::instance().client(Role::submitter);
  const Json batch = Json::parse(R"({"jobs":[{"target":"keyed","priority":-100}]})");
  const RequestOptions key{.headers = {{"Idempotency-Key", "the-key"}}};
  const Result<Response> first = client.exchange("POST", "/v1/jobs", batch.dump(), key);
  const Result<Response> again = client.exchange("POST", "/v1/jobs", batch.dump(), key);
  ASSERT_TRUE(first.has_value() && again.has_value());
  EXPECT_EQ(first->status, 201);
  EXPECT_EQ(again->status, 200);
  EXPECT_EQ(first->body, again->body);
  const Json other = Json::parse(R"({"jobs":[{"target":"keyed","priority":-99}]})");
  EXPECT_EQ(client.post("/v1/jobs", other, key).error().code, ErrorCode::conflict);
  const Result<Json> jobs = client.get("/v1/jobs?target=keyed");
  ASSERT_EQ((*jobs)["items"].size(), 1U);
  const std::string id = text_of((*jobs)["items"][0], "id");
  EXPECT_EQ((*client.post("/v1/jobs/" + id + "/cancel", Json::object()))["state"], "cancelled");
  EXPECT_EQ((*client.get("/v1/jobs?target=keyed&state=cancelled"))["items"].size(), 1U);
}

TEST_F(ApiJobs, EventsOfAJobEndWithIt) {
  register_target("watched");
  register_worker("w-watched");
  const std::string id = submit("watched", "watched");
  std::vector<std::string> states;
  std::thread watching([&] {
    const Result<void> end =
        ApiServer::instance()
            .client(Role::viewer)
            .events("/v1/jobs/" + id + "/events", [&](const ServerEvent& event) {
              EXPECT_EQ(event.event, "job");
              states.push_back(parse_json(event.data)->at("state").get<std::string>());
              return true;
            });
    EXPECT_TRUE(end.has_value()) << end.error().describe();
  });
  const Result<Json> lease = claim("w-watched", 5);
  ApiServer::instance()
      .client(Role::worker)
      .post(lease_path(*lease, "complete"), Json{{"outcome", "timed_out"}, {"reason", "60 s"}});
  watching.join();
  EXPECT_EQ(states, (std::vector<std::string>{"queued", "leased", "done"}));
  EXPECT_EQ(ApiServer::instance()
                .client()
                .events("/v1/jobs/00000000-0000-4000-8000-000000000000/events",
                        [](const ServerEvent&) { return true; })
                .error()
                .code,
            ErrorCode::not_found);
}

TEST_F(ApiJobs, ADeadJobIsListedAndTriedAgain) {
  register_target("retried");
  register_worker("w-retry");
  const std::string id = submit("retried", "retry");  // two attempts
  const Client worker = ApiServer::instance().client(Role::worker);
  for (int i = 0; i < 2; ++i) {
    const Result<Json> lease = claim("w-retry");
    ASSERT_TRUE(lease.has_value());
    ASSERT_TRUE(worker.post(lease_path(*lease, "fail"), Json{{"reason", "no disk"}}).has_value());
  }
  const Client submitter = ApiServer::instance().client(Role::submitter);
  const Result<Json> dead = submitter.get("/v1/jobs?state=dead&target=retried");
  ASSERT_EQ((*dead)["items"].size(), 1U);
  EXPECT_NE(text_of((*dead)["items"][0], "reason").find("no disk"), std::string::npos);
  const std::string path = "/v1/jobs/" + id + "/retry";
  EXPECT_EQ(ApiServer::instance().client(Role::viewer).post(path, Json::object()).error().code,
            ErrorCode::permission_denied);
  EXPECT_EQ((*submitter.post(path, Json::object()))["state"], "queued");
  const Result<Json> again = claim("w-retry");
  EXPECT_EQ((*again)["job"], id);
  EXPECT_EQ((*again)["attempt_number"], 3);
  EXPECT_EQ(submitter.post(path, Json::object()).error().code, ErrorCode::conflict);
  ASSERT_TRUE(
      worker.post(lease_path(*again, "complete"), ok_result(0.02, 0.01, "faster")).has_value());
}

TEST_F(ApiJobs, AJobWaitsForAWorkerThatHasWhatItRequires) {
  Json target = simple_target("requiring");
  target["requires"] = {{"labels", {{"rack", "z"}}}, {"memory_mib", 1000}};
  const Client client = ApiServer::instance().client();
  ASSERT_TRUE(client.put("/v1/targets/requiring", target).has_value());
  register_worker("w-plain");
  const std::string id = submit("requiring", "requires");
  EXPECT_TRUE(claim("w-plain").value().is_null());
  const Json unmet = job(id)["unmet"];
  ASSERT_EQ(unmet.size(), 2U);
  EXPECT_EQ(unmet[0], R"(labels {"rack":"z"})");
  const Json able{{"name", "w-able"},
                  {"machine", {{"host", "h"}, {"memory_mib", 2000}}},
                  {"labels", {{"rack", "z"}}},
                  {"llvm", {19, 16, 19}}};
  const Result<Json> put =
      ApiServer::instance().client(Role::worker).put("/v1/workers/w-able", able);
  ASSERT_TRUE(put.has_value()) << put.error().describe();
  EXPECT_EQ((*put)["llvm"], Json({16, 19}));
  EXPECT_FALSE(job(id).contains("unmet"));
  const Result<Json> lease = claim("w-able");
  EXPECT_EQ((*lease)["job"], id);
  EXPECT_EQ((*lease)["target"]["requires"], target["requires"]);
  const Client worker = ApiServer::instance().client(Role::worker);
  ASSERT_TRUE(
      worker.post(lease_path(*lease, "complete"), ok_result(0.02, 0.01, "faster")).has_value());
}

TEST_F(ApiJobs, ADeadlineIsShownAndChecked) {
  register_target("hurried");
  const Client submitter = ApiServer::instance().client(Role::submitter);
  const auto batch = [](const Json& seconds) {
    return Json{{"jobs", Json::array({{{"target", "hurried"}, {"deadline_seconds", seconds}}})}};
  };
  const RequestOptions key{.headers = {{"Idempotency-Key", "deadline"}}};
  const Error error = submitter.post("/v1/jobs", batch(0), key).error();
  ASSERT_EQ(error.fields.size(), 1U);
  EXPECT_EQ(error.fields[0].pointer, "/jobs/0/deadline_seconds");
  const Result<Json> answer = submitter.post("/v1/jobs", batch(600), key);
  ASSERT_TRUE(answer.has_value()) << answer.error().describe();
  const std::string id = text_of((*answer)["jobs"][0], "id");
  EXPECT_TRUE(job(id)["deadline"].is_string());
  ASSERT_TRUE(submitter.post("/v1/jobs/" + id + "/cancel", Json::object()).has_value());
}

}  // namespace
}  // namespace hone
