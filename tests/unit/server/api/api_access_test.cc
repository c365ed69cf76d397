// Who may do what, and what is answered before a handler is asked.
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

TEST(ApiAccess, HealthNeedsNoToken) {
  ApiServer& server = ApiServer::instance();
  for (const char* path : {"/healthz", "/readyz"}) {
    RawHttpClient client(server.port());
    client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const RawResponse response = client.receive();
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.body, R"({"status":"ok"})");
  }
}

TEST(ApiAccess, EverythingElseNeedsOne) {
  ApiServer& server = ApiServer::instance();
  for (const char* path : {"/metrics", "/openapi.json", "/v1/targets", "/v1/jobs", "/nothing"}) {
    for (const std::string& header :
         {std::string(), std::string("Authorization: Bearer hone_") + std::string(64, '0') + "\r\n",
          std::string("Authorization: Bearer x\r\n")}) {
      RawHttpClient client(server.port());
      client.send(std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n" + header +
                  "\r\n");
      const RawResponse response = client.receive();
      EXPECT_EQ(response.status, 401) << path;
      EXPECT_EQ(problem_of(response)["code"], "unauthenticated");
    }
  }
}

TEST(ApiAccess, ForeignHostIsRefused) {
  RawHttpClient client(ApiServer::instance().port());
  client.send("GET /healthz HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(problem_of(response)["detail"].get<std::string>().find("foreign Host"),
            std::string::npos);
}

TEST(ApiAccess, RolesDoTheirOwnWorkOnly) {
  ApiServer& server = ApiServer::instance();
  struct Case {
    Role role;
    const char* method;
    const char* path;
    bool allowed;
  };
  const std::vector<Case> cases = {
      {Role::viewer, "GET", "/v1/jobs", true},
      {Role::viewer, "POST", "/v1/jobs", false},
      {Role::viewer, "PUT", "/v1/targets/x", false},
      {Role::viewer, "GET", "/v1/tokens", false},
      {Role::submitter, "POST", "/v1/jobs", true},
      {Role::submitter, "POST", "/v1/leases", false},
      {Role::submitter, "POST", "/v1/policies/x", false},
      {Role::worker, "POST", "/v1/leases", true},
      {Role::worker, "POST", "/v1/campaigns", false},
      {Role::worker, "GET", "/v1/jobs", false},
      {Role::worker, "GET", "/v1/experiences", false},
      {Role::learner, "GET", "/v1/experiences", true},
      {Role::worker, "GET", "/v1/transitions", false},
      {Role::viewer, "GET", "/v1/transitions", true},
      {Role::learner, "POST", "/v1/policies/x", true},
      {Role::learner, "POST", "/v1/policies/x/versions/1/promote", false},
      {Role::learner, "PUT", "/v1/workers/x", false},
      {Role::admin, "POST", "/v1/leases", true},
      {Role::admin, "GET", "/v1/tokens", true},
  };
  for (const Case& c : cases) {
    const bool has_body = std::string_view(c.method) != "GET";
    const RawResponse response =
        server.ask(c.method, c.path, has_body ? "Content-Type: application/json\r\n" : "",
                   has_body ? "[]" : "", c.role);
    if (c.allowed) {
      EXPECT_NE(response.status, 403) << to_string(c.role) << c.method << c.path;
      EXPECT_NE(response.status, 401);
    } else {
      EXPECT_EQ(response.status, 403) << to_string(c.role) << c.method << c.path;
      EXPECT_EQ(problem_of(response)["code"], "permission_denied");
    }
  }
}

TEST(ApiAccess, TokensAreMadeShownOnceAndRevoked) {
  ApiServer& server = ApiServer::instance();
  const Client admin = server.client();
  const Result<Json> made = admin.post("/v1/tokens", Json{{"name", "passing"}, {"role", "viewer"}});
  ASSERT_TRUE(made.has_value()) << made.error().describe();
  EXPECT_EQ(admin.post("/v1/tokens", Json{{"name", "passing"}, {"role", "viewer"}}).error().code,
            ErrorCode::conflict);
  ClientOptions options;
  options.url = server.url();
  options.token = (*made)["token"].get<std::string>();
  const Client passing = *Client::create(options);
  EXPECT_TRUE(passing.get("/v1/jobs").has_value());
  const Result<Json> list = admin.get("/v1/tokens");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->dump().find(options.token), std::string::npos);
  EXPECT_TRUE(admin.remove("/v1/tokens/" + (*made)["id"].get<std::string>()).has_value());
  EXPECT_EQ(passing.get("/v1/jobs").error().code, ErrorCode::unauthenticated);
  EXPECT_EQ(admin.remove("/v1/tokens/" + (*made)["id"].get<std::string>()).error().code,
            ErrorCode::not_found);
}

TEST(ApiAccess, MetricsCountRequestsByRouteAndStatus) {
  ApiServer& server = ApiServer::instance();
  server.ask("GET", "/v1/jobs/00000000-0000-4000-8000-000000000000", "");
  const Result<Response> metrics = server.client(Role::viewer).exchange("GET", "/metrics", "");
  ASSERT_TRUE(metrics.has_value()) << metrics.error().describe();
  EXPECT_TRUE(metrics->header("content-type").starts_with("text/plain; version=0.0.4"));
  for (const char* part :
       {"hone_http_requests_total{method=\"GET\",route=\"/v1/jobs/{id}\",status=\"404\"}",
        "hone_http_request_duration_seconds_bucket{route=\"/v1/jobs/{id}\"",
        "hone_jobs{state=\"queued\"}", "hone_leases_granted_total", "hone_attempts_total",
        "hone_database_connections{state=\"open\"}"}) {
    EXPECT_NE(metrics->body.find(part), std::string::npos) << part << "\n" << metrics->body;
  }
}

}  // namespace
}  // namespace hone
