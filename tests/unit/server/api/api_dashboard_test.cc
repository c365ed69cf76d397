// The page as it is served: public, alone with its policy, and the same for every view's URL.
#include "server/dashboard/embedded_page.h"
#include "server/dashboard/page_reply.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

RawResponse get(const std::string& path, const std::string& headers = "") {
  RawHttpClient client(ApiServer::instance().port());
  client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  return client.receive();
}

std::string_view document() {
  for (const PageFile& file : embedded_page()) {
    if (file.path == "/index.html") {
      return file.content;
    }
  }
  return {};
}

TEST(ApiDashboard, EveryViewsUrlIsTheDocumentWithoutAToken) {
  for (const char* path : {"/", "/?target=lz4", "/ui", "/ui/overview", "/ui/campaigns/123",
                           "/ui/targets/lz4/history?from=1&anything=%3Cscript%3E"}) {
    const RawResponse answer = get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(answer.body, document()) << path;
  }
}

TEST(ApiDashboard, ItsHeadersStandOnce) {
  const RawResponse answer = get("/ui/overview");
  EXPECT_EQ(answer.header("Content-Security-Policy"), kPagePolicy);
  EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(answer.header("Cache-Control"), "no-cache");
  for (const std::string name : {"Content-Security-Policy: ", "Cache-Control: "}) {
    const std::size_t first = answer.head.find(name);
    EXPECT_EQ(answer.head.find(name, first + 1), std::string::npos) << name;
  }
}

TEST(ApiDashboard, TheRestOfTheApiKeepsItsPolicy) {
  const RawResponse answer = get("/healthz");
  EXPECT_EQ(answer.header("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'");
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
}

TEST(ApiDashboard, WhoHasTheDocumentIsToldSo) {
  const std::string etag = get("/").header("ETag");
  ASSERT_NE(etag, "");
  const RawResponse again = get("/ui/fleet", "If-None-Match: " + etag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
}

TEST(ApiDashboard, OtherPathsAreNone) {
  EXPECT_EQ(get("/assets/none.js").status, 404);
  EXPECT_EQ(get("/assets/..%2findex.html").status, 400);
  EXPECT_EQ(get("/index.html").status, 401) << "nobody learns which paths there are";
  EXPECT_EQ(get("/ui/").status, 400);
  EXPECT_EQ(get("/ui/a/b/c/d").status, 401);
}

TEST(ApiDashboard, AForeignHostGetsNoPage) {
  RawHttpClient client(ApiServer::instance().port());
  client.send("GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);
}

}  // namespace
}  // namespace hone
