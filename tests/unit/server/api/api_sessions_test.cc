// Compile sessions through the API: opened on an artifact, stepped, forked, owned, limited, lost.
#include <csignal>
#include <thread>

#include "common/base/sha256.h"
#include "tests/support/websocket_client.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

constexpr std::string_view kProgram =
    "target triple = \"x86_64-pc-linux-gnu\" define i32 @t(i32 %a) { %s = alloca i32 "
    "store i32 %a, ptr %s %x = load i32, ptr %s %y = add i32 %x, %x ret i32 %y }";

std::string upload(std::string_view content) {
  const std::string sha256 = sha256_hex(content);
  const RawResponse put =
      ApiServer::instance().ask("PUT", "/v1/artifacts/" + sha256,
                                "Content-Type: application/octet-stream\r\n", std::string(content));
  EXPECT_LT(put.status, 300);
  return sha256;
}

Result<Json> post(const std::string& path, const Json& body, Role role = Role::learner) {
  return ApiServer::instance().client(role).post("/v1/sessions" + path, body);
}

std::string open(Role role = Role::learner) {
  const Result<Json> opened = post("", {{"program", upload(kProgram)}}, role);
  EXPECT_TRUE(opened) << opened.error().describe();
  return opened ? (*opened)["session"].get<std::string>() : "";
}

void close(const std::string& id, Role role = Role::learner) {
  EXPECT_TRUE(ApiServer::instance().client(role).remove("/v1/sessions/" + id)) << id;
}

TEST(ApiSessions, AreOpenedSteppedAndClosed) {
  const Json body = {{"program", upload(kProgram)}, {"observe", {"IrInstructionCount"}}};
  const Result<Json> opened = post("", body);
  ASSERT_TRUE(opened) << opened.error().describe();
  const auto id = (*opened)["session"].get<std::string>();
  EXPECT_EQ((*opened)["observations"]["IrInstructionCount"], 5);
  const Result<Json> stepped =
      post("/" + id + "/step", {{"pipelines", {"function(sroa)"}},
                                {"observe", {"Autophase", "IrInstructionCount"}},
                                {"rewards", {"IrInstructionCount"}}});
  ASSERT_TRUE(stepped) << stepped.error().describe();
  EXPECT_EQ((*stepped)["outcome"], "ok");
  EXPECT_EQ((*stepped)["observations"]["IrInstructionCount"], 2);
  EXPECT_EQ((*stepped)["observations"]["Autophase"].size(), 56U);
  EXPECT_EQ((*stepped)["rewards"]["IrInstructionCount"], 3.0);
  EXPECT_EQ((*stepped)["length"], 1);
  const Result<Json> undone = post("/" + id + "/undo", {{"observe", {"IrInstructionCount"}}});
  ASSERT_TRUE(undone) << undone.error().describe();
  EXPECT_EQ((*undone)["observations"]["IrInstructionCount"], 5);
  close(id);
  EXPECT_EQ(post("/" + id + "/step", {{"pipelines", {"globaldce"}}}).error().code,
            ErrorCode::not_found);
}

TEST(ApiSessions, AForkIsASessionOfItsOwn) {
  const std::string id = open();
  const Result<Json> forked = post("/" + id + "/fork", Json::object());
  ASSERT_TRUE(forked) << forked.error().describe();
  const auto copy = (*forked)["session"].get<std::string>();
  EXPECT_NE(copy, id);
  ASSERT_TRUE(post("/" + copy + "/step", {{"pipelines", {"function(sroa)"}}}));
  EXPECT_EQ((*post("/" + copy + "/observe", Json::object()))["length"], 1);
  EXPECT_EQ((*post("/" + id + "/reset", Json::object()))["length"], 0);
  close(id);
  close(copy);
}

TEST(ApiSessions, AreTheTokensOwn) {
  const std::string id = open(Role::learner);
  const auto look = [&id](Role role) { return post("/" + id + "/observe", Json::object(), role); };
  EXPECT_EQ(look(Role::submitter).error().code, ErrorCode::not_found);
  EXPECT_EQ(look(Role::viewer).error().code, ErrorCode::permission_denied);
  EXPECT_TRUE(look(Role::admin));
  const Result<Json> listed = ApiServer::instance().client(Role::submitter).get("/v1/sessions");
  ASSERT_TRUE(listed);
  EXPECT_EQ((*listed)["items"].size(), 0U);
  close(id);
}

