// A job's way through the API: submitted, leased, measured, counted once, read back.
#include <algorithm>
#include <sstream>
#include <thread>

#include "common/base/sha256.h"
#include "common/client/line_stream.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

std::string text_of(const Json& json, const char* key) {
  return json[key].get<std::string>();
}

void register_worker(const std::string& name) {
  const Result<Json> put =
      ApiServer::instance()
          .client(Role::worker)
          .put("/v1/workers/" + name, Json{{"name", name}, {"machine", {{"host", "h"}}}});
  ASSERT_TRUE(put.has_value()) << put.error().describe();
}

// Submits one job of high priority, so that it is the next to be leased; gives its id.
std::string submit(const std::string& target, const std::string& key) {
  const Json batch{{"jobs", Json::array({{{"target", target},
                                          {"priority", 100},
                                          {"max_attempts", 2},
                                          {"rules", Json::array({knob_rule(4)})}}})}};
  const Result<Json> answer = ApiServer::instance()
                                  .client(Role::submitter)
                                  .post("/v1/jobs", batch, {.headers = {{"Idempotency-Key", key}}});
  EXPECT_TRUE(answer.has_value()) << answer.error().describe();
  return answer.has_value() ? text_of((*answer)["jobs"][0], "id") : "";
}

Result<Json> claim(const std::string& worker, int wait_seconds = 0) {
  return ApiServer::instance()
      .client(Role::worker)
      .post("/v1/leases", Json{{"version", 1}, {"worker", worker}, {"wait_seconds", wait_seconds}});
}

Json job(const std::string& id, const std::string& query = "") {
  return ApiServer::instance().client(Role::viewer).get("/v1/jobs/" + id + query).value();
}

std::string lease_path(const Json& lease, const char* action) {
  return "/v1/leases/" + text_of(lease, "attempt") + "/" + action;
}

TEST(ApiFlow, TargetsHaveVersions) {
  const Client client = ApiServer::instance().client(Role::submitter);
  Json target = simple_target("versioned");
  const Result<Response> first = client.exchange("PUT", "/v1/targets/versioned", target.dump());
  EXPECT_EQ(first->status, 201);
  const Result<Response> same = client.exchange("PUT", "/v1/targets/versioned", target.dump());
  EXPECT_EQ(same->status, 200);
  EXPECT_EQ(parse_json(same->body)->at("version"), 1);
  target["benchmark"]["timeout_seconds"] = 7;
  const Result<Json> changed = client.put("/v1/targets/versioned", target);
  EXPECT_EQ((*changed)["version"], 2);
  const Result<Json> read = client.get("/v1/targets/versioned");
  EXPECT_EQ((*read)["spec"]["benchmark"]["timeout_seconds"], 7);
}

TEST(ApiFlow, ListsGoOnByCursor) {
  for (const char* name : {"page-a", "page-b", "page-c"}) {
    register_target(name);
  }
  const Client client = ApiServer::instance().client(Role::viewer);
  std::vector<std::string> names;
  std::string cursor;
  do {
    const Result<Json> page = client.get(
        "/v1/targets?limit=1" + (cursor.empty() ? "" : "&cursor=" + percent_encode(cursor)));
    ASSERT_TRUE(page.has_value()) << page.error().describe();
    ASSERT_LE((*page)["items"].size(), 1U);
    for (const Json& item : (*page)["items"]) {
      names.push_back(text_of(item, "name"));
    }
    cursor = (*page)["next_cursor"].is_null() ? "" : text_of(*page, "next_cursor");
  } while (!cursor.empty());
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::count_if(names, [](auto& n) { return n.starts_with("page-"); }), 3);
}

TEST(ApiFlow, ArtifactComesBackAsItWas) {
  const Client client = ApiServer::instance().client(Role::submitter);
  const TemporaryFolder folder = *TemporaryFolder::create("flow");
  const std::string content(900'000, 'z');
  const std::string sha256 = sha256_hex(content);
  ASSERT_TRUE(write_file_atomically(folder.path() / "in", content).has_value());
  ASSERT_TRUE(client.upload_file(folder.path() / "in", sha256).has_value());
  ASSERT_TRUE(client.upload_file(folder.path() / "in", sha256).has_value());
  const RawResponse again = ApiServer::instance().ask(
      "PUT", "/v1/artifacts/" + sha256, "Content-Type: application/octet-stream\r\n", content);
  EXPECT_EQ(again.status, 200);
  const Result<void> got = ApiServer::instance()
                               .client(Role::worker)
                               .download_file(sha256, folder.path() / "out", 1'000'000);
  ASSERT_TRUE(got.has_value()) << got.error().describe();
  EXPECT_EQ(*read_file(folder.path() / "out", 1'000'000), content);
  const RawResponse head = ApiServer::instance().ask("HEAD", "/v1/artifacts/" + sha256, "");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "900000");
}

