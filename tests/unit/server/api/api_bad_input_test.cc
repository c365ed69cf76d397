// Bad input gets a problem document that names the field.
#include "common/base/sha256.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

using Pointers = std::vector<std::string>;
const std::string kJson = "Content-Type: application/json\r\n";
const std::string kOctets = "Content-Type: application/octet-stream\r\n";
const std::string kNobody = "00000000-0000-4000-8000-000000000000";

struct BadRequest {
  std::string method;
  std::string target;
  std::string headers;
  std::string body;
  int status;
  Pointers pointers;
};

void expect_refused(const BadRequest& bad) {
  const RawResponse response =
      ApiServer::instance().ask(bad.method, bad.target, bad.headers, bad.body);
  EXPECT_EQ(response.status, bad.status) << bad.method << " " << bad.target << " " << bad.body;
  EXPECT_EQ(pointers_of(problem_of(response)), bad.pointers)
      << bad.method << " " << bad.target << " " << bad.body << "\n"
      << response.body;
}

TEST(ApiBadInput, MalformedJsonIsLocated) {
  for (const char* body : {"{", "{\"target\":}", "not json", "{\"a\":1}{", "[1,]", "\xff",
                           "{\"target\":\"a\",\"target\":\"b\"}", "{\"seed\":1e999}"}) {
    expect_refused({"POST", "/v1/campaigns", kJson, body, 400, {""}});
  }
  expect_refused({"POST", "/v1/campaigns", kJson, std::string(100, '['), 400, {""}});
}

TEST(ApiBadInput, UnknownFieldAndWrongTypeAreNamedTogether) {
  expect_refused({"POST",
                  "/v1/campaigns",
                  kJson,
                  R"({"target":7,"budget_candidates":"20","colour":"red"})",
                  400,
                  {"/target", "/budget_candidates", "/colour"}});
  Json target = simple_target("typed");
  target["build"]["timeout_seconds"] = "long";
  target["benchmark"]["colour"] = 1;
  expect_refused({"PUT",
                  "/v1/targets/typed",
                  kJson,
                  target.dump(),
                  400,
                  {"/build/timeout_seconds", "/benchmark/colour"}});
}

TEST(ApiBadInput, BodyThatIsNoObjectIsNamed) {
  for (const char* target : {"/v1/campaigns", "/v1/leases", "/v1/tokens"}) {
    expect_refused({"POST", target, kJson, "[]", 400, {""}});
  }
}

TEST(ApiBadInput, TargetMustAgreeWithItsPathAndHaveASource) {
  expect_refused({"PUT", "/v1/targets/other", kJson, simple_target("one").dump(), 400, {"/name"}});
  Json bare = simple_target("one");
  bare.erase("source");
  expect_refused({"PUT", "/v1/targets/one", kJson, bare.dump(), 400, {"/source"}});
  Json unknown = simple_target("one");
  unknown["source"] = Json{{"artifact", std::string(64, 'a')}};
  expect_refused({"PUT", "/v1/targets/one", kJson, unknown.dump(), 400, {"/source/artifact"}});
}

TEST(ApiBadInput, HundredMegabytesAreRefusedFromTheHeader) {
  const RawResponse response =
      ApiServer::instance().ask("POST", "/v1/jobs", kJson + "Content-Length: 100000000\r\n");
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(problem_of(response)["code"], "too_large");
}

TEST(ApiBadInput, HundredMegabytesThatComeAllTheSameAreRefused) {
  RawHttpClient client(ApiServer::instance().port());
  client.send("PUT /v1/targets/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              ApiServer::instance().token(Role::admin) + "\r\n" + kJson +
              "Content-Length: 100000000\r\n\r\n");
  const std::string piece(1'000'000, ' ');
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.send(piece)) << "the connection was reset";
  }
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 413);
  problem_of(response);
}

