// Shares as weights, a scripted HAProxy and a real one, manifests.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_future.hpp>
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
}

}  // namespace
}  // namespace hone
