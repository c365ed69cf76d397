// Sessions that are logged: what was asked of them and came of it is read back from
// /v1/transitions.
#include <cmath>
#include <sstream>

#include "common/base/sha256.h"
#include "common/client/line_stream.h"
#include "server/store/pg/pg_connection.h"
#include "tests/support/database.h"
#include "tests/support/websocket_client.h"
#include "tests/unit/server/api/api_server.h"

namespace hone {
namespace {

constexpr std::string_view kProgram =
    "target triple = \"x86_64-pc-linux-gnu\" define i32 @logged(i32 %a) { %s = alloca i32 "
    "store i32 %a, ptr %s %x = load i32, ptr %s %y = add i32 %x, %x br label %l l: "
    "%i = phi i32 [0, %0], [%j, %l] %j = add i32 %i, %y %c = icmp slt i32 %j, 9 "
    "br i1 %c, label %l, label %e e: ret i32 %j }";

std::string upload() {
  const std::string sha256 = sha256_hex(kProgram);
  const RawResponse put = ApiServer::instance().ask("PUT", "/v1/artifacts/" + sha256,
                                                    "Content-Type: application/octet-stream\r\n",
                                                    std::string(kProgram));
  EXPECT_LT(put.status, 300);
  return sha256;
}

Result<Json> post(const std::string& path, const Json& body, Role role = Role::learner) {
  return ApiServer::instance().client(role).post("/v1/sessions" + path, body);
}

// What must succeed.
Json answer(const std::string& path, const Json& body, Role role = Role::learner) {
  const Result<Json> answered = post(path, body, role);
  EXPECT_TRUE(answered) << path << ": " << answered.error().describe();
  return answered ? *answered : Json::object();
}

std::string open(Json body = Json::object(), Role role = Role::learner) {
  body["program"] = upload();
  body["log"] = true;
  return answer("", body, role).value("session", "");
}

void close(const std::string& id, Role role = Role::learner) {
  EXPECT_TRUE(ApiServer::instance().client(role).remove("/v1/sessions/" + id)) << id;
}

// A session's lines, in order.
std::vector<Json> lines_of(const std::string& session) {
  ApiServer::instance().wait_for_log();
  const Client viewer = ApiServer::instance().client(Role::viewer);
  std::vector<Json> lines;
  const Result<void> read =
      read_lines(viewer, "/v1/transitions", "", [&](std::string_view block, const std::string&) {
        std::istringstream text{std::string(block)};
        for (std::string line; std::getline(text, line);) {
          Json document = *parse_json(line);
          if (document["session"] == session) {
            lines.push_back(std::move(document));
          }
        }
        return Result<bool>(true);
      });
  EXPECT_TRUE(read) << read.error().describe();
  return lines;
}

std::string kinds_of(const std::vector<Json>& lines) {
  std::string kinds;
  for (const Json& line : lines) {
    kinds += (kinds.empty() ? "" : " ") + line["kind"].get<std::string>();
  }
  return kinds;
}

TEST(ApiSessionLog, IsAChainOfStatesWithWhatWasAskedAndSeen) {
  const std::string id = open({{"observe", {"IrInstructionCount"}}});
  const Json stepped = answer("/" + id + "/step", {{"pipelines", {"function(sroa)", "globaldce"}},
                                                   {"log_propensities", {-0.5, std::log(0.25)}},
                                                   {"observe", {"Autophase"}},
                                                   {"rewards", {"IrInstructionCount"}}});
  EXPECT_EQ(stepped["rewards"]["IrInstructionCount"], 3.0);
  EXPECT_FALSE(stepped["observations"].contains("BitcodeSha256")) << "nobody asked for it";
  answer("/" + id + "/undo", Json::object());
  const Json seen = answer("/" + id + "/observe", {{"observe", {"Bitcode", "BitcodeSha256"}},
                                                   {"rewards", {"IrInstructionCountOz"}}});
  close(id);
  const std::vector<Json> lines = lines_of(id);
  ASSERT_EQ(kinds_of(lines), "begin step undo observe end");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["step"], i);
    EXPECT_EQ(lines[i]["episode"], stepped["episode"]);
    EXPECT_EQ(lines[i]["program"], sha256_hex(kProgram));
    EXPECT_EQ(lines[i]["compiler"], "LLVM 19");
    EXPECT_EQ(lines[i]["machine"]["cpu_model"], "a processor");
    if (i > 0) {
      EXPECT_EQ(lines[i]["state"], lines[i - 1]["next_state"]) << i;
    }
  }
  const Json& step = lines[1];
  EXPECT_EQ(step["pipelines"], Json::array({"function(sroa)", "globaldce"}));
  EXPECT_EQ(step["log_propensities"], Json::array({-0.5, std::log(0.25)}));
  EXPECT_EQ(step["applied"], 2);
  EXPECT_EQ(step["outcome"], "ok");
  EXPECT_EQ(step["rewards"], stepped["rewards"]);
  EXPECT_EQ(step["features"]["Autophase"], stepped["observations"]["Autophase"]);
  EXPECT_EQ(lines[0]["features"]["IrInstructionCount"], 10);
  EXPECT_EQ(lines[2]["undone"], 1);
  EXPECT_EQ(lines[3]["rewards"], seen["rewards"]);
  EXPECT_EQ(lines[3]["state"], seen["observations"]["BitcodeSha256"]);
  EXPECT_FALSE(lines[3]["features"].contains("Bitcode"));
  EXPECT_EQ(lines[4]["reason"], "closed");
  EXPECT_EQ(lines[4]["end_of_episode"], true);
  EXPECT_EQ(lines[4]["entries"], 5);
  EXPECT_EQ(lines[4]["dropped"], 0);
}