TEST(ApiFlow, BatchIsCountedOncePerKey) {
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

TEST(ApiFlow, ResultCountsOnce) {
  register_target("measured");
  register_worker("w-once");
  const std::string id = submit("measured", "once");
  const Result<Json> lease = claim("w-once");
  ASSERT_TRUE(lease.has_value()) << lease.error().describe();
  EXPECT_EQ((*lease)["job"], id);
  EXPECT_EQ((*lease)["target"]["name"], "measured");
  EXPECT_EQ((*lease)["rules"][0]["knobs"]["unroll-count"], "4");
  EXPECT_EQ(job(id)["state"], "leased");

  const Client worker = ApiServer::instance().client(Role::worker);
  const Result<Json> beat = worker.post(lease_path(*lease, "heartbeat"), Json::object());
  ASSERT_TRUE(beat.has_value()) << beat.error().describe();
  EXPECT_EQ((*beat)["cancelled"], false);

  const Json result = ok_result(0.02, 0.01, "faster");
  for (int i = 0; i < 2; ++i) {  // the same body again is the same answer
    const Result<Json> counted = worker.post(lease_path(*lease, "complete"), result);
    ASSERT_TRUE(counted.has_value()) << counted.error().describe();
    EXPECT_EQ((*counted)["counted"], true);
  }
  EXPECT_EQ(worker.post(lease_path(*lease, "complete"), ok_result(0.5, 0.4, "faster")).error().code,
            ErrorCode::conflict);

  const Json done = job(id, "?samples=1");
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["outcome"], "ok");
  EXPECT_EQ(done["verdict"], "faster");
  EXPECT_DOUBLE_EQ(done["reward"]["value"].get<double>(), 0.02);
  EXPECT_EQ(done["result"]["samples"].size(), 24U);
  EXPECT_EQ(job(id)["result"]["samples"].size(), 0U);
  EXPECT_EQ(done["attempts"].size(), 1U);
  EXPECT_TRUE(parse_job_view(done).has_value());

  // One experience, as NDJSON, and the cursor goes on behind it.
  const Client learner = ApiServer::instance().client(Role::learner);
  int found = 0;
  std::string last;
  const Result<void> read = read_lines(learner, "/v1/experiences", "",
                                       [&](std::string_view block, const std::string& at) {
                                         std::istringstream lines{std::string(block)};
                                         for (std::string line; std::getline(lines, line);) {
                                           found += parse_json(line)->at("job") == id ? 1 : 0;
                                         }
                                         last = at;
                                         return Result<bool>(true);
                                       });
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(found, 1);
  const Result<Response> rest =
      learner.exchange("GET", "/v1/experiences?after=" + percent_encode(last), "");
  ASSERT_TRUE(rest) << rest.error().describe();
  EXPECT_EQ(rest->body, "");
  const Result<Response> one = learner.exchange("GET", "/v1/experiences?limit=1", "");
  ASSERT_TRUE(one) << one.error().describe();
  EXPECT_EQ(one->header("content-type"), "application/x-ndjson");
  EXPECT_EQ(std::ranges::count(one->body, '\n'), 1);
}

TEST(ApiFlow, FailureIsStoredWithItsReason) {
  register_target("failing");
  register_worker("w-fail");
  const std::string id = submit("failing", "fail");
  const Result<Json> lease = claim("w-fail");
  ASSERT_TRUE(lease.has_value());
  const Client worker = ApiServer::instance().client(Role::worker);
  const Result<Json> bad = worker.post(lease_path(*lease, "complete"),
                                       Json{{"outcome", "miscompiled"}, {"verdict", "faster"}});
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().fields.size(), 2U) << bad.error().describe();
  ASSERT_TRUE(worker
                  .post(lease_path(*lease, "complete"),
                        Json{{"outcome", "miscompiled"}, {"reason", "output differs at byte 7"}})
                  .has_value());
  const Json done = job(id);
  EXPECT_EQ(done["outcome"], "miscompiled");
  EXPECT_EQ(done["reason"], "output differs at byte 7");
  EXPECT_TRUE(done["reward"].is_null());
}

