// `hone policy pull` as a process, against coordinators that answer, refuse, stall or are not
// there. That it gives up after five seconds is what it promises; the limit here is twice that.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/policy_file.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "common/policy/index.h"
#include "common/policy/signature.h"
#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr double kLongestSeconds = 10;

// A port on which connections are opened (by the kernel, as long as there is room) but never
// accepted: nothing is ever answered.
class BlackHole {
 public:
  explicit BlackHole(int backlog) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(socket_.get(), backlog);
    socklen_t size = sizeof address;
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    address_ = address;
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }
  // Fills the queue: further connections hang in their first packet.
  void fill() {
    for (int i = 0; i < 4; ++i) {
      fillers_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      static_cast<void>(::connect(fillers_.back().get(),
                                  reinterpret_cast<const sockaddr*>(&address_), sizeof address_));
    }
  }

 private:
  UniqueFd socket_;
  sockaddr_in address_{};
  std::vector<UniqueFd> fillers_;
};

class PolicyPull : public testing::Test {
 protected:
  PolicyPull() {
    EXPECT_TRUE(write_file_atomically(path("key.pub"), keys_.public_pem).has_value());
    EXPECT_TRUE(write_file_atomically(path("sources"), "lib/a.c\nlib/b.c\n").has_value());
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  Json document(int sequence) const {
    Policy policy;
    policy.target = "lz4";
    policy.sequence = static_cast<std::uint64_t>(sequence);
    policy.rules.emplace_back();
    policy.rules.back().source = "lib/a.c";
    policy.rules.back().decision.pipeline = "function(gvn)";
    return policy_to_json(policy);
  }
  // What the coordinator answers; the signature stands in a header.
  std::string answer(const Json& json, const std::string& signature) const {
    return http_response(
        "200 OK", dump_json(json),
        "Content-Type: application/json\r\nHone-Policy-Signature: " + signature + "\r\n");
  }
  std::string answer(int sequence) const {
    return answer(document(sequence), *sign_policy(document(sequence), keys_.secret_pem));
  }

  RunReport pull(const std::string& url, std::vector<std::string> more = {},
                 const std::string& variable = "", const std::string& value = "") const {
    Command command;
    command.arguments = {HONE_BINARY_DIR "/bin/hone",
                         "--url",
                         url,
                         "policy",
                         "pull",
                         "lz4",
                         "-o",
                         path("lz4.policy"),
                         "--public-key",
                         path("key.pub"),
                         "--per-source",
                         path("decisions"),
                         "--sources",
                         path("sources")};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    command.environment = current_environment();
    set_variable(command.environment, "HOME", path("home"));
    set_variable(command.environment, "HONE_TOKEN_FILE", "");
    if (!variable.empty()) {
      set_variable(command.environment, variable, value);
    }
    command.limits.wall_time = seconds(60);
    const Result<RunReport> report = run(command);
    EXPECT_TRUE(report.has_value());
    return report.has_value() ? *report : RunReport{};
  }
  RunReport pull_first(int sequence) const {
    const ScriptedHttpServer server({{answer(sequence)}});
    RunReport report = pull(server.url());
    EXPECT_TRUE(report.ok()) << report.stderr_text;
    return report;
  }

  std::uint64_t installed_sequence() const {
    const Result<PolicyIndex> index = PolicyIndex::open(path("lz4.policy"));
    return index.has_value() ? index->sequence() : 0;
  }
  // After pull_first(3): the coordinator at `url` is of no use.
  void expect_kept(const RunReport& report) const {
    EXPECT_TRUE(report.ok()) << report.describe_end() << report.stderr_text;
    EXPECT_THAT(report.stderr_text, HasSubstr("the last good policy is kept"));
    EXPECT_THAT(report.stderr_text, HasSubstr("sequence 3"));
    EXPECT_THAT(report.stdout_text, HasSubstr("kept"));
    EXPECT_LT(report.wall_seconds, kLongestSeconds);
    EXPECT_EQ(installed_sequence(), 3U);
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("pull");
  KeyPair keys_ = *generate_key_pair();
};

TEST_F(PolicyPull, InstallsAndUpdatesWhatChanged) {
  EXPECT_THAT(pull_first(3).stdout_text, HasSubstr("changed"));
  EXPECT_EQ(installed_sequence(), 3U);
  EXPECT_EQ(PolicyIndex::open(path("decisions/lib/a.c.hone"))->rule_count(), 1U);
  const auto before = std::filesystem::last_write_time(path("decisions/lib/a.c.hone"));
  const RunReport again = pull_first(4);
  EXPECT_THAT(again.stdout_text, HasSubstr(": 0 decision files changed"));
  EXPECT_EQ(installed_sequence(), 4U);
  EXPECT_EQ(std::filesystem::last_write_time(path("decisions/lib/a.c.hone")), before);
}

TEST_F(PolicyPull, DeadCoordinatorKeepsTheLastGoodPolicy) {
  pull_first(3);
  expect_kept(pull("http://127.0.0.1:9"));  // discard: nobody listens
}

TEST_F(PolicyPull, RequiredMakesItAnError) {
  pull_first(3);
  const RunReport report = pull("http://127.0.0.1:9", {"--required"});
  EXPECT_EQ(report.exit_code, exit_code(ErrorCode::unavailable));
  EXPECT_EQ(installed_sequence(), 3U);
}

TEST_F(PolicyPull, FailingCoordinatorKeepsTheLastGoodPolicy) {
  pull_first(3);
  const std::string failing = http_response("500 Internal Server Error", "");
  const ScriptedHttpServer server({{failing}, {failing}});
  expect_kept(pull(server.url()));
}

TEST_F(PolicyPull, CoordinatorThatIsAskedTooMuchKeepsTheLastGoodPolicy) {
  pull_first(3);
  const std::string too_much =
      http_response("429 Too Many Requests",
                    R"({"code":"resource_exhausted","detail":"the token has asked too often"})");
  const ScriptedHttpServer server({{too_much}, {too_much}});
  expect_kept(pull(server.url()));
}

TEST_F(PolicyPull, SilentCoordinatorIsGivenUp) {
  pull_first(3);
  const ScriptedHttpServer server({{answer(4), seconds(60)}});
  expect_kept(pull(server.url()));
}

TEST_F(PolicyPull, StallInTheMiddleIsGivenUp) {
  pull_first(3);
  const std::string whole = answer(4);
  const ScriptedHttpServer server(
      {{whole.substr(0, whole.size() - 20), seconds(0), false, seconds(60)}});
  expect_kept(pull(server.url()));
}

TEST_F(PolicyPull, ConnectionThatIsNeverAcceptedIsGivenUp) {
  pull_first(3);
  const BlackHole hole(16);
  expect_kept(pull(hole.url()));
}

TEST_F(PolicyPull, ConnectionThatIsNeverOpenedIsGivenUp) {
  pull_first(3);
  BlackHole hole(0);
  hole.fill();
  expect_kept(pull(hole.url()));
}

TEST_F(PolicyPull, NameServerThatIsSilentIsGivenUp) {
#if defined(HONE_SANITIZED)
  GTEST_SKIP() << "sanitizers want to be loaded first";
#endif
  pull_first(3);
  expect_kept(pull("http://coordinator.example:7077", {}, "LD_PRELOAD", HONE_SLOW_RESOLVER));
}

TEST_F(PolicyPull, NothingToKeepLeavesPlainDecisions) {
  const RunReport report = pull("http://127.0.0.1:9");
  EXPECT_TRUE(report.ok());
  EXPECT_THAT(report.stderr_text, HasSubstr("builds stay plain"));
  EXPECT_EQ(PolicyIndex::open(path("decisions/lib/a.c.hone"))->rule_count(), 0U);
  EXPECT_FALSE(std::filesystem::exists(path("lz4.policy")));
}

// As after a restore of the coordinator's database from a backup.
TEST_F(PolicyPull, OlderSequenceIsNotTakenAndBreaksNoBuild) {
  pull_first(3);
  ASSERT_TRUE(write_file_atomically(path("sources"), "lib/a.c\nlib/b.c\nlib/c.c\n").has_value());
  const ScriptedHttpServer server({{answer(2)}});
  const RunReport report = pull(server.url());
  expect_kept(report);
  EXPECT_THAT(report.stderr_text, HasSubstr("sequence 2, and 3 was seen before"));
  EXPECT_THAT(report.stderr_text, HasSubstr("hone policy rollback lz4"));
  EXPECT_TRUE(std::filesystem::exists(path("decisions/lib/c.c.hone"))) << "objects depend on it";
}

TEST_F(PolicyPull, OlderSequenceIsAnErrorWhereItIsAskedForOrRequired) {
  pull_first(3);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--required"}, {"--version", "2"}}) {
    const ScriptedHttpServer server({{answer(2)}});
    const RunReport report = pull(server.url(), more);
    EXPECT_EQ(report.exit_code, exit_code(ErrorCode::expired)) << report.stderr_text;
    EXPECT_EQ(installed_sequence(), 3U);
  }
}

TEST_F(PolicyPull, SignatureOfAnotherKeyIsRefused) {
  pull_first(3);
  const ScriptedHttpServer server(
      {{answer(document(4), *sign_policy(document(4), generate_key_pair()->secret_pem))}});
  const RunReport report = pull(server.url());
  EXPECT_EQ(report.exit_code, exit_code(ErrorCode::permission_denied)) << report.stderr_text;
  EXPECT_EQ(installed_sequence(), 3U);
}

TEST_F(PolicyPull, PageOfAProxyIsNoPolicy) {
  pull_first(3);
  const ScriptedHttpServer server({{http_response("200 OK", "<html>please log in</html>")}});
  EXPECT_EQ(pull(server.url()).exit_code, exit_code(ErrorCode::invalid_argument));
  EXPECT_EQ(installed_sequence(), 3U);
}

TEST_F(PolicyPull, MachinesAreToldWhatHappened) {
  pull_first(3);
  const RunReport report = pull("http://127.0.0.1:9", {"--json"});
  const Result<Json> told = parse_json(report.stdout_text);
  ASSERT_TRUE(told.has_value()) << report.stdout_text;
  EXPECT_EQ((*told)["status"], "kept");
  EXPECT_EQ((*told)["sequence"], 3);
}

}  // namespace
}  // namespace hone
