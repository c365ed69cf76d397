// Runs jobs of a product made in the test, with everything real but honed.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/archive/pack.h"
#include "common/base/file.h"
#include "tests/support/fake_job_server.h"
#include "worker/artifacts/folders.h"
#include "worker/run/job_runner.h"

namespace hone {

class JobFixture : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("job-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    chmod(folder_->path().c_str(), 0755);  // jobs run as another user
    for (const char* name : {"product", "artifacts", "targets"}) {
      ASSERT_TRUE(make_folder(folder_->path() / name, 0755).has_value());
    }
    user_ = *find_job_user("");
    users_ = JobUsers(user_);
    toolchain_.c_compiler = "/usr/bin/clang-19";
    toolchain_.cxx_compiler = "/usr/bin/clang++-19";
    toolchain_.launcher = "/bin/true";
    toolchain_.compiler_major = 19;
    target_.name = "tiny";
    target_.build.timeout_seconds = 120;
    target_.benchmark.timeout_seconds = 20;
    restart();
  }

  // As a worker does that starts anew on the same folder.
  void restart() {
    artifacts_ = std::make_unique<ArtifactCache>(folder_->path() / "artifacts", 1U << 30U, server_);
    context_.emplace(WorkspaceContext{toolchain_, users_, *artifacts_, 2, sandbox_, disk_});
    pool_ = std::make_unique<WorkspacePool>(folder_->path() / "targets", 4, *context_);
    runner_ = std::make_unique<JobRunner>(*pool_, *context_);
  }

  // Jobs compile by these of our programs ("bin/hone-cc" ...), copied: their user may not be able
  // to reach the build folder. Skips the test where one is not built.
  void use_built(std::initializer_list<const char*> programs) {
    const std::filesystem::path tools = folder_->path() / "tools";
    ASSERT_TRUE(make_folder(tools, 0755).has_value());
    for (const char* const program : programs) {
      const std::filesystem::path built = std::filesystem::path(HONE_BINARY_DIR) / program;
      if (!std::filesystem::exists(built)) {
        GTEST_SKIP() << "NOT TESTED: " << built << " is not built";
      }
      std::filesystem::copy_file(built, tools / built.filename());
    }
    ToolchainSettings settings;
    settings.launcher = tools / "hone-cc";
    settings.plugin_dir = tools;
    const Result<Toolchain> found = find_toolchain(settings, user_);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    toolchain_ = *found;
  }

  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path file = folder_->path() / "product" / name;
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(write_file_atomically(file, content).has_value());
  }

  // Packs the product and names it in the target.
  void pack() {
    const std::filesystem::path archive = folder_->path() / "product.tar.zst";
    const Result<PackReport> packed = pack_folder(folder_->path() / "product", archive);
    ASSERT_TRUE(packed.has_value()) << packed.error().message;
    target_.source.artifact = packed->sha256;
    server_.artifacts[packed->sha256] = *read_file(archive, 1U << 30U);
  }

  Lease lease(const std::vector<Rule>& rules = {}) {
    Lease made;
    made.attempt = "attempt-" + std::to_string(++leases_);
    made.job = "job";
    made.target = target_;
    made.rules = rules;
    made.seed = 1;
    return made;
  }

  AttemptResult run(const Lease& lease, const std::stop_token& stop = {}) {
    Result<AttemptResult> result = runner_->run(lease, Slot{0, std::nullopt}, stop);
    EXPECT_TRUE(result.has_value()) << result.error().message;
    if (!result) {
      return {};
    }
    // What honed will check, whatever the outcome.
    const Result<AttemptResult> read = parse_attempt_result(to_json(*result), UnknownKeys::refuse);
    EXPECT_TRUE(read.has_value()) << read.error().describe();
    if (result->outcome != Outcome::ok) {
      EXPECT_FALSE(result->reward.has_value());
      EXPECT_FALSE(result->verdict.has_value());
      EXPECT_NE(result->reason, "");
    }
    return *result;
  }
  AttemptResult run() { return run(lease()); }

  std::optional<TemporaryFolder> folder_;
  FakeJobServer server_;
  JobUser user_;
  JobUsers users_{user_};
  Sandbox sandbox_;
  DiskLimits disk_;
  Toolchain toolchain_;
  std::unique_ptr<ArtifactCache> artifacts_;
  std::optional<WorkspaceContext> context_;
  std::unique_ptr<WorkspacePool> pool_;
  std::unique_ptr<JobRunner> runner_;
  TargetSpec target_;
  int leases_ = 0;
};

}  // namespace hone