TEST(ApiFlow, ExpiredLeaseIsGoneAndItsJobGoesOn) {
  register_target("expiring");
  register_worker("w-slow");
  const std::string id = submit("expiring", "expire");
  const Result<Json> lease = claim("w-slow");
  ASSERT_TRUE(lease.has_value());
  std::vector<EndedLease> ended;
  for (int i = 0; i < 100 && ended.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = ApiServer::instance().sweep();
  }
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].job, id);
  const Client worker = ApiServer::instance().client(Role::worker);
  EXPECT_EQ(worker.post(lease_path(*lease, "heartbeat"), Json::object()).error().code,
            ErrorCode::expired);
  EXPECT_EQ(
      worker.post(lease_path(*lease, "complete"), ok_result(0.1, 0.05, "faster")).error().code,
      ErrorCode::expired);
  EXPECT_EQ(worker.post(lease_path(*lease, "fail"), Json{{"reason", "late"}}).error().code,
            ErrorCode::expired);
  const RawResponse raw =
      ApiServer::instance().ask("POST", lease_path(*lease, "heartbeat"),
                                "Content-Type: application/json\r\n", "{}", Role::worker);
  EXPECT_EQ(raw.status, 410);

  const Result<Json> second = claim("w-slow");
  ASSERT_TRUE(second.has_value() && !second->is_null());
  EXPECT_EQ((*second)["job"], id);
  EXPECT_EQ((*second)["attempt_number"], 2);
  ASSERT_TRUE(worker.post(lease_path(*second, "fail"), Json{{"reason", "disk full"}}).has_value());
  const Json dead = job(id);  // two attempts were all it had
  EXPECT_EQ(dead["state"], "dead");
  EXPECT_NE(text_of(dead, "reason").find("disk full"), std::string::npos);
}

TEST(ApiFlow, LeaseOfAnotherTokenIsForbidden) {
  register_target("owned");
  register_worker("w-owner");
  submit("owned", "owned");
  const Result<Json> lease = claim("w-owner");
  ASSERT_TRUE(lease.has_value());
  const Client other = ApiServer::instance().client(Role::admin);
  EXPECT_EQ(other.post(lease_path(*lease, "heartbeat"), Json::object()).error().code,
            ErrorCode::permission_denied);
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*lease, "fail"), Json{{"reason", "Ctrl-C"}, {"count_attempt", false}})
          .has_value());
  const Result<Json> again = claim("w-owner");
  ASSERT_TRUE(again.has_value() && !again->is_null());
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*again, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}})
          .has_value());
}

TEST(ApiFlow, BesideALeaseTheAnswerComesAtOnce) {
  register_target("beside");
  register_worker("w-beside");
  submit("beside", "beside");
  const Result<Json> lease = claim("w-beside");
  ASSERT_TRUE(lease.has_value() && !lease->is_null());
  EXPECT_TRUE((*lease)["campaign"].is_null());
  const auto ask = [](Role role, const std::string& attempt) {
    return ApiServer::instance().client(role).post(
        "/v1/leases",
        Json{{"version", 1}, {"worker", "w-beside"}, {"wait_seconds", 20}, {"beside", attempt}});
  };
  const auto started = std::chrono::steady_clock::now();
  const Result<Json> none = ask(Role::worker, text_of(*lease, "attempt"));
  ASSERT_TRUE(none.has_value()) << none.error().describe();
  EXPECT_TRUE(none->is_null());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
  const Result<Json> others = ask(Role::admin, text_of(*lease, "attempt"));
  ASSERT_TRUE(others.has_error());
  EXPECT_EQ(others.error().code, ErrorCode::invalid_argument);
  ASSERT_EQ(others.error().fields.size(), 1U);
  EXPECT_EQ(others.error().fields[0].pointer, "/beside");
  EXPECT_TRUE(
      ApiServer::instance()
          .client(Role::worker)
          .post(lease_path(*lease, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}})
          .has_value());
}

