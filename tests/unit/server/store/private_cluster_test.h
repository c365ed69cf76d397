// A PrivateCluster with real processes, in a folder of its own, and what is seen of processes from
// outside.
//
// The cluster that tests begin with is made once for a program and copied.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/subprocess.h"
#include "server/store/cluster/private_cluster.h"
#include "server/store/pg/pg_connection.h"
#include "tests/support/database.h"

namespace hone::test {

inline bool is_alive(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

// Whether the process is gone within some seconds. A zombie of another parent counts as gone.
inline bool ends_within(pid_t pid, std::chrono::seconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < deadline) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    if (!(file >> number >> name >> state) || state == "Z") {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// Processes of PostgreSQL that work in the folder's cluster.
inline int processes_in(const std::filesystem::path& folder) {
  int count = 0;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    const std::filesystem::path cwd = std::filesystem::read_symlink(entry.path() / "cwd", error);
    if (!error && cwd.string().starts_with(folder.string())) {
      ++count;
    }
  }
  return count;
}

class PrivateClusterTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_level(LogLevel::off); }
  ClusterOptions options() {
    ClusterOptions made;
    made.folder = temporary.path() / "postgres";
    return made;
  }
  std::unique_ptr<PrivateCluster> start() {
    auto started = run_on(context, PrivateCluster::start(options()));
    if (!started) {
      throw std::runtime_error(started.error().describe());
    }
    return *std::move(started);
  }
  // The cluster in this test's folder, a copy of one that was made once: initdb is most of a test's
  // time.
  std::unique_ptr<PrivateCluster> start_copy() {
    static const TemporaryFolder kMade = [this] {
      TemporaryFolder folder = passable_folder();
      ClusterOptions first;
      first.folder = folder.path() / "postgres";
      auto started = run_on(context, PrivateCluster::start(first));
      if (!started) {
        throw std::runtime_error(started.error().describe());
      }
      return folder;
    }();
    Command copy;
    copy.arguments = {"cp", "-a", (kMade.path() / "postgres").string(), temporary.path().string()};
    const Result<RunReport> copied = hone::run(copy);
    if (!copied || !copied->ok()) {
      throw std::runtime_error("cp failed");
    }
    return start();
  }
  Error start_error(const ClusterOptions& wanted) {
    auto started = run_on(context, PrivateCluster::start(wanted));
    return started ? Error{ErrorCode::internal, "it started", {}} : started.error();
  }
  std::string sql(const PrivateCluster& cluster, const std::string& text) {
    PgConnectOptions connect;
    connect.url = cluster.database_url();
    auto connection = run_on(context, PgConnection::connect(context.get_executor(), connect));
    if (!connection) {
      throw std::runtime_error(connection.error().message);
    }
    const auto result = run_on(context, (*connection)->run(text));
    if (!result) {
      throw std::runtime_error(result.error().message);
    }
    return result->empty() ? "" : result->row(0).text_or_empty(result->column_name(0));
  }

  TemporaryFolder temporary = passable_folder();
  boost::asio::io_context context;
};

}  // namespace hone::test