TEST(ApiBadInput, ArtifactPathsCannotLeaveTheFolder) {
  for (const char* path : {"..", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%2fadmin.token"}) {
    for (const char* method : {"GET", "PUT"}) {
      const bool put = std::string_view(method) == "PUT";
      expect_refused({method,
                      std::string("/v1/artifacts/") + path,
                      put ? kOctets : "",
                      put ? "x" : "",
                      400,
                      {}});
    }
  }
  expect_refused({"GET", "/v1/artifacts/abc", "", "", 400, {"/sha256"}});
  expect_refused({"GET", "/v1/artifacts/" + std::string(64, 'A'), "", "", 400, {"/sha256"}});
  expect_refused({"GET", "/v1/artifacts/../../etc/passwd", "", "", 400, {}});
  expect_refused({"GET", "/v1/artifacts/" + std::string(64, 'a'), "", "", 404, {}});
}

TEST(ApiBadInput, ArtifactWithAnotherHashIsNotStored) {
  const std::string claimed = sha256_hex("something else");
  const RawResponse put =
      ApiServer::instance().ask("PUT", "/v1/artifacts/" + claimed, kOctets, "content");
  EXPECT_EQ(put.status, 400);
  problem_of(put);
  expect_refused({"GET", "/v1/artifacts/" + claimed, "", "", 404, {}});
}

TEST(ApiBadInput, ArtifactPastTheLimitIsRefused) {
  expect_refused({"PUT",
                  "/v1/artifacts/" + std::string(64, 'a'),
                  kOctets + "Content-Length: 1000001\r\n",
                  "",
                  413,
                  {}});
}

TEST(ApiBadInput, UnknownTargetIsNamed) {
  expect_refused({"POST",
                  "/v1/campaigns",
                  kJson,
                  R"({"target":"never-registered","budget_candidates":3})",
                  400,
                  {"/target"}});
  register_target("known-one");
  expect_refused({"POST",
                  "/v1/jobs",
                  kJson + "Idempotency-Key: u1\r\n",
                  R"({"jobs":[{"target":"known-one"},{"target":"never-registered"}]})",
                  400,
                  {"/jobs/1/target"}});
  expect_refused({"GET", "/v1/targets/never-registered", "", "", 404, {}});
}

TEST(ApiBadInput, BatchWithoutItsKeyIsRefused) {
  register_target("known-one");
  expect_refused({"POST",
                  "/v1/jobs",
                  kJson,
                  R"({"jobs":[{"target":"known-one"}]})",
                  400,
                  {"/Idempotency-Key"}});
}

TEST(ApiBadInput, RuleOutsideTheAllowListIsNamed) {
  register_target("known-one");
  Json batch{{"jobs", Json::array({{{"target", "known-one"}}})}};
  batch["jobs"][0]["rules"] =
      Json::array({knob_rule(4),
                   {{"source", "*"}, {"pipeline", "default<O3>"}, {"knobs", {{"load", "x.so"}}}}});
  expect_refused({"POST",
                  "/v1/jobs",
                  kJson + "Idempotency-Key: u2\r\n",
                  batch.dump(),
                  400,
                  {"/jobs/0/rules/1"}});
}

TEST(ApiBadInput, WrongMediaTypeIsRefused) {
  expect_refused({"POST", "/v1/campaigns", "Content-Type: text/plain\r\n", "{}", 415, {}});
  expect_refused({"POST", "/v1/campaigns", "", "{}", 415, {}});
  expect_refused({"PUT", "/v1/artifacts/" + std::string(64, 'a'), kJson, "x", 415, {}});
}

TEST(ApiBadInput, UnknownPathAndWrongMethod) {
  expect_refused({"GET", "/v1/nothing", "", "", 404, {}});
  expect_refused({"DELETE", "/v1/jobs", "", "", 405, {}});
  const RawResponse wrong = ApiServer::instance().ask("PUT", "/v1/jobs", kJson, "{}");
  EXPECT_EQ(wrong.header("Allow"), "GET, HEAD, POST");
}

TEST(ApiBadInput, BadQueryValuesAreNamed) {
  expect_refused({"GET",
                  "/v1/jobs?limit=0&state=lost&campaign=7&target=A",
                  "",
                  "",
                  400,
                  {"/target", "/campaign", "/state", "/limit"}});
  expect_refused({"GET", "/v1/jobs?limit=5000000000000000000000", "", "", 400, {"/limit"}});
  expect_refused({"GET", "/v1/jobs?lmit=5", "", "", 400, {"/lmit"}});
  expect_refused({"GET", "/v1/jobs?cursor=nonsense", "", "", 400, {"/cursor"}});
  expect_refused({"GET", "/v1/jobs/" + kNobody + "?samples=yes", "", "", 400, {"/samples"}});
  expect_refused({"GET", "/v1/jobs/nonsense", "", "", 400, {"/id"}});
  expect_refused({"GET", "/v1/policies/x?version=0", "", "", 400, {"/version"}});
}

TEST(ApiBadInput, CursorsOfStreamsAreNamed) {
  const RawResponse experiences = ApiServer::instance().ask("GET", "/v1/experiences?after=x", "");
  EXPECT_EQ(experiences.status, 400);
  problem_of(experiences);
  const RawResponse events = ApiServer::instance().ask("GET", "/v1/events?after=x", "");
  EXPECT_EQ(events.status, 400);
  problem_of(events);
}

TEST(ApiBadInput, CancelTakesNoFields) {
  expect_refused(
      {"POST", "/v1/jobs/" + kNobody + "/cancel", kJson, R"({"force":true})", 400, {"/force"}});
  expect_refused({"POST", "/v1/jobs/" + kNobody + "/cancel", "", "", 404, {}});
}

TEST(ApiBadInput, PolicyIsCheckedWhole) {
  register_target("known-one");
  Json document = Json::parse(R"({"format":1,"target":"another","sequence":1,
      "compiler":{"family":"clang","major":19},
      "rules":[{"source":"*","pipeline":"default<O3>","knobs":{"load":"x.so"}}]})");
  expect_refused({"POST",
                  "/v1/policies/known-one",
                  kJson,
                  Json{{"document", document}, {"signature", "not base64!"}}.dump(),
                  400,
                  {"/signature", "/document/target", "/document/rules/0"}});
  document["rules"][0].erase("pipeline");
  expect_refused({"POST",
                  "/v1/policies/known-one",
                  kJson,
                  Json{{"document", document}}.dump(),
                  400,
                  {"/document/rules/0/pipeline"}});
}

TEST(ApiBadInput, LeasesOfNobodyAreNotFound) {
  expect_refused({"POST", "/v1/leases/" + kNobody + "/heartbeat", kJson, "{}", 404, {}});
  expect_refused({"POST",
                  "/v1/leases/" + kNobody + "/complete",
                  kJson,
                  ok_result(0.1, 0.05, "faster").dump(),
                  404,
                  {}});
  expect_refused(
      {"POST", "/v1/leases", kJson, R"({"version":1,"worker":"never-registered"})", 404, {}});
  expect_refused({"POST", "/v1/leases", kJson, R"({"version":9,"worker":"w"})", 415, {"/version"}});
}

TEST(ApiBadInput, TruncatedBodyIsTold) {
  RawHttpClient client(ApiServer::instance().port());
  client.send("POST /v1/campaigns HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              ApiServer::instance().token(Role::admin) + "\r\n" + kJson +
              "Content-Length: 500\r\n\r\n{\"target\"");
  client.finish_sending();
  const RawResponse response = client.receive();
  EXPECT_EQ(response.status, 400);
  problem_of(response);
}

}  // namespace
}  // namespace hone
