// The host of the session server, with servers that answer, or do not.
#include "server/sessions/session_host.h"

#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

// The first time, a server that reads nothing; from then on, one that answers everything.
constexpr std::string_view kServer = R"sh(#!/bin/sh
if mkdir "$1" 2> /dev/null; then
  exec sleep 1000
fi
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  printf '{"applied":0,"changed":false,"id":%s,"length":0,"outcome":"ok","version":1}\t{}\n' "$id"
done
)sh";

class SessionHostTest : public testing::Test {
 protected:
  SessionHostTest() : folder_(*TemporaryFolder::create("session-host")) {
    const std::filesystem::path program = folder_.path() / "server";
    std::ofstream(program) << kServer;
    chmod(program.c_str(), 0755);
    host.emplace(context.get_executor(),
                 SessionHostOptions{program, {(folder_.path() / "ran").string()}}, [this] {
                   if (when_lost) {
                     when_lost();
                   }
                 });
  }

  // Asks; what comes is one more of `answers`.
  void ask(std::string pipeline = "globaldce") {
    SessionRequest request;
    request.session = "a";
    request.command = SessionCommand::step;
    request.pipelines = {std::move(pipeline)};
    boost::asio::co_spawn(context, keep_answer(std::move(request)), boost::asio::detached);
  }
  boost::asio::awaitable<void> keep_answer(SessionRequest request) {
    Result<SealedReply> answer = co_await host->ask(std::move(request));
    answers.push_back(answer ? "ok" : std::string(to_string(answer.error().code)));
  }
  // Until there are so many answers, or ten seconds have passed.
  void run_until(std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (answers.size() < count && std::chrono::steady_clock::now() < end) {
      context.restart();
      context.run_one_for(std::chrono::milliseconds(100));
    }
  }

  TemporaryFolder folder_;
  boost::asio::io_context context{1};
  std::optional<SessionHost> host;
  std::function<void()> when_lost;
  std::vector<std::string> answers;
};

using Answers = std::vector<std::string>;

TEST_F(SessionHostTest, AStopEndsWhatWaitsAndIsForGood) {
  ask();
  context.poll();
  ASSERT_GT(host->process(), 0);
  ASSERT_EQ(answers, Answers());
  host->stop();
  EXPECT_EQ(host->process(), -1);
  run_until(1);
  ask();
  run_until(2);
  EXPECT_EQ(answers, (Answers{"unavailable", "unavailable"}));
  EXPECT_EQ(host->process(), -1);
}

TEST_F(SessionHostTest, AWriteThatWasCutLeavesTheNextServerAlone) {
  when_lost = [this] {
    when_lost = nullptr;
    ask();
  };
  ask(std::string(8U << 20U, 'x'));  // more than a socket holds
  context.poll();
  const pid_t first = host->process();
  ASSERT_GT(first, 0);
  kill(first, SIGKILL);
  run_until(2);
  EXPECT_EQ(answers, (Answers{"unavailable", "ok"}));
  EXPECT_GT(host->process(), 0);
  EXPECT_NE(host->process(), first);
}

}  // namespace
}  // namespace hone