TEST(ApiSessions, ATokenMayHaveSoMany) {
  const std::vector<std::string> ids = {open(), open(), open()};
  const Result<Json> refused = post("", {{"program", upload(kProgram)}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_EQ(post("/" + ids[0] + "/fork", Json::object()).error().code, ErrorCode::unavailable);
  for (const std::string& id : ids) {
    close(id);
  }
  close(open());
}

TEST(ApiSessions, BadBodiesAreRefusedByField) {
  const auto refuse = [](const Json& body, const std::string& pointer) {
    const Result<Json> refused = post("", body);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().describe().find(pointer), std::string::npos)
        << refused.error().describe();
  };
  refuse({{"program", std::string(64, 'a')}}, "/program");
  refuse({{"program", "/etc/passwd"}}, "/program");
  refuse({{"program", upload(kProgram)}, {"session", "mine"}}, "/session");
  refuse({{"program", upload(kProgram)}, {"observe", {"Inst2vec"}}}, "/observe");
  EXPECT_EQ(post("", {{"program", upload("nonsense")}}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(post("", {{"program", upload(kProgram)}, {"allowed_only", false}}).error().code,
            ErrorCode::permission_denied);
  const std::string id = open();
  EXPECT_EQ(post("/" + id + "/step", {{"pipelines", {"strip"}}}).error().code,
            ErrorCode::invalid_argument);
  close(id);
}

TEST(ApiSessions, AreSteppedOverAWebSocket) {
  const std::string id = open();
  WebSocketClient client(ApiServer::instance().port());
  ASSERT_EQ(
      client.open("/v1/sessions/" + id + "/socket", ApiServer::instance().token(Role::learner)),
      101);
  const auto ask = [&client](const Json& message) {
    EXPECT_TRUE(client.send(dump_json(message)));
    const std::optional<std::string> text = client.receive();
    return text ? *parse_json(*text) : Json();
  };
  const Json stepped = ask({{"id", 7},
                            {"command", "step"},
                            {"pipelines", {"function(sroa)"}},
                            {"observe", {"IrInstructionCount"}}});
  EXPECT_EQ(stepped["id"], 7);
  EXPECT_EQ(stepped["session"], id);
  EXPECT_EQ(stepped["observations"]["IrInstructionCount"], 2);
  const Json refused = ask({{"id", 8}, {"command", "step"}, {"pipelines", {"strip"}}});
  EXPECT_EQ(refused["id"], 8);
  EXPECT_EQ(refused["problem"]["status"], 400);
  const Json unknown = ask({{"id", 9}, {"command", "fork"}});
  EXPECT_EQ(unknown["problem"]["errors"][0]["pointer"], "/command");
  const Json nameless = ask({{"command", "observe"}});
  EXPECT_EQ(nameless["problem"]["errors"][0]["pointer"], "/id");
  EXPECT_FALSE(nameless.contains("id")) << "0 is an id like any other";
  const Json nonsense = ask("nonsense");
  EXPECT_EQ(nonsense["problem"]["code"], "invalid_argument");
  EXPECT_FALSE(nonsense.contains("id"));
  EXPECT_EQ(ask({{"id", 10}, {"command", "reset"}})["length"], 0);
  close(id);
  EXPECT_EQ(ask({{"id", 11}, {"command", "observe"}})["problem"]["status"], 404);
  EXPECT_EQ(client.receive(), std::nullopt) << "ends with its session";
}

TEST(ApiSessions, ASocketIsTheTokensOwn) {
  const std::string id = open();
  const auto status = [&id](Role role) {
    WebSocketClient client(ApiServer::instance().port());
    return client.open("/v1/sessions/" + id + "/socket", ApiServer::instance().token(role));
  };
  EXPECT_EQ(status(Role::submitter), 404);
  EXPECT_EQ(status(Role::viewer), 403);
  close(id);
}

// A token of its own with a session and a WebSocket to it, which is looked at once.
class OwnSocket {
 public:
  explicit OwnSocket(const std::string& name, Json more = Json::object()) {
    more["name"] = name;
    more["role"] = "learner";
    const Result<Json> token = admin().post("/v1/tokens", more);
    EXPECT_TRUE(token) << token.error().describe();
    id = token->at("id").get<std::string>();
    const auto secret = token->at("token").get<std::string>();
    const RawResponse opened = ApiServer::instance().ask_as(
        secret, "POST", "/v1/sessions", "Content-Type: application/json\r\n",
        dump_json(Json{{"program", upload(kProgram)}}));
    EXPECT_EQ(opened.status, 201) << opened.body;
    session = parse_json(opened.body)->at("session").get<std::string>();
    EXPECT_EQ(client.open("/v1/sessions/" + session + "/socket", secret), 101);
    EXPECT_EQ(look(), 200);
  }

  static Client admin() { return ApiServer::instance().client(Role::admin); }
  Result<Json> rotate(int old_for_seconds) const {
    return admin().post("/v1/tokens/" + id + "/rotate", {{"old_for_seconds", old_for_seconds}});
  }
  Result<Json> revoke() const { return admin().remove("/v1/tokens/" + id); }

  // The status that a message is answered with; 0 when the conversation is over.
  int look() {
    client.send(R"({"id": 1, "command": "observe"})");
    const std::optional<std::string> text = client.receive();
    if (!text) {
      return 0;
    }
    const Json answer = *parse_json(*text);
    return answer.contains("problem") ? answer["problem"]["status"].get<int>() : 200;
  }
  // What look() gives when it is no longer 200, or after ten seconds.
  int look_until_refused() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    int status = look();
    while (status == 200 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      status = look();
    }
    return status;
  }
  // Whether the session is gone, now or within ten seconds.
  bool session_ends() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      if (dump_json(*admin().get("/v1/sessions")).find(session) == std::string::npos) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  std::string id;       // of the token
  std::string session;  // likewise
  WebSocketClient client{ApiServer::instance().port()};
};

TEST(ApiSessions, EndWithTheirToken) {
  OwnSocket own("revoked-socket");
  ASSERT_TRUE(own.revoke());
  EXPECT_EQ(own.look(), 401);
  EXPECT_EQ(own.look(), 0) << "nothing comes after that";
  EXPECT_TRUE(own.session_ends());
}

// The client sends nothing, and is told.
TEST(ApiSessions, ASilentSocketEndsWithItsToken) {
  OwnSocket revoked("silent-socket");
  OwnSocket elsewhere("silent-socket-elsewhere");
  OwnSocket expiring("silent-expiring-socket", {{"expires_in_seconds", 5}});
  ASSERT_TRUE(revoked.revoke());
  ApiServer::instance().sql("UPDATE tokens SET revoked_at = now() WHERE id = '" + elsewhere.id +
                            "'");
  for (OwnSocket* const own : {&revoked, &elsewhere, &expiring}) {
    ASSERT_TRUE(own->client.hears_within(std::chrono::minutes(1)));
    const std::optional<std::string> last = own->client.receive();
    ASSERT_TRUE(last);
    const Json told = *parse_json(*last);
    EXPECT_EQ(told["problem"]["status"], 401);
    EXPECT_FALSE(told.contains("id")) << "nothing was asked";
    EXPECT_EQ(own->client.receive(), std::nullopt);
  }
  EXPECT_TRUE(expiring.revoke());
  EXPECT_TRUE(revoked.session_ends() && elsewhere.session_ends() && expiring.session_ends());
}

TEST(ApiSessions, EndWithATokenThatIsRevokedElsewhere) {
  OwnSocket own("revoked-elsewhere-socket");
  ApiServer::instance().sql("UPDATE tokens SET revoked_at = now() WHERE id = '" + own.id + "'");
  EXPECT_TRUE(own.session_ends());
  EXPECT_EQ(own.look_until_refused(), 401);
}

TEST(ApiSessions, ASocketEndsWhenItsTokenIsOver) {
  OwnSocket own("expiring-socket", {{"expires_in_seconds", 2}});
  EXPECT_EQ(own.look_until_refused(), 401);
  EXPECT_EQ(own.look(), 0);
  EXPECT_TRUE(own.revoke());
  EXPECT_TRUE(own.session_ends());
}

TEST(ApiSessions, ASocketEndsWithTheSecretThatItWasOpenedWith) {
  OwnSocket own("rotated-socket");
  const Result<Json> with_overlap = own.rotate(600);
  ASSERT_TRUE(with_overlap) << with_overlap.error().describe();
  EXPECT_EQ(own.look(), 200);
  EXPECT_EQ(own.look(), 200);
  ASSERT_TRUE(own.rotate(0));
  EXPECT_EQ(own.look(), 401);
  EXPECT_EQ(own.look(), 0);
  OwnSocket other("rotated-socket-2");
  ASSERT_TRUE(other.rotate(1));
  EXPECT_EQ(other.look_until_refused(), 401) << "when the overlap is over";
  EXPECT_TRUE(own.revoke());
  EXPECT_TRUE(other.revoke());
  EXPECT_TRUE(own.session_ends() && other.session_ends());
}

TEST(ApiSessions, TheServersEndLosesSessionsAndNothingElse) {
  const std::string id = open();
  ASSERT_GT(ApiServer::instance().session_server(), 0);
  kill(ApiServer::instance().session_server(), SIGKILL);
  // Noticed when its socket closes.
  Result<Json> look = post("/" + id + "/observe", Json::object());
  for (int i = 0; i < 100 && look; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    look = post("/" + id + "/observe", Json::object());
  }
  ASSERT_FALSE(look);
  EXPECT_EQ(post("/" + id + "/observe", Json::object()).error().code, ErrorCode::not_found);
  close(open());
}

}  // namespace
}  // namespace hone
