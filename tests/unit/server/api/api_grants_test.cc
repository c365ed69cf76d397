// Tokens that are confined, expire or are rotated, and what they may do to the targets that they
// were granted.
#include "common/base/sha256.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

struct Made {
  std::string id;
  std::string secret;
};

Made make(const std::string& name, const std::string& role, const Json& grants,
          const Json& more = Json::object()) {
  Json wanted{{"name", name}, {"role", role}};
  if (!grants.is_null()) {
    wanted["grants"] = grants;
  }
  wanted.update(more);
  const Result<Json> made = ApiServer::instance().client().post("/v1/tokens", wanted);
  EXPECT_TRUE(made.has_value()) << made.error().describe();
  return {(*made)["id"].get<std::string>(), (*made)["token"].get<std::string>()};
}

Json grant(const std::string& target, const std::vector<std::string>& rights = {}) {
  Json document{{"target", target}};
  if (!rights.empty()) {
    document["rights"] = rights;
  }
  return document;
}

RawResponse send(const std::string& secret, const std::string& method, const std::string& path,
                 const Json& body = Json(), const std::string& headers = "") {
  return ApiServer::instance().ask_as(
      secret, method, path,
      headers + (body.is_null() ? std::string() : "Content-Type: application/json\r\n"),
      body.is_null() ? "" : body.dump());
}

RawResponse submit(const std::string& secret, const std::string& target) {
  static int key = 0;
  return send(
      secret, "POST", "/v1/jobs",
      Json{{"jobs", Json::array({{{"target", target}, {"rules", Json::array({knob_rule(3)})}}})}},
      "Idempotency-Key: grants-" + std::to_string(++key) + "\r\n");
}

void cancel(const std::string& job) {
  EXPECT_TRUE(ApiServer::instance()
                  .client()
                  .post("/v1/jobs/" + job + "/cancel", Json::object())
                  .has_value());
}

std::string job_of(const RawResponse& response) {
  EXPECT_EQ(response.status, 201) << response.body;
  return (*parse_json(response.body))["jobs"][0]["id"].get<std::string>();
}

// The status of a worker's registration with that token.
int register_worker(const std::string& secret, const std::string& name) {
  const Json worker{{"name", name}, {"machine", {{"host", "h"}}}};
  return send(secret, "PUT", "/v1/workers/" + name, worker).status;
}

Json publication(const std::string& target) {
  return Json{{"document",
               {{"format", 1},
                {"target", target},
                {"sequence", 1},
                {"compiler", {{"family", "clang"}, {"major", 19}}},
                {"rules", Json::array()}}},
              {"signature", nullptr}};
}

TEST(ApiGrants, EachRightIsGrantedByItself) {
  const Client admin = ApiServer::instance().client();
  register_target("granted");
  register_target("not-granted");
  EXPECT_TRUE(admin.post("/v1/policies/granted", publication("granted")).has_value());
  const std::string read =
      make("grant-read", "submitter", Json::array({grant("granted", {"read"})})).secret;
  const std::string can_submit =
      make("grant-submit", "submitter", Json::array({grant("granted", {"submit"})})).secret;
  const std::string can_define =
      make("grant-define", "submitter", Json::array({grant("granted", {"define"})})).secret;
  const std::string can_promote =
      make("grant-promote", "submitter", Json::array({grant("granted", {"promote"})})).secret;
  const std::string usual =
      make("grant-usual", "submitter", Json::array({grant("granted")})).secret;
  struct Case {
    const std::string& secret;
    bool submit, define, promote;
  };
  Json spec = simple_target("granted");
  for (const Case& c : {Case{read, false, false, false}, Case{can_submit, true, false, false},
                        Case{can_define, false, true, false}, Case{can_promote, false, false, true},
                        Case{usual, true, true, false}}) {
    EXPECT_EQ(send(c.secret, "GET", "/v1/targets/granted").status, 200);
    const RawResponse job = submit(c.secret, "granted");
    EXPECT_EQ(job.status, c.submit ? 201 : 403) << job.body;
    if (job.status == 201) {
      cancel(job_of(job));
    }
    EXPECT_EQ(send(c.secret, "PUT", "/v1/targets/granted", spec).status, c.define ? 200 : 403);
    EXPECT_EQ(
        send(c.secret, "POST", "/v1/policies/granted/versions/1/promote", Json::object()).status,
        c.promote ? 200 : 403);
    // Nothing anywhere else, and nobody says that there is something.
    EXPECT_EQ(send(c.secret, "PUT", "/v1/targets/not-granted", simple_target("not-granted")).status,
              404);
    const RawResponse there = submit(c.secret, "not-granted");
    const RawResponse nowhere = submit(c.secret, "not-there-at-all");
    EXPECT_EQ(there.status, 400);
    EXPECT_EQ(pointers_of(problem_of(there)), std::vector<std::string>{"/jobs/0/target"});
    EXPECT_EQ(problem_of(there)["detail"], problem_of(nowhere)["detail"]);
    const RawResponse campaign = send(c.secret, "POST", "/v1/campaigns",
                                      Json{{"target", "not-granted"}, {"budget_candidates", 1}});
    EXPECT_EQ(campaign.status, 400) << campaign.body;
    EXPECT_EQ(pointers_of(problem_of(campaign)), std::vector<std::string>{"/target"});
  }
}

