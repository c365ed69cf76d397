// Every route that changes something leaves a row in the audit log, or says in the table why not.
#include <functional>
#include <map>

#include "common/base/sha256.h"
#include "common/policy/signature.h"
#include "tests/unit/server/api/api_server.h"
#include "tests/unit/server/api/route_table.h"

namespace hone {
namespace {

// A change and what it is expected to be of.
struct Change {
  std::function<Result<Json>()> run;
  std::string object;  // empty: whatever the answer's "id" is
  std::string target;  // empty: none
};

class Scene {
 public:
  Scene() : admin_(ApiServer::instance().client()) {
    register_target("audited");
    keys_ = *generate_key_pair();
  }

  Result<Json> post(const std::string& path, const Json& body = Json::object()) {
    static int key = 0;
    return admin_.post(path, body,
                       {.headers = {{"Idempotency-Key", "audit-" + std::to_string(++key)},
                                    {"X-Request-Id", "req-1"}}});
  }
  Result<Json> put(const std::string& path, const Json& body) { return admin_.put(path, body); }
  Result<Json> remove(const std::string& path) { return admin_.remove(path); }

  std::string job() {
    const Json answer =
        post("/v1/jobs",
             Json{{"jobs",
                   Json::array({{{"target", "audited"}, {"rules", Json::array({knob_rule(2)})}}})}})
            .value();
    return text_of(answer["jobs"][0], "id");
  }
  std::string campaign() {
    return text_of(
        post("/v1/campaigns", Json{{"target", "audited"}, {"budget_candidates", 3}}).value(), "id");
  }
  Json candidates() {
    Json set{{"generator", "test"}, {"scheme", "none"}, {"seed", 1}, {"candidates", Json::array()}};
    set["candidates"].push_back(
        {{"index", 0}, {"origin", "test"}, {"rules", Json::array({knob_rule(2)})}});
    return set;
  }
  // Racing, with one candidate, whose id it gives.
  std::pair<std::string, std::string> race() {
    const std::string id = campaign();
    const Json added = post("/v1/campaigns/" + id + "/candidate-sets", candidates()).value();
    return {id, text_of(added["candidates"][0], "id")};
  }
  Json document() {
    return Json{{"format", 1},
                {"target", "audited"},
                {"sequence", ++sequence_},
                {"compiler", {{"family", "clang"}, {"major", 19}}},
                {"rules", Json::array()}};
  }
  // A target whose version 1 may be tried on a service.
  void make_service(const std::string& target) {
    register_target(target);
    Json policy = document();
    policy["target"] = target;
    EXPECT_TRUE(post("/v1/policies/" + target, Json{{"document", policy}, {"signature", nullptr}}));
    EXPECT_TRUE(put("/v1/targets/" + target + "/service", example_service(target)));
  }
  Result<Json> canary(const std::string& target) {
    return post("/v1/canaries", Json{{"target", target}, {"policy_version", 1}});
  }
  // A canary in that state.
  std::string canary_in(const std::string& target, CanaryState state) {
    make_service(target);
    const std::string id = text_of(canary(target).value(), "id");
    const Result<CanaryView> changed =
        ApiServer::instance().on_store<CanaryView>([id, state](Store& store) {
          return store.canaries().change(id, [state](CanaryStatus status) -> Result<CanaryStatus> {
            status.state = state;
            status.share = 1;
            return status;
          });
        });
    EXPECT_TRUE(changed.has_value()) << changed.error().describe();
    return id;
  }
  std::string publish() {
    return post("/v1/policies/audited", Json{{"document", document()}, {"signature", nullptr}})
        .value()["version"]
        .dump();
  }
  std::string token(bool confined = false) {
    static int number = 0;
    Json wanted{{"name", "audit-token-" + std::to_string(++number)}, {"role", "viewer"}};
    if (confined) {
      wanted["grants"] = Json::array({{{"target", "audited"}}});
    }
    return text_of(post("/v1/tokens", wanted).value(), "id");
  }
  std::string key() {
    static int number = 0;
    return text_of(post("/v1/policy-keys", Json{{"name", "audit-key-" + std::to_string(++number)},
                                                {"public_key", generate_key_pair()->public_pem}})
                       .value(),
                   "id");
  }
  void clean_up(const std::string& campaign) { post("/v1/campaigns/" + campaign + "/cancel"); }
  const KeyPair& keys() const { return keys_; }

