// A session as the server knows it, whatever becomes of its process; for SessionServer's own files.
// Not thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/session/session_process.h"
#include "engine/session/session_server.h"

namespace hone {

// What its stage says that a session has. That it has not would be a bug of ours: better an end,
// after which sessions are opened anew, than a server that goes on with what is none.
template <class Optional>
auto& there(Optional& value) {
  if (!value) {
    std::abort();
  }
  return *value;
}

// A program's file, gone with the last session that uses it.
struct ProgramFile {
  ProgramFile(std::filesystem::path where, std::string given)
      : path(std::move(where)), name(std::move(given)) {}
  ~ProgramFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;
  const std::filesystem::path path;
  const std::string name;  // of the file that it was copied from: an artifact's is its SHA-256
};

// What a session's process is at.
enum class SessionServer::Stage {
  coming,   // a fork that waits for its original; its process, if it has one, is not met yet
  parked,   // no process
  loading,  // it applies the history
  idle,
  running,  // `current`
};

struct SessionServer::Session {
  std::string name;
  std::shared_ptr<const ProgramFile> program;
  bool verify = true;
  bool allowed_only = true;
  std::vector<std::string> history;
  std::map<std::string, std::string> failed;  // pipelines, and how; at most kMaxMasked
  std::size_t failed_bytes = 0;               // of their texts
  std::deque<Accepted> waiting;
  std::optional<Accepted> current;
  std::optional<SessionProcess> process;
  Stage stage = Stage::parked;
  bool opened = false;     // its program was loaded once
  bool over_time = false;  // why the process was killed
  int restarts = 0;
  std::chrono::steady_clock::time_point used = std::chrono::steady_clock::now();
};

}  // namespace hone