TEST(ApiSessionLog, NothingIsLoggedUnlessAskedFor) {
  const Json opened = answer("", {{"program", upload()}});
  const auto id = opened["session"].get<std::string>();
  EXPECT_FALSE(opened.contains("episode"));
  answer("/" + id + "/step", {{"pipelines", {"globaldce"}}});
  const Result<Json> refused =
      post("/" + id + "/step", {{"pipelines", {"globaldce"}}, {"log_propensities", {-1}}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().describe().find("/log_propensities"), std::string::npos)
      << refused.error().describe();
  close(id);
  EXPECT_TRUE(lines_of(id).empty());
}

TEST(ApiSessionLog, PropensitiesAreOneAPipelineAndProbabilities) {
  const std::string id = open();
  const auto refuse = [&id](const Json& propensities, const std::string& pointer,
                            const std::string& value) {
    const Result<Json> refused =
        post("/" + id + "/step",
             {{"pipelines", {"globaldce", "globalopt"}}, {"log_propensities", propensities}});
    ASSERT_FALSE(refused);
    const std::string text = refused.error().describe();
    EXPECT_NE(text.find(pointer), std::string::npos) << text;
    EXPECT_NE(text.find(value), std::string::npos) << text;
  };
  refuse({-1, 0.5}, "/log_propensities/1", "0.5");
  refuse({-1, -800}, "/log_propensities/1", "-700");  // its inverse is no double
  refuse({"likely", -1}, "/log_propensities/0", "\"likely\"");
  refuse({-1}, "/log_propensities", "1 numbers for 2 pipelines");
  refuse(-1, "/log_propensities", "one for each pipeline");
  const Result<Json> both =
      post("/" + id + "/step", {{"pipelines", Json::array()}, {"log_propensities", {1}}});
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().describe().find("/pipelines"), std::string::npos);
  EXPECT_NE(both.error().describe().find("/log_propensities/0"), std::string::npos);
  const Result<Json> opened =
      post("", {{"program", upload()}, {"pipelines", {"globaldce"}}, {"log_propensities", {-1}}});
  ASSERT_FALSE(opened) << "without \"log\"";
  EXPECT_NE(opened.error().describe().find("/log_propensities"), std::string::npos);
  EXPECT_NE(post("", {{"program", upload()}, {"log", "yes"}}).error().describe().find("/log"),
            std::string::npos);
  answer("/" + id + "/step", {{"pipelines", {"globaldce"}}, {"log_propensities", {0}}});
  close(id);
  EXPECT_EQ(kinds_of(lines_of(id)), "begin step end") << "what was refused changed nothing";
}

TEST(ApiSessionLog, AFailureIsDataAndTheStateBehindItIsKnown) {
  const std::string id = open({{"allowed_only", false}}, Role::admin);
  const Json crashed = answer(
      "/" + id + "/step",
      {{"pipelines", {"function(sroa)", "function(loop(licm))"}}, {"log_propensities", {-1, -2}}},
      Role::admin);
  ASSERT_EQ(crashed["outcome"], "crashed") << crashed.dump();
  const Json seen = answer("/" + id + "/observe", {{"observe", {"BitcodeSha256"}}}, Role::admin);
  close(id, Role::admin);
  const std::vector<Json> lines = lines_of(id);
  ASSERT_EQ(kinds_of(lines), "begin step observe end");
  EXPECT_EQ(lines[1]["outcome"], "crashed");
  EXPECT_EQ(lines[1]["reason"], crashed["reason"]);
  EXPECT_EQ(lines[1]["applied"], 1);
  EXPECT_EQ(lines[1]["next_state"], seen["observations"]["BitcodeSha256"]);
  EXPECT_NE(lines[1]["next_state"], lines[0]["next_state"]);
  EXPECT_EQ(lines[1]["log_propensities"], Json::array({-1.0, -2.0}));
}