TEST(ApiGrants, WhoMayDefineATargetThatIsNotThereRegistersIt) {
  const std::string token =
      make("grant-new", "submitter", Json::array({grant("grants-new-product")})).secret;
  EXPECT_EQ(
      send(token, "PUT", "/v1/targets/grants-new-product", simple_target("grants-new-product"))
          .status,
      201);
  const Json list = *parse_json(send(token, "GET", "/v1/targets").body);
  ASSERT_EQ(list["items"].size(), 1U);
  EXPECT_EQ(list["items"][0]["name"], "grants-new-product");
}

TEST(ApiGrants, AreAddedAndTakenBackAndShown) {
  ApiServer& server = ApiServer::instance();
  const Client admin = server.client();
  register_target("grants-later");
  const Made token = make("grant-later", "viewer", Json::array({grant("grants-nothing")}));
  EXPECT_EQ(send(token.secret, "GET", "/v1/targets/grants-later").status, 404);
  const std::string path = "/v1/tokens/" + token.id + "/grants/grants-later";
  EXPECT_TRUE(admin.put(path, Json::object()).has_value());
  EXPECT_EQ(send(token.secret, "GET", "/v1/targets/grants-later").status, 200);
  const Json me = *parse_json(send(token.secret, "GET", "/v1/whoami").body);
  EXPECT_EQ(
      me["grants"].dump(),
      R"([{"rights":["read"],"target":"grants-later"},{"rights":["read"],"target":"grants-nothing"}])");
  EXPECT_TRUE(admin.remove(path).has_value());
  EXPECT_EQ(admin.remove(path).error().code, ErrorCode::not_found);
  EXPECT_EQ(send(token.secret, "GET", "/v1/targets/grants-later").status, 404);
  const Json shown = admin.get("/v1/tokens/" + token.id).value();
  EXPECT_EQ(shown["grants"].dump(), R"([{"rights":["read"],"target":"grants-nothing"}])");
  EXPECT_FALSE(shown.contains("token"));
}

