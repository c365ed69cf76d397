// Uploads that can be interrupted, over the wire; and the collection of artifacts.
#include "common/base/sha256.h"
#include "common/base/token.h"
#include "server/store/artifacts/upload_spool.h"
#include "tests/support/database.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

const std::string kOctets = "Content-Type: application/octet-stream\r\n";

// Content that no other test has.
std::string fresh_content(std::size_t size) {
  std::string content = random_hex(32);
  content.resize(size, 'u');
  return content;
}

Json begin_of_size(const std::string& content, std::size_t size, int status,
                   Role role = Role::submitter) {
  const std::string body = dump_json(Json{{"size_bytes", size}});
  const RawResponse begun =
      ApiServer::instance().ask("POST", "/v1/artifacts/" + sha256_hex(content) + "/upload",
                                "Content-Type: application/json\r\n", body, role);
  EXPECT_EQ(begun.status, status) << begun.body;
  return *parse_json(begun.body);
}
Json begin(const std::string& content, int status = 201, Role role = Role::submitter) {
  return begin_of_size(content, content.size(), status, role);
}
std::filesystem::path file_of(const Json& upload) {
  return ApiServer::instance().uploads() / (upload["id"].get<std::string>() + ".partial");
}
std::string path_of(const Json& upload) {
  return "/v1/uploads/" + upload["id"].get<std::string>();
}
RawResponse patch(const Json& upload, std::size_t offset, const std::string& bytes,
                  Role role = Role::submitter) {
  return ApiServer::instance().ask("PATCH", path_of(upload),
                                   kOctets + "Upload-Offset: " + std::to_string(offset) + "\r\n",
                                   bytes, role);
}
std::string offset_of(const Json& upload) {
  const RawResponse head =
      ApiServer::instance().ask("HEAD", path_of(upload), "", "", Role::submitter);
  EXPECT_EQ(head.status, 200);
  return head.header("Upload-Offset");
}
// Begins a PATCH that announces more bytes than it sends so far.
void send_part(RawHttpClient& client, const Json& upload, std::size_t offset,
               const std::string& bytes, std::size_t announced) {
  client.send("PATCH " + path_of(upload) +
              " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              ApiServer::instance().token(Role::submitter) + "\r\n" + kOctets +
              "Upload-Offset: " + std::to_string(offset) +
              "\r\nContent-Length: " + std::to_string(announced) + "\r\n\r\n" + bytes);
}
// Sends such a PATCH, and goes away.
void send_cut(const Json& upload, std::size_t offset, const std::string& bytes,
              std::size_t announced) {
  RawHttpClient client(ApiServer::instance().port());
  send_part(client, upload, offset, bytes, announced);
  client.finish_sending();
  client.receive();  // 400: the server has given the request up
}