TEST(ApiFlow, LongPollIsWokenByANewJob) {
  register_target("awaited");
  register_worker("w-waiting");
  Result<Json> lease = fail(ErrorCode::internal, "not asked");
  std::thread waiting([&lease] { lease = claim("w-waiting", 20); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  const std::string id = submit("awaited", "awaited");
  waiting.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  ASSERT_TRUE(lease.has_value() && !lease->is_null());
  EXPECT_EQ((*lease)["job"], id);
  ApiServer::instance()
      .client(Role::worker)
      .post(lease_path(*lease, "complete"), Json{{"outcome", "build_failed"}, {"reason", "x"}});
}

TEST(ApiFlow, LongPollEndsEmpty) {
  register_worker("w-idle");
  const RawResponse response = ApiServer::instance().ask(
      "POST", "/v1/leases", "Content-Type: application/json\r\n",
      R"({"version":1,"worker":"w-idle","wait_seconds":1})", Role::worker);
  EXPECT_EQ(response.status, 204);
}

TEST(ApiFlow, WorkerThatLeftItsPollGetsNoLease) {
  register_target("left-alone");
  register_worker("w-leaving");
  {
    RawHttpClient leaving(ApiServer::instance().port());
    const std::string body = R"({"version":1,"worker":"w-leaving","wait_seconds":30})";
    leaving.send("POST /v1/leases HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                 ApiServer::instance().token(Role::worker) +
                 "\r\nContent-Type: application/json\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::string id = submit("left-alone", "left-alone");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(job(id)["state"], "queued");
  ApiServer::instance().client().post("/v1/jobs/" + id + "/cancel", Json::object());
}

TEST(ApiFlow, EventsOfAJobEndWithIt) {
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

TEST(ApiFlow, WorkersAreListed) {
  register_worker("w-listed");
  const Client client = ApiServer::instance().client(Role::viewer);
  const Result<Json> worker = client.get("/v1/workers/w-listed");
  ASSERT_TRUE(worker.has_value());
  EXPECT_EQ((*worker)["machine"]["host"], "h");
  EXPECT_FALSE((*worker)["last_seen_at"].is_null());
  EXPECT_GE((*client.get("/v1/workers"))["items"].size(), 1U);
  EXPECT_EQ(client.get("/v1/workers/nobody").error().code, ErrorCode::not_found);
}

TEST(ApiFlow, PoliciesHaveVersionsAndEntityTags) {
  register_target("ruled");
  const Client admin = ApiServer::instance().client();
  Json document = Json::parse(R"({"format":1,"target":"ruled","sequence":1,
      "compiler":{"family":"clang","major":19},"rules":[]})");
  document["rules"].push_back(knob_rule(2));
  EXPECT_EQ(admin.get("/v1/policies/ruled").error().code, ErrorCode::not_found);
  const Result<Response> made =
      admin.exchange("POST", "/v1/policies/ruled", Json{{"document", document}}.dump());
  ASSERT_TRUE(made.has_value()) << made.error().describe();
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(made->header("location"), "/v1/policies/ruled?version=1");
  EXPECT_EQ(admin.get("/v1/policies/ruled").error().code, ErrorCode::not_found);
  ASSERT_TRUE(admin.post("/v1/policies/ruled/versions/1/promote", Json::object()).has_value());
  document["rules"][0] = knob_rule(8);
  ASSERT_TRUE(admin.post("/v1/policies/ruled", Json{{"document", document}}).has_value());
  ASSERT_TRUE(admin.post("/v1/policies/ruled/versions/2/promote", Json::object()).has_value());

  const Result<Response> current = admin.exchange("GET", "/v1/policies/ruled", "");
  ASSERT_TRUE(current.has_value());
  EXPECT_EQ(current->header("etag"), "\"" + sha256_hex(current->body) + "\"");
  EXPECT_EQ(parse_json(current->body)->at("sequence"), 2);
  const Result<Response> same =
      admin.exchange("GET", "/v1/policies/ruled", "",
                     {.headers = {{"If-None-Match", std::string(current->header("etag"))}}});
  EXPECT_EQ(same->status, 304);
  EXPECT_EQ(same->body, "");
  EXPECT_EQ(
      parse_json(admin.exchange("GET", "/v1/policies/ruled?version=1", "")->body)->at("sequence"),
      1);

  const Result<Json> back = admin.post("/v1/policies/ruled/versions/1/rollback", Json::object());
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ((*back)["version"], 3);
  EXPECT_EQ((*back)["promoted"], true);
  const Result<Json> versions = admin.get("/v1/policies/ruled/versions");
  ASSERT_EQ((*versions)["items"].size(), 3U);
  EXPECT_EQ((*versions)["items"][0]["version"], 3);
}

TEST(ApiFlow, ADeadJobIsListedAndTriedAgain) {
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

TEST(ApiFlow, AJobWaitsForAWorkerThatHasWhatItRequires) {
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

TEST(ApiFlow, ADeadlineIsShownAndChecked) {
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