 private:
  Client admin_;
  KeyPair keys_;
  std::int64_t sequence_ = 0;
};

std::map<std::string, Change> changes(Scene& scene) {
  std::map<std::string, Change> list;
  const auto add = [&](const std::string& route, std::function<Result<Json>()> run,
                       std::string object = "", std::string target = "audited") {
    list[route] = Change{std::move(run), std::move(object), std::move(target)};
  };
  Json changed = simple_target("audited");
  changed["benchmark"]["timeout_seconds"] = 9;
  add(
      "PUT /v1/targets/{name}",
      [&scene, changed] { return scene.put("/v1/targets/audited", changed); }, "audited");
  const std::string content = "audited bytes";
  const std::string hash = sha256_hex(content);
  add(
      "PUT /v1/artifacts/{sha256}",
      [hash, content]() -> Result<Json> {
        const RawResponse response = ApiServer::instance().ask(
            "PUT", "/v1/artifacts/" + hash, "Content-Type: application/octet-stream\r\n", content);
        return parse_json(response.body);
      },
      hash, "");
  add("POST /v1/jobs", [&scene] {
    return scene.post(
        "/v1/jobs",
        Json{{"jobs",
              Json::array({{{"target", "audited"}, {"rules", Json::array({knob_rule(2)})}}})}});
  });
  const std::string job = scene.job();
  add(
      "POST /v1/jobs/{id}/cancel",
      [&scene, job] { return scene.post("/v1/jobs/" + job + "/cancel"); }, job);
  const std::string dead = scene.job();
  ApiServer::instance().sql(
      "UPDATE jobs SET state = 'dead', reason = 'a test', finished_at = now() WHERE id = '" + dead +
      "'");
  add(
      "POST /v1/jobs/{id}/retry",
      [&scene, dead] { return scene.post("/v1/jobs/" + dead + "/retry"); }, dead);
  add("POST /v1/campaigns", [&scene] {
    return scene.post("/v1/campaigns", Json{{"target", "audited"}, {"budget_candidates", 1}});
  });
  const std::string waiting = scene.campaign();
  add(
      "POST /v1/campaigns/{id}/candidate-sets",
      [&scene, waiting] {
        return scene.post("/v1/campaigns/" + waiting + "/candidate-sets", scene.candidates());
      },
      waiting);
  const auto [named, candidate] = scene.race();
  add(
      "PUT /v1/campaigns/{id}/finalists",
      [&scene, id = named, one = candidate] {
        return scene.put("/v1/campaigns/" + id + "/finalists",
                         Json{{"candidates", Json::array({one})}});
      },
      named);
  const auto [closed, unused] = scene.race();
  add(
      "POST /v1/campaigns/{id}/close",
      [&scene, id = closed] { return scene.post("/v1/campaigns/" + id + "/close"); }, closed);
  const std::string cancelled = scene.campaign();
  add(
      "POST /v1/campaigns/{id}/cancel",
      [&scene, cancelled] { return scene.post("/v1/campaigns/" + cancelled + "/cancel"); },
      cancelled);
  add(
      "PUT /v1/workers/{name}",
      [&scene] {
        return scene.put("/v1/workers/audited-worker",
                         Json{{"name", "audited-worker"}, {"machine", {{"host", "h"}}}});
      },
      "audited-worker", "");
  scene.put("/v1/workers/audit-drained",
            Json{{"name", "audit-drained"}, {"machine", {{"host", "h"}}}});
  for (const char* use : {"drain", "resume", "leave", "free"}) {
    add(
        std::string("POST /v1/workers/{name}/") + use,
        [&scene, use] { return scene.post(std::string("/v1/workers/audit-drained/") + use); },
        "audit-drained", "");
  }
  add(
      "POST /v1/policies/{target}",
      [&scene] {
        return scene.post("/v1/policies/audited",
                          Json{{"document", scene.document()}, {"signature", nullptr}});
      },
      "audited");
  scene.make_service("audited-service");
  add(
      "PUT /v1/targets/{name}/service",
      [&scene] {
        return scene.put("/v1/targets/audited-service/service", example_service("audited-service"));
      },
      "audited-service", "audited-service");
  add(
      "POST /v1/canaries", [&scene] { return scene.canary("audited-service"); }, "",
      "audited-service");
  const std::string judged = scene.canary_in("audited-judged", CanaryState::judged);
  add(
      "POST /v1/canaries/{id}/approve",
      [&scene, judged] { return scene.post("/v1/canaries/" + judged + "/approve"); }, judged,
      "audited-judged");
  const std::string ramping = scene.canary_in("audited-ramping", CanaryState::ramping);
  add(
      "POST /v1/canaries/{id}/abort",
      [&scene, ramping] {
        return scene.post("/v1/canaries/" + ramping + "/abort", Json{{"reason", "a test"}});
      },
      ramping, "audited-ramping");
  const std::string promoted = scene.publish();
  add(
      "POST /v1/policies/{target}/versions/{version}/promote",
      [&scene, promoted] {
        return scene.post("/v1/policies/audited/versions/" + promoted + "/promote");
      },
      "audited");
  add(
      "POST /v1/policies/{target}/versions/{version}/rollback",
      [&scene, promoted] {
        return scene.post("/v1/policies/audited/versions/" + promoted + "/rollback");
      },
      "audited");
  scene.post("/v1/policy-keys", Json{{"name", "audit-signer"},
                                     {"public_key", scene.keys().public_pem},
                                     {"target", "audited"}});
  const std::string signed_version = scene.publish();
  add(
      "PUT /v1/policies/{target}/versions/{version}/signature",
      [&scene, signed_version] {
        const Result<Json> document =
            ApiServer::instance().client().get("/v1/policies/audited?version=" + signed_version);
        return scene.put("/v1/policies/audited/versions/" + signed_version + "/signature",
                         Json{{"signature", *sign_policy(*document, scene.keys().secret_pem)}});
      },
      "audited");
  add(
      "PUT /v1/policies/{target}/signing",
      [&scene] { return scene.put("/v1/policies/audited/signing", Json{{"required", true}}); },
      "audited");
  add(
      "POST /v1/policy-keys",
      [&scene] {
        return scene.post("/v1/policy-keys", Json{{"name", "audit-key"},
                                                  {"public_key", generate_key_pair()->public_pem}});
      },
      "", "");
  const std::string key = scene.key();
  add(
      "POST /v1/policy-keys/{id}/retire",
      [&scene, key] { return scene.post("/v1/policy-keys/" + key + "/retire"); }, key, "");
  add(
      "POST /v1/tokens",
      [&scene] {
        return scene.post("/v1/tokens", Json{{"name", "audit-made"}, {"role", "viewer"}});
      },
      "", "");
  const std::string granted = scene.token(true);
  add(
      "PUT /v1/tokens/{id}/grants/{target}",
      [&scene, granted] {
        return scene.put("/v1/tokens/" + granted + "/grants/audited", Json::object());
      },
      granted);
  const std::string ungranted = scene.token(true);
  add(
      "DELETE /v1/tokens/{id}/grants/{target}",
      [&scene, ungranted] { return scene.remove("/v1/tokens/" + ungranted + "/grants/audited"); },
      ungranted);
  const std::string rotated = scene.token();
  add(
      "POST /v1/tokens/{id}/rotate",
      [&scene, rotated] { return scene.post("/v1/tokens/" + rotated + "/rotate"); }, rotated, "");
  const std::string revoked = scene.token();
  add(
      "DELETE /v1/tokens/{id}", [&scene, revoked] { return scene.remove("/v1/tokens/" + revoked); },
      revoked, "");
  return list;
}

Json newest(const std::string& query = "") {
  const Result<Json> page = ApiServer::instance().client().get("/v1/audit?limit=1" + query);
  EXPECT_TRUE(page.has_value()) << page.error().describe();
  return (*page)["items"].empty() ? Json() : (*page)["items"][0];
}

TEST(ApiAudit, EveryChangingRouteLeavesARow) {
  Scene scene;
  std::map<std::string, Change> list = changes(scene);
  int checked = 0;
  for (const Route& route : ApiServer::instance().router().routes()) {
    const std::string name = std::string(to_string(route.method)) + " " + route.path;
    const auto row = std::ranges::find(route_table(), name, &RouteRow::route);
    ASSERT_NE(row, route_table().end()) << name;
    if (route.method == HttpMethod::get) {
      EXPECT_EQ(row->audit, "") << name;
      continue;
    }
    ASSERT_NE(row->audit, "") << name << ": which action does it leave, or why none?";
    if (row->audit.starts_with('(')) {
      continue;
    }
    ASSERT_TRUE(list.contains(name)) << name << ": say here how it is called";
    const Change& change = list.at(name);
    const Json before = newest();
    const Result<Json> done = change.run();
    ASSERT_TRUE(done.has_value()) << name << ": " << done.error().describe();
    const Json after = newest();
    ASSERT_NE(before["number"], after["number"]) << name << " left nothing";
    EXPECT_EQ(after["action"], row->audit) << name;
    EXPECT_EQ(after["token_name"], "admin") << name;
    const std::string object = !change.object.empty()   ? change.object
                               : done->contains("jobs") ? text_of((*done)["jobs"][0], "id")
                                                        : text_of(*done, "id");
    EXPECT_EQ(after["object"], object) << name;
    EXPECT_EQ(after["target"], change.target.empty() ? Json() : Json(change.target)) << name;
    EXPECT_EQ(after.dump().find("hone_"), std::string::npos) << name << " tells a secret";
    ++checked;
    if (after["kind"] == "job" || after["kind"] == "campaign") {
      scene.post("/v1/" + after["kind"].get<std::string>() + "s/" + object + "/cancel");
    }
  }
  EXPECT_GE(checked, 22);
  EXPECT_TRUE(scene.put("/v1/policies/audited/signing", Json{{"required", false}}).has_value());
}

TEST(ApiAudit, WhatChangesNothingLeavesNothing) {
  Scene scene;
  const std::string job = scene.job();
  EXPECT_TRUE(scene.post("/v1/jobs/" + job + "/cancel").has_value());
  const Json last = newest();
  EXPECT_EQ(last["before"]["state"], "queued");
  EXPECT_EQ(last["request"], "req-1");
  // Again, to what is not there, and refused.
  EXPECT_TRUE(scene.post("/v1/jobs/" + job + "/cancel").has_value());
  EXPECT_FALSE(scene.post("/v1/workers/audit-nowhere/drain").has_value());
  EXPECT_FALSE(scene.post("/v1/tokens", Json{{"name", "admin"}, {"role", "viewer"}}).has_value());
  EXPECT_TRUE(scene
                  .put("/v1/targets/audited",
                       ApiServer::instance().client().get("/v1/targets/audited").value()["spec"])
                  .has_value());
  EXPECT_EQ(newest()["number"], last["number"]);
}

TEST(ApiAudit, IsFilteredAndReadByAdminsOnly) {
  Scene scene;
  const std::string id = scene.token(true);
  EXPECT_EQ(newest("&object=" + id)["action"], "token.create");
  EXPECT_EQ(newest("&object=" + id + "&action=token.revoke"), Json());
  EXPECT_EQ(newest("&token=admin&kind=token")["object"], id);
  EXPECT_EQ(newest("&token=viewer"), Json());
  EXPECT_TRUE(scene.remove("/v1/tokens/" + id + "/grants/audited").has_value());
  const Json taken = newest("&target=audited&kind=token");
  EXPECT_EQ(taken["before"].dump(), R"({"audited":["read"]})");
  EXPECT_EQ(taken["after"].dump(), "{}");
  EXPECT_EQ(newest("&to=1"), Json());
  EXPECT_NE(newest("&from=1"), Json());
  EXPECT_EQ(ApiServer::instance().ask("GET", "/v1/audit", "", "", Role::learner).status, 403);
  const RawResponse csv = ApiServer::instance().ask("GET", "/v1/audit?format=csv&limit=2", "");
  EXPECT_EQ(csv.status, 200);
  EXPECT_NE(csv.header("Hone-Next-Cursor"), "");
}

TEST(ApiAudit, NobodyChangesIt) {
  ApiServer& server = ApiServer::instance();
  Scene scene;
  scene.token();
  for (const char* change :
       {"UPDATE audit_log SET action = 'x.y'", "DELETE FROM audit_log", "TRUNCATE audit_log"}) {
    EXPECT_THROW(server.sql(change), std::runtime_error) << change;
  }
}

}  // namespace
}  // namespace hone
