// Every route, as the router has them, against the table: who gets in, and what of other targets a
// confined token sees.
#include <map>
#include <set>

#include "common/base/sha256.h"
#include "tests/unit/server/api/api_server.h"
#include "tests/unit/server/api/route_table.h"

namespace hone {
namespace {

const std::string kNobody = "00000000-0000-4000-8000-000000000000";

std::string name_of(const Route& route) {
  return std::string(to_string(route.method)) + " " + route.path;
}

const RouteRow* row_of(const std::string& name) {
  for (const RouteRow& row : route_table()) {
    if (row.route == name) {
      return &row;
    }
  }
  return nullptr;
}

// The path with values in place of {names}; what is not given stands for nothing that there is.
std::string filled(const Route& route, const std::map<std::string, std::string>& values = {}) {
  std::string path = route.path;
  for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{', at)) {
    const std::size_t end = path.find('}', at);
    const std::string name = path.substr(at + 1, end - at - 1);
    const auto given = values.find(name);
    const bool is_id = name == "id" || name == "attempt";
    const std::string value = given != values.end() ? given->second
                              : is_id               ? kNobody
                              : name == "sha256"    ? std::string(64, '0')
                              : name == "version"   ? "1"
                                                    : "no-such-thing";
    path.replace(at, end - at + 1, value);
    at += value.size();
  }
  return path;
}

// A request without Authorization but for these headers. The body is one that no route takes, so
// that nothing happens where somebody is let in.
RawResponse ask(const Route& route, const std::string& path, const std::string& headers) {
  const bool json = route.body == BodyKind::json || route.body == BodyKind::optional_json;
  const std::string body = json ? "[]" : route.body == BodyKind::octets ? "x" : "";
  std::string text = std::string(to_string(route.method)) + " " + path +
                     " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers;
  if (!body.empty()) {
    text += std::string("Content-Type: application/") + (json ? "json" : "octet-stream") +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  RawHttpClient client(ApiServer::instance().port());
  client.send(text + "\r\n" + body);
  if (path.starts_with("/v1/events")) {  // which never ends for whoever is let in
    RawResponse response;
    response.head = client.read_through("\r\n\r\n").value_or("HTTP/1.1 000");
    response.status = std::stoi(response.head.substr(9, 3));
    return response;
  }
  return client.receive();
}

std::string bearer(const std::string& secret) {
  return "Authorization: Bearer " + secret + "\r\n";
}

struct MadeToken {
  std::string id;
  std::string secret;
};

MadeToken make_token(const Json& wanted) {
  const Result<Json> made = ApiServer::instance().client().post("/v1/tokens", wanted);
  EXPECT_TRUE(made.has_value()) << made.error().describe();
  return {(*made)["id"].get<std::string>(), (*made)["token"].get<std::string>()};
}

// Has a test of its own (ApiGrants).
bool is_stream(const std::string& name) {
  return name == "GET /v1/events";
}

TEST(ApiRoutes, EveryRouteHasARowAndEveryRowARoute) {
  std::set<std::string> served;
  for (const Route& route : ApiServer::instance().router().routes()) {
    served.insert(name_of(route));
    EXPECT_NE(row_of(name_of(route)), nullptr) << name_of(route) << ": say who may call it";
  }
  for (const RouteRow& row : route_table()) {
    EXPECT_TRUE(served.contains(std::string(row.route))) << row.route << " is not served";
  }
}

TEST(ApiRoutes, WithoutAGoodTokenNobodyGetsIn) {
  ApiServer& server = ApiServer::instance();
  const MadeToken revoked = make_token({{"name", "routes-revoked"}, {"role", "admin"}});
  EXPECT_TRUE(server.client().remove("/v1/tokens/" + revoked.id).has_value());
  const MadeToken over =
      make_token({{"name", "routes-over"}, {"role", "admin"}, {"expires_in_seconds", 3600}});
  EXPECT_EQ(server.ask_as(over.secret, "GET", "/v1/tokens", "").status, 200);
  server.sql("UPDATE tokens SET expires_at = now() - interval '1 second' WHERE id = '" + over.id +
             "'");
  // What was known of it is kept until the database says that it changed.
  for (int i = 0; i < 500 && server.ask_as(over.secret, "GET", "/v1/tokens", "").status == 200;
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string& good = server.token(Role::admin);
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"no token", ""},
      {"revoked", bearer(revoked.secret)},
      {"expired", bearer(over.secret)},
      {"unknown", bearer("hone_" + std::string(64, '0'))},
      {"malformed", bearer("hone_short")},
      {"upper case", bearer("HONE_" + good.substr(5))},
      {"cut short", bearer(good.substr(0, good.size() - 1))},
      {"empty", "Authorization: Bearer \r\n"},
      {"without a scheme", "Authorization: " + good + "\r\n"},
      {"another scheme", "Authorization: Basic " + good + "\r\n"},
      {"another header", "X-Api-Key: " + good + "\r\n"},
      {"a cookie", "Cookie: token=" + good + "\r\n"},
  };
  for (const Route& route : server.router().routes()) {
    const RouteRow* const row = row_of(name_of(route));
    ASSERT_NE(row, nullptr) << name_of(route);
    if (row->roles == "public") {
      const RawResponse response = ask(route, filled(route), "");
      EXPECT_NE(response.status, 401) << row->route;
      EXPECT_NE(response.status, 403) << row->route;
      continue;
    }
    for (const auto& [what, headers] : bad) {
      EXPECT_EQ(ask(route, filled(route), headers).status, 401) << row->route << " with " << what;
    }
    // A token in a URL stands in logs: it is no token there.
    EXPECT_EQ(ask(route, filled(route) + "?token=" + good, "").status, 401) << row->route;
    EXPECT_EQ(ask(route, filled(route) + "?access_token=" + good, "").status, 401) << row->route;
  }
}

TEST(ApiRoutes, EveryRoleDoesWhatItsRowSays) {
  ApiServer& server = ApiServer::instance();
  const std::vector<std::pair<Role, char>> roles = {
      {Role::viewer, 'v'}, {Role::submitter, 's'}, {Role::worker, 'w'}, {Role::learner, 'l'}};
  int checked = 0;
  for (const Route& route : server.router().routes()) {
    const RouteRow* const row = row_of(name_of(route));
    ASSERT_NE(row, nullptr) << name_of(route);
    if (row->roles == "public") {
      continue;
    }
    for (const auto& [role, letter] : roles) {
      const RawResponse response = ask(route, filled(route), bearer(server.token(role)));
      const bool allowed = row->roles.find(letter) != std::string_view::npos;
      ASSERT_NE(response.status, 0) << row->route;
      EXPECT_NE(response.status, 401) << row->route << " as " << to_string(role);
      EXPECT_EQ(response.status == 403, !allowed)
          << row->route << " as " << to_string(role) << ": " << response.status << response.body;
      EXPECT_LT(response.status, 500) << row->route << response.body;
      ++checked;
    }
    const RawResponse response = ask(route, filled(route), bearer(server.token(Role::admin)));
    EXPECT_NE(response.status, 401) << row->route;
    EXPECT_NE(response.status, 403) << row->route << response.body;
    EXPECT_LT(response.status, 500) << row->route << response.body;
  }
  EXPECT_GT(checked, 200);
}

// A target with one of everything that can belong to one.
struct Belongings {
  std::string target;
  std::map<Belongs, std::string> ids;
  std::string artifact;
};

Belongings make_belongings(const std::string& target) {
  ApiServer& server = ApiServer::instance();
  const Client admin = server.client();
  Belongings made;
  made.target = target;
  const std::string content = "the source of " + target;
  made.artifact = sha256_hex(content);
  EXPECT_EQ(server
                .ask("PUT", "/v1/artifacts/" + made.artifact,
                     "Content-Type: application/octet-stream\r\n", content)
                .status,
            201);
  Json spec = simple_target(target);
  spec["source"] = Json{{"artifact", made.artifact}};
  EXPECT_TRUE(admin.put("/v1/targets/" + target, spec).has_value());
  const Result<Json> campaign = admin.post(
      "/v1/campaigns", Json{{"target", target}, {"budget_candidates", 2}, {"baseline", "O3"}});
  EXPECT_TRUE(campaign.has_value()) << campaign.error().describe();
  made.ids[Belongs::campaign] = (*campaign)["id"].get<std::string>();
  Json set{{"generator", "test"}, {"scheme", "none"}, {"seed", 1}, {"candidates", Json::array()}};
  set["candidates"].push_back(
      {{"index", 0}, {"origin", "test"}, {"rules", Json::array({knob_rule(2)})}});
  const Result<Json> added =
      admin.post("/v1/campaigns/" + made.ids[Belongs::campaign] + "/candidate-sets", set);
  EXPECT_TRUE(added.has_value()) << added.error().describe();
  made.ids[Belongs::candidate] = (*added)["candidates"][0]["id"].get<std::string>();
  made.ids[Belongs::job] = (*added)["jobs"][0].get<std::string>();
  Json document{{"format", 1},
                {"target", target},
                {"sequence", 1},
                {"compiler", {{"family", "clang"}, {"major", 19}}},
                {"rules", Json::array()}};
  const Result<Json> published =
      admin.post("/v1/policies/" + target, Json{{"document", document}, {"signature", nullptr}});
  EXPECT_TRUE(published.has_value()) << published.error().describe();
  EXPECT_TRUE(
      admin.post("/v1/policies/" + target + "/versions/1/promote", Json::object()).has_value());
  EXPECT_TRUE(admin.put("/v1/targets/" + target + "/service", example_service(target)).has_value());
  const Result<Json> canary =
      admin.post("/v1/canaries", Json{{"target", target}, {"policy_version", 1}});
  EXPECT_TRUE(canary.has_value()) << canary.error().describe();
  made.ids[Belongs::canary] = (*canary)["id"].get<std::string>();
  return made;
}

void register_worker(const std::string& secret, const std::string& name) {
  const Json worker{{"name", name}, {"machine", {{"host", "h"}}}};
  const RawResponse put =
      ApiServer::instance().ask_as(secret, "PUT", "/v1/workers/" + name,
                                   "Content-Type: application/json\r\n", dump_json(worker));
  ASSERT_EQ(put.status, 200) << put.body;
}

// A token of each role that is confined to this target.
std::map<Role, std::string> confined_to(const std::string& target) {
  std::map<Role, std::string> tokens;
  for (const Role role : {Role::viewer, Role::submitter, Role::worker, Role::learner}) {
    tokens[role] = make_token({{"name", target + "-" + std::string(to_string(role))},
                               {"role", to_string(role)},
                               {"grants", Json::array({{{"target", target}}})}})
                       .secret;
  }
  return tokens;
}

TEST(ApiRoutes, AConfinedTokenSeesNothingOfOtherTargets) {
  ApiServer& server = ApiServer::instance();
  Belongings other = make_belongings("routes-other");
  Belongings mine = make_belongings("routes-mine");
  const std::map<Role, std::string> tokens = confined_to(mine.target);
  // Of the other one's job there is a lease, and an attempt.
  const std::string other_worker =
      make_token({{"name", "routes-other-worker"},
                  {"role", "worker"},
                  {"grants", Json::array({{{"target", other.target}}})}})
          .secret;
  register_worker(other_worker, "routes-worker");
  const RawResponse leased =
      server.ask_as(other_worker, "POST", "/v1/leases", "Content-Type: application/json\r\n",
                    R"({"version":1,"worker":"routes-worker","wait_seconds":0})");
  ASSERT_EQ(leased.status, 200) << leased.body;
  const Json lease = *parse_json(leased.body);
  EXPECT_EQ(lease["target"]["name"], other.target);
  other.ids[Belongs::attempt] = lease["attempt"].get<std::string>();
  int things = 0;
  for (const Route& route : server.router().routes()) {
    const RouteRow& row = *row_of(name_of(route));
    for (const auto& [role, secret] : tokens) {
      const char letter = std::string(to_string(role))[0];
      const std::string who = std::string(row.route) + " as " + std::string(to_string(role));
      if (row.roles.find(letter) == std::string_view::npos || row.roles == "public") {
        continue;
      }
      std::map<std::string, std::string> values;
      switch (row.belongs) {
        case Belongs::nobody:
        case Belongs::body:
        case Belongs::owner:
          continue;  // in tests of their own
        case Belongs::list: {
          if (is_stream(std::string(row.route)) || route.method != HttpMethod::get) {
            continue;  // likewise
          }
          values["name"] = "routes-worker";
          const RawResponse response = ask(route, filled(route, values), bearer(secret));
          EXPECT_EQ(response.status, 200) << who << response.body;
          EXPECT_EQ(response.body.find(other.target), std::string::npos) << who << response.body;
          for (const auto& [kind, id] : other.ids) {
            EXPECT_EQ(response.body.find(id), std::string::npos) << who << response.body;
          }
          continue;
        }
        case Belongs::target:
          values["name"] = values["target"] = other.target;
          break;
        case Belongs::artifact:
          if (route.method != HttpMethod::get) {
            continue;
          }
          values["sha256"] = other.artifact;
          break;
        case Belongs::attempt:
          values["attempt"] = other.ids.at(row.belongs);
          break;
        case Belongs::job:
        case Belongs::campaign:
        case Belongs::candidate:
        case Belongs::canary:
          values["id"] = other.ids.at(row.belongs);
          break;
      }
      // The same answer as for what is not there, but for its name.
      std::map<std::string, std::string> absent = values;
      for (auto& [name, value] : absent) {
        value = name == "id" || name == "attempt" ? kNobody
                : name == "sha256"                ? std::string(64, 'f')
                                                  : "routes-none";
      }
      RawResponse theirs = ask(route, filled(route, values), bearer(secret));
      RawResponse none = ask(route, filled(route, absent), bearer(secret));
      EXPECT_EQ(theirs.status, 404) << who << theirs.body;
      EXPECT_EQ(none.status, 404) << who << none.body;
      for (const auto& [name, value] : values) {
        const std::size_t at = theirs.body.find(value);
        if (at != std::string::npos) {
          theirs.body.replace(at, value.size(), absent.at(name));
        }
      }
      EXPECT_EQ(theirs.body, none.body) << who;
      ++things;
    }
  }
  EXPECT_GT(things, 40);
  for (Belongings* one : {&mine, &other}) {
    EXPECT_TRUE(
        server.client()
            .post("/v1/campaigns/" + one->ids[Belongs::campaign] + "/cancel", Json::object())
            .has_value());
  }
  EXPECT_EQ(server
                .ask_as(other_worker, "POST", "/v1/leases/" + other.ids[Belongs::attempt] + "/fail",
                        "Content-Type: application/json\r\n",
                        R"({"reason":"the test is over","count_attempt":false})")
                .status,
            200);
}

}  // namespace
}  // namespace hone
