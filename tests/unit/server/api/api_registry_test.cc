// What is put, has versions and is read back: targets, artifacts, workers, policies; lists in
// pages.
#include <algorithm>

#include "common/base/sha256.h"
#include "tests/unit/server/api/job_flow.h"

namespace hone {
namespace {

class ApiRegistry : public JobFlow {};

TEST_F(ApiRegistry, TargetsHaveVersions) {
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

TEST_F(ApiRegistry, ListsGoOnByCursor) {
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

TEST_F(ApiRegistry, ArtifactComesBackAsItWas) {
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

TEST_F(ApiRegistry, WorkersAreListed) {
  register_worker("w-listed");
  const Client client = ApiServer::instance().client(Role::viewer);
  const Result<Json> worker = client.get("/v1/workers/w-listed");
  ASSERT_TRUE(worker.has_value());
  EXPECT_EQ((*worker)["machine"]["host"], "h");
  EXPECT_FALSE((*worker)["last_seen_at"].is_null());
  EXPECT_GE((*client.get("/v1/workers"))["items"].size(), 1U);
  EXPECT_EQ(client.get("/v1/workers/nobody").error().code, ErrorCode::not_found);
}

TEST_F(ApiRegistry, PoliciesHaveVersionsAndEntityTags) {
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

}  // namespace
}  // namespace hone
