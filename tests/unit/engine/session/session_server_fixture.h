// A SessionServer for tests, asked one request after the other.
#pragma once

#include <poll.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/llvm/target.h"
#include "engine/session/session_server.h"

namespace hone {

// Whether a child of this process is left, running or to be waited for.
inline bool has_children() {
  return waitid(P_ALL, 0, nullptr, WEXITED | WNOHANG | WNOWAIT) == 0;
}

class SessionServerFixture : public testing::Test {
 protected:
  SessionServerFixture() {
    EXPECT_TRUE(make_target_machine(""));
    std::string pattern = (std::filesystem::temp_directory_path() / "session-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    settings_.folder = folder_ / "programs";
    std::filesystem::create_directory(settings_.folder);
    settings_.pipeline_limit = std::chrono::seconds(20);
  }
  ~SessionServerFixture() override { std::filesystem::remove_all(folder_); }

  std::string program(int functions = 1) {
    const std::filesystem::path path = folder_ / ("program-" + std::to_string(functions) + ".ll");
    std::ofstream stream(path);
    stream << "target triple = \"x86_64-pc-linux-gnu\"\n";
    for (int i = 0; i < functions; ++i) {
      stream << "define i32 @sum" << i << R"((ptr %a, i32 %n) {
entry:
  %s = alloca i32
  store i32 0, ptr %s
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i32 %i
  %v = load i32, ptr %p
  %old = load i32, ptr %s
  %new = add i32 %old, %v
  store i32 %new, ptr %s
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %r = load i32, ptr %s
  ret i32 %r
}
)";
    }
    return path.string();
  }

  SessionReply ask(SessionRequest request) {
    if (!server_) {
      server_.emplace(settings_, [this](const SealedReply& sealed) {
        const Result<SessionReply> reply = open_reply(sealed);
        ASSERT_TRUE(reply) << reply.error().describe();
        replies_[reply->id] = *reply;
      });
    }
    const std::int64_t id = ++last_id_;
    request.id = id;
    accept(request);
    for (int i = 0; !replies_.contains(id) && i < 100'000; ++i) {
      turn(static_cast<int>(server_->next_deadline().count()));
    }
    return replies_[id];
  }
  void accept(const SessionRequest& request) {
    server_->accept(request, dump_json(to_json(request)));
  }
  void turn(int wait_ms) {
    std::vector<pollfd> polled;
    server_->add_channels(polled);
    poll(polled.data(), polled.size(), wait_ms);
    server_->handle(polled);
  }

  SessionReply open(const std::string& name, int functions = 1, bool allowed_only = true) {
    SessionRequest request;
    request.session = name;
    request.command = SessionCommand::open;
    request.program = program(functions);
    request.allowed_only = allowed_only;
    request.observe = {ObservationSpace::bitcode_hash, ObservationSpace::ir_instruction_count};
    return ask(request);
  }

  SessionReply command(const std::string& name, SessionCommand command,
                       std::vector<std::string> pipelines = {}) {
    SessionRequest request;
    request.session = name;
    request.command = command;
    request.pipelines = std::move(pipelines);
    request.observe = {ObservationSpace::bitcode_hash, ObservationSpace::ir_instruction_count};
    return ask(request);
  }
  SessionReply step(const std::string& name, std::vector<std::string> pipelines) {
    return command(name, SessionCommand::step, std::move(pipelines));
  }
  SessionReply fork(const std::string& name, const std::string& into) {
    SessionRequest request;
    request.session = name;
    request.command = SessionCommand::fork;
    request.into = into;
    return ask(request);
  }
  static std::string hash_of(const SessionReply& reply) {
    const auto found = reply.observations.find("BitcodeHash");
    return found == reply.observations.end() ? "none" : std::get<std::string>(found->second);
  }

  std::filesystem::path folder_;
  SessionServerSettings settings_;
  std::optional<SessionServer> server_;
  std::map<std::int64_t, SessionReply> replies_;
  std::int64_t last_id_ = 0;
};

}  // namespace hone
