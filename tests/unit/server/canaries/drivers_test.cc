// Shares as weights, a scripted HAProxy and a real one, manifests.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/canaries/haproxy_driver.h"
#include "server/canaries/manifest_driver.h"
#include "server/canaries/share_weights.h"

namespace hone {
namespace {

namespace asio = boost::asio;

template <class T>
Result<T> wait_for(asio::io_context& context, Async<T> task) {
  context.restart();
  std::future<Result<T>> done = asio::co_spawn(context, std::move(task), asio::use_future);
  context.run();
  return done.get();
}

TEST(ShareWeights, AreNeverAboveTheShare) {
  for (const std::size_t baselines : {1U, 3U, 10U}) {
    for (const std::size_t canaries : {1U, 2U}) {
      for (int percent = 1; percent < 100; ++percent) {
        const Result<ShareWeights> weights = share_weights(percent, baselines, canaries);
        ASSERT_TRUE(weights.has_value()) << percent;
        const double canary = static_cast<double>(canaries) * weights->canary;
        const double all = canary + static_cast<double>(baselines) * weights->baseline;
        EXPECT_LE(canary / all, percent / 100.0 + 1e-9);
        EXPECT_GE(canary / all, 0.8 * percent / 100.0);
      }
    }
  }
  EXPECT_EQ(share_weights(0, 1, 1)->canary, 0);
  EXPECT_EQ(share_weights(100, 1, 1)->baseline, 0);
  EXPECT_FALSE(share_weights(1, 1, 100));
  EXPECT_FALSE(share_weights(-1, 1, 1));
  EXPECT_FALSE(share_weights(101, 1, 1));
  EXPECT_FALSE(share_weights(50, 0, 1));
  EXPECT_EQ(share_of(198, 2), 1);
  EXPECT_EQ(share_of(0, 0), 0);
}

TEST(HaproxyDriver, SaysThatNobodyListens) {
  asio::io_context context;
  HaproxyDriver driver(context.get_executor(), {"/nowhere/haproxy.sock", "app", {"a"}, {"b"}});
  const Result<int> share = wait_for(context, driver.share());
  ASSERT_FALSE(share.has_value());
  EXPECT_EQ(share.error().code, ErrorCode::unavailable);
}

TEST(HaproxyDriver, DoesNotWaitForEver) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("haproxy");
  ASSERT_TRUE(folder.has_value());
  asio::io_context context;
  const std::string path = (folder->path() / "s").string();
  const asio::local::stream_protocol::acceptor silent(context, {path});
  HaproxyDriver driver(context.get_executor(), {path, "app", {"a"}, {"b"}},
                       std::chrono::milliseconds(50));
  const Result<int> share = wait_for(context, driver.share());
  ASSERT_FALSE(share.has_value());
  EXPECT_EQ(share.error().code, ErrorCode::timed_out);
}

// A runtime API of two servers, app/old and app/new, on a thread of its own; ended with the object.
// Remembers the canary's share after each weight that was set, and how much weight was left in all.
class ScriptedHaproxy {
 public:
  ScriptedHaproxy(const std::string& socket, long old_weight, long new_weight)
      : weights_{{"app/old", old_weight}, {"app/new", new_weight}},
        acceptor_(context_, {socket}),
        thread_([this] { serve(); }) {}
  ~ScriptedHaproxy() {
    over_ = true;
    asio::io_context context;
    asio::local::stream_protocol::socket last(context);
    boost::system::error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored);
    last.close(ignored);
    thread_.join();
  }
  ScriptedHaproxy(const ScriptedHaproxy&) = delete;
  ScriptedHaproxy& operator=(const ScriptedHaproxy&) = delete;

  double most_share = 0;
  long least_weight = 1'000;

 private:
  void serve() {
    while (!over_) {
      asio::local::stream_protocol::socket socket(context_);
      acceptor_.accept(socket);
      boost::system::error_code error;
      std::string command;
      asio::read_until(socket, asio::dynamic_buffer(command), '\n', error);
      std::istringstream words(command);
      std::string verb;
      std::string what;
      std::string server;
      long weight = 0;
      if (words >> verb >> what >> server && verb == "get") {
        asio::write(socket, asio::buffer(std::to_string(weights_[server]) + " (initial 1)\n\n"),
                    error);
      } else if (words >> verb >> weight) {  // "set server app/old weight 5": what is the name
        weights_[server] = weight;
        const auto canary = static_cast<double>(weights_["app/new"]);
        const auto all = canary + static_cast<double>(weights_["app/old"]);
        most_share = std::max(most_share, all > 0 ? canary / all : 0);
        least_weight = std::min(least_weight, static_cast<long>(all));
      }
    }
  }