TEST(ApiSessionLog, ForksAndResetsBeginEpisodes) {
  const std::string id =
      open({{"pipelines", {"function(sroa)"}}, {"rewards", {"IrInstructionCount"}}});
  const Json forked = answer("/" + id + "/fork", Json::object());
  const auto copy = forked["session"].get<std::string>();
  const Json stepped = answer("/" + copy + "/step", {{"pipelines", {"default<O2>"}}});
  EXPECT_EQ(stepped["episode"], forked["episode"]);
  const Json again = answer("/" + id + "/reset", Json::object());
  close(id);
  close(copy);
  const std::vector<Json> lines = lines_of(id);
  ASSERT_EQ(kinds_of(lines), "begin step end begin end");
  EXPECT_EQ(lines[0]["start"], "open");
  EXPECT_EQ(lines[1]["rewards"]["IrInstructionCount"], 3.0)
      << "the pipelines it was opened with are a step";
  EXPECT_EQ(lines[2]["reason"], "reset");
  EXPECT_EQ(lines[3]["start"], "reset");
  EXPECT_EQ(lines[3]["episode"], again["episode"]);
  EXPECT_EQ(lines[3]["parent"], lines[0]["episode"]);
  EXPECT_EQ(lines[3]["next_state"], lines[0]["next_state"]);
  const std::vector<Json> copied = lines_of(copy);
  ASSERT_EQ(kinds_of(copied), "begin step end");
  EXPECT_EQ(copied[0]["start"], "fork");
  EXPECT_EQ(copied[0]["parent"], lines[0]["episode"]);
  EXPECT_EQ(copied[0]["parent_step"], 1);
  EXPECT_EQ(copied[0]["next_state"], lines[1]["next_state"]);
  EXPECT_EQ(copied[0]["length"], 1);
}

TEST(ApiSessionLog, AWebSocketsStepsAreLoggedToo) {
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
  const Json refused = ask(
      {{"id", 1}, {"command", "step"}, {"pipelines", {"globaldce"}}, {"log_propensities", {0.1}}});
  EXPECT_EQ(refused["problem"]["errors"][0]["pointer"], "/log_propensities/0");
  const Json stepped = ask(
      {{"id", 2}, {"command", "step"}, {"pipelines", {"globaldce"}}, {"log_propensities", {-0.1}}});
  EXPECT_EQ(stepped["outcome"], "ok") << stepped.dump();
  EXPECT_TRUE(stepped["episode"].is_string());
  close(id);
  const std::vector<Json> lines = lines_of(id);
  ASSERT_EQ(kinds_of(lines), "begin step end");
  EXPECT_EQ(lines[1]["log_propensities"], Json::array({-0.1}));
}

TEST(ApiSessionLog, NoStepWaitsForTheDatabase) {
  boost::asio::io_context context;
  PgConnectOptions options;
  options.url = ApiServer::instance().database_url();
  auto made = test::run_on(context, PgConnection::connect(context.get_executor(), options));
  ASSERT_TRUE(made) << made.error().message;
  const std::string id = open();
  // Nothing can be written to the table until this is over.
  ASSERT_TRUE(test::run_on(context, (*made)->run("BEGIN; LOCK TABLE steps IN EXCLUSIVE MODE")));
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    answer("/" + id + "/step", {{"pipelines", {"globaldce"}}});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
  const Client viewer = ApiServer::instance().client(Role::viewer);
  const Result<Response> metrics = viewer.exchange("GET", "/metrics", "");
  ASSERT_TRUE(metrics);
  EXPECT_EQ(metrics->body.find("hone_session_log_queue{unit=\"rows\"} 0\n"), std::string::npos)
      << "the rows wait";
  ASSERT_TRUE(test::run_on(context, (*made)->run("COMMIT")));
  close(id);
  EXPECT_EQ(lines_of(id).size(), 22U);
}

TEST(ApiSessionLog, IsCountedInTheMetrics) {
  close(open());
  ApiServer::instance().wait_for_log();
  const Result<Response> metrics =
      ApiServer::instance().client(Role::viewer).exchange("GET", "/metrics", "");
  ASSERT_TRUE(metrics);
  for (const char* part :
       {"hone_session_log_rows_total{result=\"written\"}",
        "hone_session_log_rows_total{result=\"full\"} 0", "hone_session_log_queue{unit=\"rows\"} 0",
        "hone_session_log_queue{unit=\"bytes\"} 0"}) {
    EXPECT_NE(metrics->body.find(part), std::string::npos) << part << "\n" << metrics->body;
  }
  EXPECT_EQ(metrics->body.find("hone_session_log_rows_total{result=\"written\"} 0\n"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
