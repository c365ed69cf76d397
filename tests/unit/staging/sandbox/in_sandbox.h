// A sandbox as this machine gives it, around a shell. What the machine refuses is skipped by the
// tests, with the reason.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/text.h"
#include "staging/sandbox/sandbox.h"
#include "staging/sandbox/sandbox_parts.h"
#include "staging/sandbox/sandbox_support.h"

namespace hone {

namespace fs = std::filesystem;

class InSandbox : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("sandbox-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    chmod(root().c_str(), 0755);
    // Programs run as another user, who has to get at init.
    fs::copy(fs::path(HONE_BINARY_DIR) / "bin/hone-sandbox-init", root() / "init");
    settings_.init = root() / "init";
    if (geteuid() == 0) {
      settings_.run_as = RunAs{65534, 65534};
    }
    for (const char* name : {"given", "hidden", "scratch"}) {
      fs::create_directory(root() / name);
      chmod((root() / name).c_str(), 0777);
    }
    put("given/file", "given\n");
    put("hidden/file", "hidden\n");
  }
  fs::path root() const { return folder_->path(); }
  void put(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file_atomically(root() / name, text).has_value());
  }
  // Whether namespaces can be had; says why not otherwise.
  bool find() {
    sandbox_ = find_sandbox(settings_);
    why_ = join(sandbox_.warnings(), "\n");
    return why_.find("without namespaces") == std::string::npos;
  }
  Command shell(const std::string& script) const {
    Command command;
    command.arguments = {"sh", "-c", script};
    command.environment = {"PATH=/usr/bin:/bin"};
    command.working_folder = "/";
    command.run_as = settings_.run_as;
    command.limits.wall_time = std::chrono::seconds(60);
    return command;
  }
  Result<SandboxReport> run(const std::string& script) const {
    return sandbox_.run(shell(script), view_);
  }
  std::string output(const std::string& script) const {
    const Result<SandboxReport> report = run(script);
    EXPECT_TRUE(report.has_value()) << report.error().message;
    return report ? report->run.stdout_text : "";
  }

  std::optional<TemporaryFolder> folder_;
  SandboxSettings settings_;
  Sandbox sandbox_;
  SandboxView view_;
  std::string why_;
};

}  // namespace hone
