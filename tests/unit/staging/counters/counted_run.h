// A program run between a counter's start and finish, as the runner does it.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/text.h"
#include "staging/counters/run_counter.h"
#include "staging/sandbox/sandbox_support.h"

namespace hone::test {

class CountedRun : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("counter-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    chmod(folder().c_str(), 0755);
  }
  std::filesystem::path folder() const { return folder_->path(); }

  // What the script was counted, which must end well; nothing if it was not counted.
  std::optional<double> count(RunCounter& counter, const std::string& script) {
    Command command;
    command.arguments = {"sh", "-c", script};
    command.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
    command.working_folder = "/";
    command.run_as = run_as_;
    command.limits.wall_time = std::chrono::seconds(60);
    SandboxView view;
    const Result<void> started = counter.start(command, view);
    EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
    if (!started) {
      return std::nullopt;
    }
    const Result<SandboxReport> report = sandbox_.run(command, view);
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
    if (report) {
      EXPECT_TRUE(report->run.ok()) << report->run.describe_end();
      EXPECT_EQ(report->run.stderr_text, "") << "counting is not to be seen";
    }
    const Result<double> counted = counter.finish();
    EXPECT_TRUE(counted.has_value()) << (counted ? "" : counted.error().message);
    return counted ? std::optional(*counted) : std::nullopt;
  }

  // From here on as a worker's slot: namespaces, filter, another user as far as this machine allows
  // them. Why not, if there are no namespaces.
  std::string enter_sandbox() {
    SandboxSettings settings;
    // Programs run as another user, who has to get at init.
    settings.init = folder() / "init";
    std::filesystem::copy(std::filesystem::path(HONE_BINARY_DIR) / "bin/hone-sandbox-init",
                          settings.init);
    if (geteuid() == 0) {
      settings.run_as = RunAs{65534, 65534};
    }
    sandbox_ = find_sandbox(settings);
    run_as_ = settings.run_as;
    const std::string warnings = join(sandbox_.warnings(), "\n");
    return warnings.find("without namespaces") == std::string::npos ? "" : warnings;
  }

  std::optional<TemporaryFolder> folder_;
  Sandbox sandbox_;
  std::optional<RunAs> run_as_;
};

}  // namespace hone::test
