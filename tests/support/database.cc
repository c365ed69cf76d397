#include "tests/support/database.h"

#include <sys/stat.h>

#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "common/base/log.h"
#include "server/store/pg/migrator.h"
#include "server/store/pg/pg_connection.h"

namespace hone::test {
namespace {

[[noreturn]] void give_up(const std::string& what, const std::string& reason) {
  std::cerr << what << ": " << reason << "\n";
  std::abort();
}

// A connection with the context it needs.
struct Connected {
  explicit Connected(const std::string& url) {
    PgConnectOptions options;
    options.url = url;
    options.statement_timeout = std::chrono::milliseconds(0);
    auto made = run_on(context, PgConnection::connect(context.get_executor(), options));
    if (!made) {
      give_up("cannot connect", made.error().message);
    }
    connection = *std::move(made);
  }
  void run(const std::string& sql) {
    const auto done = run_on(context, connection->run(sql));
    if (!done) {
      give_up(sql, done.error().message);
    }
  }

  boost::asio::io_context context;
  std::unique_ptr<PgConnection> connection;
};

class SharedCluster final : public ::testing::Environment {
 public:
  PrivateCluster& get() {
    if (cluster_ == nullptr) {
      set_log_level(LogLevel::error);
      folder_ = std::make_unique<TemporaryFolder>(passable_folder());
      ClusterOptions options;
      options.folder = folder_->path() / "postgres";
      boost::asio::io_context context;
      auto started = run_on(context, PrivateCluster::start(std::move(options)));
      if (!started) {
        give_up("no cluster for the tests", started.error().describe());
      }
      cluster_ = *std::move(started);
      // No test of this cluster pulls the plug, and waiting for the disk is most of what a test
      // would do.
      admin_ = std::make_unique<Connected>(cluster_->database_url() + " dbname=postgres");
      admin_->run("ALTER SYSTEM SET fsync = off");
      admin_->run("ALTER SYSTEM SET full_page_writes = off");
      admin_->run("SELECT pg_reload_conf()");
    }
    return *cluster_;
  }
  // As who makes databases.
  Connected& admin() {
    get();
    return *admin_;
  }
  void TearDown() override {
    admin_.reset();
    cluster_.reset();
    folder_.reset();
  }

 private:
  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<PrivateCluster> cluster_;
  std::unique_ptr<Connected> admin_;
};

SharedCluster& environment() {
  // gtest owns and deletes it.
  static auto* const kEnvironment = dynamic_cast<SharedCluster*>(
      ::testing::AddGlobalTestEnvironment(new SharedCluster));  // NOLINT
  return *kEnvironment;
}
// Registered before main runs the tests: later is too late for its TearDown.
[[maybe_unused]] const SharedCluster& kRegistered = environment();

std::string make_database(const std::string& copied) {
  static int count = 0;
  const std::string name = "test_" + std::to_string(++count);
  environment().admin().run("CREATE DATABASE " + name + " TEMPLATE " + copied);
  return shared_cluster().database_url() + " dbname=" + name;
}

}  // namespace

TemporaryFolder passable_folder() {
  auto folder = TemporaryFolder::create("hone-test");
  if (!folder) {
    give_up("no temporary folder", folder.error().describe());
  }
  ::chmod(folder->path().c_str(), 0711);
  return *std::move(folder);
}

PrivateCluster& shared_cluster() {
  return environment().get();
}

std::string new_database() {
  return make_database("template0");
}

std::string new_migrated_database() {
  static const bool kMigrated = [] {
    Connected first(shared_cluster().database_url());
    const auto done = run_on(first.context, migrate(*first.connection, embedded_migrations()));
    if (!done) {
      give_up("cannot migrate", done.error().describe());
    }
    return true;
  }();
  return kMigrated ? make_database("hone") : std::string();
}

}  // namespace hone::test