TEST(ApiUploads, GoOnWhereTheyWere) {
  const std::string content = fresh_content(300'000);
  const Json upload = begin(content);
  EXPECT_EQ(upload["offset"], 0);
  EXPECT_EQ(upload["complete"], false);
  const RawResponse first = patch(upload, 0, content.substr(0, 100'000));
  EXPECT_EQ(first.status, 204) << first.body;
  EXPECT_EQ(first.header("Upload-Offset"), "100000");
  EXPECT_EQ(offset_of(upload), "100000");
  // Whoever begins again goes on with the same one.
  const Json again = begin(content, 200);
  EXPECT_EQ(again["id"], upload["id"]);
  EXPECT_EQ(again["offset"], 100'000);
  const RawResponse last = patch(upload, 100'000, content.substr(100'000));
  EXPECT_EQ(last.status, 201) << last.body;
  EXPECT_EQ((*parse_json(last.body))["size_bytes"], 300'000);
  const RawResponse got =
      ApiServer::instance().ask("GET", "/v1/artifacts/" + sha256_hex(content), "");
  EXPECT_EQ(got.body, content);
  EXPECT_EQ(ApiServer::instance().ask("GET", path_of(upload), "", "", Role::submitter).status, 404);
  EXPECT_EQ(begin(content, 200)["complete"], true);
}

TEST(ApiUploads, ACutConnectionLosesNothingThatArrived) {
  const std::string content = fresh_content(400'000);
  const Json upload = begin(content);
  send_cut(upload, 0, content.substr(0, 250'000), content.size());
  EXPECT_EQ(offset_of(upload), "250000");
  EXPECT_EQ(patch(upload, 250'000, content.substr(250'000)).status, 201);
}

TEST(ApiUploads, AWrongOffsetIsToldTheRightOne) {
  const std::string content = fresh_content(1000);
  const Json upload = begin(content);
  EXPECT_EQ(patch(upload, 0, content.substr(0, 400)).status, 204);
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{399}, std::size_t{500}}) {
    const RawResponse refused = patch(upload, wrong, content.substr(wrong, 100));
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.header("Upload-Offset"), "400");
    EXPECT_EQ(problem_of(refused)["code"], "conflict");
  }
  EXPECT_EQ(patch(upload, 400, content.substr(400)).status, 201);
}

TEST(ApiUploads, NoMoreThanAnnouncedIsTaken) {
  const std::string content = fresh_content(1000);
  const Json upload = begin(content);
  EXPECT_EQ(patch(upload, 0, content + "x").status, 413);
  EXPECT_EQ(offset_of(upload), "0");
  // Without a length the bytes themselves tell.
  RawHttpClient client(ApiServer::instance().port());
  client.send("PATCH " + path_of(upload) +
              " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              ApiServer::instance().token(Role::submitter) + "\r\n" + kOctets +
              "Upload-Offset: 0\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" +
              std::string(2000, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_EQ(patch(upload, 0, content).status, 201);
}

TEST(ApiUploads, AnotherContentThanAnnouncedEndsIt) {
  const std::string content = fresh_content(1000);
  const Json upload = begin(content);
  const RawResponse refused = patch(upload, 0, std::string(1000, 'n'));
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(ApiServer::instance().ask("HEAD", path_of(upload), "", "", Role::submitter).status,
            404);
  EXPECT_EQ(patch(begin(content), 0, content).status, 201);
}

TEST(ApiUploads, TwoOfTheSameContentDoNotMeet) {
  const std::string content = fresh_content(1000);
  const Json first = begin(content);
  const Json second = begin(content, 201, Role::learner);
  EXPECT_NE(first["id"], second["id"]);
  EXPECT_EQ(patch(first, 0, content.substr(0, 500)).status, 204);
  EXPECT_EQ(patch(second, 0, content.substr(0, 700), Role::learner).status, 204);
  // Nobody sends to another's.
  EXPECT_EQ(patch(second, 700, content.substr(700)).status, 404);
  EXPECT_EQ(patch(first, 500, content.substr(500)).status, 201);
  // 201 for each: what is answered must not tell whether others have it.
  EXPECT_EQ(patch(second, 700, content.substr(700), Role::learner).status, 201);
}

TEST(ApiUploads, AreGivenUp) {
  const std::string content = fresh_content(1000);
  const Json upload = begin(content);
  EXPECT_EQ(patch(upload, 0, content.substr(0, 500)).status, 204);
  EXPECT_EQ(ApiServer::instance().ask("DELETE", path_of(upload), "", "", Role::submitter).status,
            204);
  EXPECT_EQ(patch(upload, 500, content.substr(500)).status, 404);
  EXPECT_EQ(begin(content)["offset"], 0);
}

TEST(ApiUploads, OfOneThatIsBegunWithAnotherSizeNothingStays) {
  const std::string content = fresh_content(1000);
  const Json upload = begin(content);
  EXPECT_EQ(patch(upload, 0, content.substr(0, 500)).status, 204);
  EXPECT_TRUE(std::filesystem::exists(file_of(upload)));
  const Json other = begin_of_size(content, 2000, 201);
  EXPECT_NE(other["id"], upload["id"]);
  EXPECT_EQ(other["offset"], 0);
  EXPECT_FALSE(std::filesystem::exists(file_of(upload)));
}

TEST(ApiUploads, OneThatAnotherCoordinatorEndsLeavesNothing) {
  for (const bool completes : {false, true}) {
    const std::string content = fresh_content(1000);
    const Json upload = begin(content);
    RawHttpClient client(ApiServer::instance().port());
    const std::size_t announced = completes ? 1000 : 900;
    send_part(client, upload, 0, content.substr(0, 500), announced);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (offset_of(upload) != "500" && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    ASSERT_EQ(offset_of(upload), "500");
    ApiServer::instance().sql("DELETE FROM unfinished_uploads WHERE id = '" +
                              upload["id"].get<std::string>() + "'");
    client.send(content.substr(500, announced - 500));
    EXPECT_EQ(client.receive().status, 404);
    EXPECT_FALSE(std::filesystem::exists(file_of(upload)));
    EXPECT_EQ(ApiServer::instance()
                  .ask("GET", "/v1/artifacts/" + sha256_hex(content), "", "", Role::submitter)
                  .status,
              404);
  }
}

TEST(ApiUploads, WhatWasAnsweredMayBeGoneOnWithElsewhere) {
  const std::string content = fresh_content(1000);
  const Json upload = begin(content);
  EXPECT_EQ(patch(upload, 0, content.substr(0, 300)).status, 204);
  {
    boost::asio::io_context context;
    SpoolOptions options;
    options.folder = ApiServer::instance().uploads();
    options.owner = "another";
    const auto another = *UploadSpool::open(std::move(options));
    auto there = test::run_on(
        context, another->resume(upload["id"].get<std::string>(), sha256_hex(content), 1000));
    ASSERT_TRUE(there) << there.error().describe();
    EXPECT_EQ(there->size(), 300);
    ASSERT_TRUE(test::run_on(context, there->append(content.substr(300, 300))));
    // While it is being sent to there, nothing is taken here.
    const RawResponse refused = patch(upload, 300, content.substr(300));
    EXPECT_EQ(refused.status, 409) << refused.body;
    ASSERT_TRUE(test::run_on(context, there->rest()));
  }
  EXPECT_EQ(offset_of(upload), "600");
  EXPECT_EQ(patch(upload, 600, content.substr(600)).status, 201);
  EXPECT_FALSE(std::filesystem::exists(file_of(upload)));
}

TEST(ApiUploads, BadInputIsNamed) {
  const std::string content = fresh_content(10);
  const std::string path = "/v1/artifacts/" + sha256_hex(content) + "/upload";
  const std::string json = "Content-Type: application/json\r\n";
  const auto post = [&](const std::string& body) {
    return ApiServer::instance().ask("POST", path, json, body, Role::submitter);
  };
  EXPECT_EQ(pointers_of(problem_of(post("{}"))), std::vector<std::string>{"/size_bytes"});
  EXPECT_EQ(pointers_of(problem_of(post(R"({"size_bytes":-1})"))),
            std::vector<std::string>{"/size_bytes"});
  EXPECT_EQ(pointers_of(problem_of(post(R"({"size_bytes":1,"more":2})"))),
            std::vector<std::string>{"/more"});
  EXPECT_EQ(post(R"({"size_bytes":1000001})").status, 413);
  const Json upload = begin(content);
  const RawResponse none =
      ApiServer::instance().ask("PATCH", path_of(upload), kOctets, content, Role::submitter);
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(pointers_of(problem_of(none)), std::vector<std::string>{"/Upload-Offset"});
  EXPECT_EQ(ApiServer::instance().ask("GET", "/v1/uploads/none", "", "", Role::submitter).status,
            400);
}

TEST(ApiUploads, AnEmptyOneIsCompleteAtOnce) {
  const Json upload = begin("");
  if (upload["complete"] == false) {
    EXPECT_EQ(patch(upload, 0, "").status, 201);
  }
}

TEST(ApiArtifacts, AreCollectedOnRequest) {
  const std::string content = fresh_content(1000);
  const std::string sha256 = sha256_hex(content);
  ASSERT_EQ(ApiServer::instance().ask("PUT", "/v1/artifacts/" + sha256, kOctets, content).status,
            201);
  const auto collect = [](const std::string& body, Role role = Role::admin) {
    return ApiServer::instance().ask("POST", "/v1/artifacts/gc",
                                     "Content-Type: application/json\r\n", body, role);
  };
  EXPECT_EQ(collect("{}", Role::submitter).status, 403);
  EXPECT_EQ(pointers_of(problem_of(collect(R"({"dry":true})"))), std::vector<std::string>{"/dry"});
  const RawResponse dry = collect(R"({"dry_run":true})");
  ASSERT_EQ(dry.status, 200) << dry.body;
  EXPECT_EQ((*parse_json(dry.body))["dry_run"], true);
  EXPECT_EQ((*parse_json(dry.body))["unused_days"], 7);
  EXPECT_EQ((*parse_json(dry.body))["artifacts"], 0);
  const RawResponse done = collect("");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ((*parse_json(done.body))["artifacts"], 0);
  EXPECT_EQ(ApiServer::instance().ask("GET", "/v1/artifacts/" + sha256, "").status, 200);
}

}  // namespace
}  // namespace hone