  asio::io_context context_;
  std::map<std::string, long> weights_;
  asio::local::stream_protocol::acceptor acceptor_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

// Whatever was set when the coordinator dies gives the canary no more than the old weights and the
// new ones do, and leaves somebody to serve.
TEST(HaproxyDriver, NoMixtureIsWorseThanBothEnds) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("haproxy");
  ASSERT_TRUE(folder.has_value());
  int number = 0;
  for (const auto& [old_weight, new_weight] :
       {std::pair(1L, 1L), {100L, 0L}, {256L, 256L}, {0L, 256L}, {247L, 13L}, {0L, 0L}}) {
    for (const int percent : {0, 1, 5, 50, 99, 100}) {
      const std::string socket = (folder->path() / std::to_string(number++)).string();
      ScriptedHaproxy haproxy(socket, old_weight, new_weight);
      asio::io_context context;
      HaproxyDriver driver(context.get_executor(), {socket, "app", {"old"}, {"new"}});
      const Result<void> set = wait_for(context, driver.set_share(percent));
      ASSERT_TRUE(set.has_value()) << set.error().message;
      const double before =
          old_weight + new_weight == 0
              ? 0
              : static_cast<double>(new_weight) / static_cast<double>(old_weight + new_weight);
      EXPECT_LE(haproxy.most_share, std::max(before, percent / 100.0) + 1e-9)
          << old_weight << ":" << new_weight << " to " << percent;
      EXPECT_GT(haproxy.least_weight, 0) << old_weight << ":" << new_weight << " to " << percent;
    }
  }
}

TEST(HaproxyDriver, NobodyWithAWeightIsNoShare) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("haproxy");
  ASSERT_TRUE(folder.has_value());
  const std::string socket = (folder->path() / "s").string();
  const ScriptedHaproxy haproxy(socket, 0, 0);
  asio::io_context context;
  HaproxyDriver driver(context.get_executor(), {socket, "app", {"old"}, {"new"}});
  const Result<int> share = wait_for(context, driver.share());
  ASSERT_FALSE(share.has_value());
  EXPECT_EQ(share.error().code, ErrorCode::unavailable);
}

// A haproxy with two servers that need not exist; ended with the object.
class RealHaproxy {
 public:
  explicit RealHaproxy(const std::filesystem::path& folder) : socket_(folder / "ha.sock") {
    std::ofstream(folder / "haproxy.cfg")
        << "global\n  stats socket " << socket_.string() << " mode 600 level admin\n"
        << "defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\n"
        << "backend app\n  server old 127.0.0.1:9 weight 1\n  server new 127.0.0.1:9 weight 0\n";
    const std::string file = (folder / "haproxy.cfg").string();
    process_ = fork();
    if (process_ == 0) {
      execlp("haproxy", "haproxy", "-q", "-db", "-f", file.c_str(), nullptr);
      _exit(127);
    }
  }
  ~RealHaproxy() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  RealHaproxy(const RealHaproxy&) = delete;
  RealHaproxy& operator=(const RealHaproxy&) = delete;

  std::string socket() const { return socket_.string(); }
  // Whether its socket came about; false as soon as the process has ended.
  bool wait() const {
    for (int i = 0; i < 500; ++i) {
      if (std::filesystem::exists(socket_)) {
        return true;
      }
      if (waitpid(process_, nullptr, WNOHANG) == process_) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  std::filesystem::path socket_;
  pid_t process_ = 0;
};

TEST(HaproxyDriver, SetsWeightsOfARealOne) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("haproxy");
  ASSERT_TRUE(folder.has_value());
  const RealHaproxy haproxy(folder->path());
  if (!haproxy.wait()) {
    GTEST_SKIP() << "haproxy is not installed";
  }
  asio::io_context context;
  HaproxyDriver driver(context.get_executor(), {haproxy.socket(), "app", {"old"}, {"new"}});
  for (const int percent : {1, 5, 25, 50, 100, 5, 0}) {
    const Result<void> set = wait_for(context, driver.set_share(percent));
    ASSERT_TRUE(set.has_value()) << set.error().message;
    EXPECT_EQ(*wait_for(context, driver.share()), percent);
  }
  HaproxyDriver elsewhere(context.get_executor(), {haproxy.socket(), "app", {"old"}, {"newer"}});
  const Result<void> unknown = wait_for(context, elsewhere.set_share(5));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("No such server"), std::string::npos)
      << unknown.error().message;
}

TEST(ManifestDriver, WritesAndReadsItsOwn) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("manifest");
  ASSERT_TRUE(folder.has_value());
  const ManifestPlace place{(folder->path() / "split.json").string(), "shop", "shop", "shop-old",
                            "shop-new"};
  asio::io_context context;
  ManifestDriver driver(place);
  EXPECT_EQ(*wait_for(context, driver.share()), 0);
  EXPECT_TRUE(wait_for(context, driver.set_share(25)));
  EXPECT_EQ(*wait_for(context, driver.share()), 25);
  EXPECT_FALSE(wait_for(context, driver.set_share(101)));
  ManifestPlace other = place;
  other.canary = "shop-newer";
  ManifestDriver stranger(other);
  EXPECT_FALSE(wait_for(context, stranger.share()));
  EXPECT_FALSE(wait_for(context, stranger.set_share(5)));
  EXPECT_EQ(*wait_for(context, driver.share()), 25) << "what is another's is not written over";
  const std::string letter = (folder->path() / "letter").string();
  std::ofstream(letter) << "Dear Ann";
  ManifestPlace wrong = place;
  wrong.file = letter;
  ManifestDriver careless(wrong);
  EXPECT_FALSE(wait_for(context, careless.set_share(5)));
  EXPECT_EQ(*read_file(letter, 100), "Dear Ann");
}

}  // namespace
}  // namespace hone
