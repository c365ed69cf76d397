// What `hone up` runs on this machine: honed and a worker, started and waited for. Thread safe.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/cli/child_process.h"
#include "common/base/result.h"
#include "common/client/client.h"

namespace hone {

struct UpOptions {
  std::string data;
  std::string listen;
  std::string database;
  std::string tls_cert;
  std::string tls_key;
  std::string tls_client_ca;
  std::string name = "local";
  std::string job_user;
  std::vector<std::string> shared;
  std::size_t slots = 0;
  bool require_sandbox = false;
  bool no_worker = false;
};

// One benchmark for every two processors: the other one carries the builds and everything else, so
// that a measurement has a processor for itself.
std::size_t default_slots();

// What tells one writing of a file from another: a new one has another inode or time.
struct FileIdentity {
  ino_t inode = 0;
  timespec changed = {};
  bool operator==(const FileIdentity& other) const {
    return inode == other.inode && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};
FileIdentity file_identity(const std::filesystem::path& path);

// Where honed listens, and how it is spoken to.
struct Server {
  std::string url;
  ClientTls tls;
};

// unavailable, or what it said of its options: why a program of ours ended, which it should not.
Error ended_early(std::string_view program, ChildProcess& child, const std::string& how);

Result<ChildProcess> start_honed(const UpOptions& options, const std::filesystem::path& data,
                                 const std::filesystem::path& log);
// The address that honed says it listens on. A file left by an earlier run does not count.
// timed_out, cancelled, or as ended_early.
Result<std::string> wait_for_address(ChildProcess& honed, const std::filesystem::path& file,
                                     const FileIdentity& before, const std::stop_token& stop);
// Until it is ready to serve. As its answer says, cancelled, or as ended_early.
Result<void> wait_until_ready(ChildProcess& honed, const Server& server,
                              const std::stop_token& stop);
// With a token of its own, which is made at the first start and kept in the data folder.
Result<ChildProcess> start_worker(const UpOptions& options, const Server& server,
                                  const std::filesystem::path& data,
                                  const std::filesystem::path& log);

}  // namespace hone