TEST(ApiGrants, WhatNoTokenMayBeGrantedIsRefused) {
  const Client admin = ApiServer::instance().client();
  const auto refused = [&](const Json& wanted, const std::string& pointer) {
    const Result<Json> made = admin.post("/v1/tokens", wanted);
    ASSERT_FALSE(made.has_value()) << wanted;
    EXPECT_EQ(made.error().code, ErrorCode::invalid_argument) << wanted;
    ASSERT_FALSE(made.error().fields.empty()) << wanted;
    EXPECT_EQ(made.error().fields.front().pointer, pointer) << made.error().describe();
  };
  const auto of = [](const std::string& role, const Json& grants) {
    return Json{{"name", "grant-bad"}, {"role", role}, {"grants", grants}};
  };
  refused(of("viewer", Json::array({grant("x", {"define"})})), "/grants/0/rights");
  refused(of("learner", Json::array({grant("x", {"promote"})})), "/grants/0/rights");
  refused(of("submitter", Json::array({grant("x", {"own"})})), "/grants/0/rights");
  refused(of("submitter", Json::array({grant("No Name")})), "/grants/0/target");
  refused(of("submitter", Json::array({grant("x"), grant("x")})), "/grants/1/target");
  refused(of("submitter", Json::array()), "/grants");
  refused(of("admin", Json::array({grant("x")})), "/grants");
  refused(Json{{"name", "grant-bad"}, {"role", "viewer"}, {"expires_in_seconds", 0}},
          "/expires_in_seconds");
  // All targets or some: that is said when it is made.
  const Made everywhere = make("grant-everywhere", "viewer", Json());
  EXPECT_EQ(admin.put("/v1/tokens/" + everywhere.id + "/grants/x", Json::object()).error().code,
            ErrorCode::conflict);
}

TEST(ApiGrants, ATokenIsRotatedAndTheOldSecretGoodForAWhile) {
  ApiServer& server = ApiServer::instance();
  const Client admin = server.client();
  for (const bool confined : {false, true}) {
    const Made token = make(confined ? "rotated-confined" : "rotated", "viewer",
                            confined ? Json::array({grant("x")}) : Json());
    const Result<Json> rotated =
        admin.post("/v1/tokens/" + token.id + "/rotate", Json{{"old_for_seconds", 60}});
    ASSERT_TRUE(rotated.has_value()) << rotated.error().describe();
    const std::string fresh = (*rotated)["token"].get<std::string>();
    EXPECT_NE(fresh, token.secret);
    EXPECT_EQ(send(fresh, "GET", "/v1/whoami").status, 200);
    EXPECT_EQ(send(token.secret, "GET", "/v1/whoami").status, 200);
    server.sql("UPDATE tokens SET old_secret_until = now() WHERE id = '" + token.id + "'");
    for (int i = 0; i < 500 && send(token.secret, "GET", "/v1/whoami").status == 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(send(token.secret, "GET", "/v1/whoami").status, 401);
    const Result<Json> again = admin.post("/v1/tokens/" + token.id + "/rotate", Json::object());
    EXPECT_EQ(send(fresh, "GET", "/v1/whoami").status, 401);
    const std::string third = (*again)["token"].get<std::string>();
    EXPECT_EQ(send(third, "GET", "/v1/whoami").status, 200);
    EXPECT_TRUE(admin.remove("/v1/tokens/" + token.id).has_value());
    EXPECT_EQ(send(third, "GET", "/v1/whoami").status, 401);
  }
}

TEST(ApiGrants, AConfinedWorkerLeasesJobsOfItsTargetsOnly) {
  ApiServer& server = ApiServer::instance();
  register_target("grants-lease");
  register_target("grants-lease-other");
  const std::string worker =
      make("grant-worker", "worker", Json::array({grant("grants-lease")})).secret;
  ASSERT_EQ(register_worker(worker, "grants-worker"), 200);
  const std::string owner = server.token(Role::submitter);
  const std::string guest =
      make("grant-guest", "submitter", Json::array({grant("grants-lease", {"submit"})})).secret;
  const std::string other = job_of(submit(owner, "grants-lease-other"));
  const Json wanted{{"version", 1}, {"worker", "grants-worker"}, {"wait_seconds", 0}};
  EXPECT_EQ(send(worker, "POST", "/v1/leases", wanted).status, 204);
  // Whose job it is says what of the worker's own it may find (TrustLevel).
  for (const auto& [secret, trust] : {std::pair(owner, "owner"), std::pair(guest, "guest")}) {
    const std::string mine = job_of(submit(secret, "grants-lease"));
    const RawResponse leased = send(worker, "POST", "/v1/leases", wanted);
    ASSERT_EQ(leased.status, 200) << leased.body;
    const Json lease = *parse_json(leased.body);
    EXPECT_EQ(lease["job"], mine);
    EXPECT_EQ(lease["trust"], trust);
    EXPECT_EQ(send(worker, "POST", "/v1/leases/" + lease["attempt"].get<std::string>() + "/fail",
                   Json{{"reason", "over"}, {"count_attempt", false}})
                  .status,
              200);
    cancel(mine);
  }
  cancel(other);
}

TEST(ApiGrants, AWorkersNameIsItsTokensUntilAnAdminFreesIt) {
  ApiServer& server = ApiServer::instance();
  register_target("grants-name");
  const std::string confined =
      make("grant-name", "worker", Json::array({grant("grants-name")})).secret;
  const std::string owner = server.token(Role::worker);
  const std::string admin = server.token(Role::admin);
  ASSERT_EQ(register_worker(owner, "grants-named"), 200);
  EXPECT_EQ(register_worker(confined, "grants-named"), 409);
  EXPECT_EQ(register_worker(admin, "grants-named"), 409);
  const Json wanted{{"version", 1}, {"worker", "grants-named"}, {"wait_seconds", 0}};
  EXPECT_EQ(send(confined, "POST", "/v1/leases", wanted).status, 404);
  EXPECT_EQ(send(owner, "POST", "/v1/workers/grants-named/free", Json::object()).status, 403);
  EXPECT_EQ(send(admin, "POST", "/v1/workers/grants-named/free", Json::object()).status, 200);
  EXPECT_EQ(register_worker(confined, "grants-named"), 200);
  EXPECT_EQ(register_worker(owner, "grants-named"), 409);
  EXPECT_EQ(send(owner, "POST", "/v1/leases", wanted).status, 404);
  EXPECT_EQ(send(admin, "POST", "/v1/workers/nobody-at-all/free", Json::object()).status, 404);
}

TEST(ApiGrants, WorkersShowWhatTheyDoToWhoMayReadIt) {
  ApiServer& server = ApiServer::instance();
  register_target("grants-busy");
  register_target("grants-idle");
  const std::string worker =
      make("grant-busy-worker", "worker", Json::array({grant("grants-busy")})).secret;
  ASSERT_EQ(register_worker(worker, "grants-busy-worker"), 200);
  const std::string job = job_of(submit(server.token(Role::submitter), "grants-busy"));
  const RawResponse leased =
      send(worker, "POST", "/v1/leases",
           Json{{"version", 1}, {"worker", "grants-busy-worker"}, {"wait_seconds", 0}});
  ASSERT_EQ(leased.status, 200) << leased.body;
  const std::string attempt = (*parse_json(leased.body))["attempt"].get<std::string>();
  const std::string sees =
      make("grant-busy-viewer", "viewer", Json::array({grant("grants-busy")})).secret;
  const std::string not_that =
      make("grant-idle-viewer", "viewer", Json::array({grant("grants-idle")})).secret;
  EXPECT_NE(send(sees, "GET", "/v1/workers").body.find(job), std::string::npos);
  EXPECT_EQ(send(not_that, "GET", "/v1/workers").body.find(job), std::string::npos);
  EXPECT_EQ(send(not_that, "GET", "/v1/workers/grants-busy-worker").status, 200);
  const std::string idle_worker =
      make("grant-idle-worker", "worker", Json::array({grant("grants-idle")})).secret;
  const RawResponse registered =
      send(idle_worker, "PUT", "/v1/workers/grants-busy-worker",
           Json{{"name", "grants-busy-worker"}, {"machine", {{"host", "h"}}}});
  EXPECT_EQ(registered.status, 409) << registered.body;
  EXPECT_EQ(registered.body.find(job), std::string::npos);
  EXPECT_NE(send(sees, "GET", "/v1/views/fleet").body.find(job), std::string::npos);
  EXPECT_EQ(send(not_that, "GET", "/v1/views/fleet").body.find(job), std::string::npos);
  EXPECT_EQ(send(worker, "POST", "/v1/leases/" + attempt + "/fail",
                 Json{{"reason", "over"}, {"count_attempt", false}})
                .status,
            200);
  cancel(job);
}

TEST(ApiGrants, ListsHoldWhatMayBeRead) {
  ApiServer& server = ApiServer::instance();
  register_target("grants-list");
  register_target("grants-list-other");
  const std::string mine = job_of(submit(server.token(Role::submitter), "grants-list"));
  const std::string other = job_of(submit(server.token(Role::submitter), "grants-list-other"));
  const std::string token =
      make("grant-list", "viewer", Json::array({grant("grants-list")})).secret;
  const std::string jobs = send(token, "GET", "/v1/jobs?limit=1000").body;
  EXPECT_NE(jobs.find(mine), std::string::npos);
  EXPECT_EQ(jobs.find(other), std::string::npos);
  // Events of everything: those of the others' jobs are passed over. "0-0" is their beginning.
  RawHttpClient client(server.port());
  client.send("GET /v1/events?after=0-0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              token + "\r\n\r\n");
  cancel(other);
  cancel(mine);
  std::string seen;
  while (seen.find("cancelled") == std::string::npos) {
    const std::optional<std::string> line = client.read_through("\n");
    ASSERT_TRUE(line.has_value()) << seen;
    seen += *line;
  }
  EXPECT_NE(seen.find(mine), std::string::npos);
  EXPECT_EQ(seen.find(other), std::string::npos);
}

TEST(ApiGrants, AStreamOfEventsEndsWhenTokensChange) {
  ApiServer& server = ApiServer::instance();
  register_target("grants-stream");
  const Made token = make("grant-stream", "viewer", Json::array({grant("grants-stream")}));
  RawHttpClient client(server.port());
  client.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              token.secret + "\r\n\r\n");
  ASSERT_TRUE(client.read_through("\r\n\r\n").has_value());
  EXPECT_TRUE(server.client().remove("/v1/tokens/" + token.id).has_value());
  const std::string job = job_of(submit(server.token(Role::submitter), "grants-stream"));
  cancel(job);
  while (client.read_through("\n").has_value()) {
  }
  EXPECT_TRUE(client.closed_by_server());
}

TEST(ApiGrants, AStreamOfEventsEndsWithTheSecretThatItWasOpenedWith) {
  ApiServer& server = ApiServer::instance();
  const Made token = make("rotated-stream", "viewer", Json());
  const auto rotate = [&](int old_for_seconds) {
    return server.client().post("/v1/tokens/" + token.id + "/rotate",
                                Json{{"old_for_seconds", old_for_seconds}});
  };
  RawHttpClient client(server.port());
  client.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              token.secret + "\r\n\r\n");
  ASSERT_TRUE(client.read_through("\r\n\r\n").has_value());
  ASSERT_TRUE(rotate(600));
  // Two heartbeats: it has looked since.
  EXPECT_TRUE(client.read_through("\n:").has_value());
  EXPECT_TRUE(client.read_through("\n:").has_value());
  ASSERT_TRUE(rotate(0));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (client.read_through("\n").has_value() && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_TRUE(server.client().remove("/v1/tokens/" + token.id).has_value());
}

// 64 lines of a megabyte each, more than lies between the two ends of a connection.
void log_wide_steps() {
  ApiServer::instance().sql(R"sql(
WITH wide AS (
  INSERT INTO states (state_id, features)
  VALUES (repeat('d', 64), jsonb_build_object('Wide', repeat('x', 1000000))) RETURNING number
), way AS (
  INSERT INTO episodes (id, session, program, start, machine, compiler, begun_at)
  VALUES (gen_random_uuid(), gen_random_uuid(), repeat('d', 64), 'open', '{}', 'a compiler', now())
  RETURNING number
)
INSERT INTO steps (episode, step, kind, next_state, outcome, reason, rewards, length, at)
SELECT way.number, n, 'observe', wide.number, 'ok', '', '{}', 0, now()
FROM way, wide, generate_series(0, 63) AS n)sql");
}

void forget_wide_steps() {
  ApiServer::instance().sql("DELETE FROM episodes WHERE program = repeat('d', 64)");
  ApiServer::instance().sql("DELETE FROM states WHERE state_id = repeat('d', 64)");
}

TEST(ApiGrants, AStreamOfLinesEndsWithItsToken) {
  ApiServer& server = ApiServer::instance();
  log_wide_steps();
  const Made token = make("grant-lines", "viewer", Json());
  RawHttpClient client(server.port());
  client.send("GET /v1/transitions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              token.secret + "\r\n\r\n");
  ASSERT_TRUE(client.read_through("\r\n\r\n").has_value());
  EXPECT_TRUE(server.client().remove("/v1/tokens/" + token.id).has_value());
  int lines = 0;
  while (const std::optional<std::string> line = client.read_through("\n")) {
    lines += line->find("\"program\":\"dddd") != std::string::npos ? 1 : 0;
  }
  EXPECT_LT(lines, 64) << "what is read for nobody any more";
  forget_wide_steps();
}

RawResponse upload(const std::string& secret, const std::string& hash, const std::string& content) {
  return ApiServer::instance().ask_as(secret, "PUT", "/v1/artifacts/" + hash,
                                      "Content-Type: application/octet-stream\r\n", content);
}

TEST(ApiGrants, ArtifactsAreOfWhoSentThemAndWhoMayReadTheirTargets) {
  ApiServer& server = ApiServer::instance();
  const std::string content = "what only some may read";
  const std::string hash = sha256_hex(content);
  const std::string owner =
      make("artifact-owner", "submitter", Json::array({grant("artifact-target")})).secret;
  const std::string reader =
      make("artifact-reader", "viewer", Json::array({grant("artifact-target")})).secret;
  const std::string stranger =
      make("artifact-stranger", "submitter", Json::array({grant("artifact-elsewhere")})).secret;
  const auto can_read = [&](const std::string& secret) {
    const int got = send(secret, "GET", "/v1/artifacts/" + hash).status;
    EXPECT_EQ(send(secret, "HEAD", "/v1/artifacts/" + hash).status, got);
    EXPECT_TRUE(got == 200 || got == 404) << got;
    return got == 200;
  };
  EXPECT_EQ(upload(owner, hash, content).status, 201);
  EXPECT_EQ(upload(owner, hash, content).status, 200);
  EXPECT_TRUE(can_read(owner));
  EXPECT_FALSE(can_read(reader)) << "no target is made of it yet";
  EXPECT_FALSE(can_read(stranger));
  // To know its hash gives nothing: neither by saying it, nor by other bytes.
  EXPECT_EQ(upload(stranger, hash, "other bytes").status, 400);
  EXPECT_FALSE(can_read(stranger));
  Json spec = simple_target("artifact-elsewhere");
  spec["source"] = Json{{"artifact", hash}};
  const RawResponse taken = send(stranger, "PUT", "/v1/targets/artifact-elsewhere", spec);
  EXPECT_EQ(taken.status, 400) << taken.body;
  spec["source"] = Json{{"artifact", std::string(64, 'e')}};
  EXPECT_EQ(problem_of(send(stranger, "PUT", "/v1/targets/artifact-elsewhere", spec))["errors"],
            problem_of(taken)["errors"]);
  const RawResponse session = send(stranger, "POST", "/v1/sessions", Json{{"program", hash}});
  EXPECT_EQ(session.status, 400) << session.body;
  EXPECT_EQ(pointers_of(problem_of(session)), std::vector<std::string>{"/program"});
  // A target that is made of it is read by who may read the target.
  spec = simple_target("artifact-target");
  spec["source"] = Json{{"artifact", hash}};
  EXPECT_EQ(send(owner, "PUT", "/v1/targets/artifact-target", spec).status, 201);
  EXPECT_TRUE(can_read(reader));
  EXPECT_FALSE(can_read(stranger));
  EXPECT_TRUE(can_read(server.token(Role::worker)));
  // Who has the bytes may send them; it is told nothing of others who did.
  EXPECT_EQ(upload(stranger, hash, content).status, 201);
  EXPECT_TRUE(can_read(stranger));
}

}  // namespace
}  // namespace hone
