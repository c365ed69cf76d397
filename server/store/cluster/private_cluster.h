// A PostgreSQL of our own: made, started, watched and stopped by this process.
//
// It lives in FOLDER (data/ the cluster, run/ the Unix socket, postgres.log), listens on no
// network, and lets in only the user that runs honed (peer authentication). Started as root,
// PostgreSQL runs as the user postgres, since it refuses to run as root; else it runs as ourselves.
//
// It does not outlive us: when this process dies by kill -9, the kernel sends the postmaster SIGINT
// (fast shutdown). A start waits for such a predecessor. When the postmaster itself is killed,
// supervise() reaps it and starts it again; PostgreSQL recovers from its log, and nothing committed
// is lost.
//
// Not thread safe. start() and supervise() must run on the thread that lives longest (the main
// thread), since the kernel's signal comes at the death of the thread that forked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "server/store/async.h"

namespace hone {

struct ClusterOptions {
  std::filesystem::path folder;  // usually DIR/postgres; made if needed
  std::filesystem::path binaries = "/usr/lib/postgresql/15/bin";
  std::string user = "postgres";            // whom root becomes
  std::chrono::seconds start_timeout{120};  // recovery of a large cluster takes its time
  int restarts = 5;                         // unexpected ends tolerated within one minute
};

class PrivateCluster {
 public:
  // Makes the cluster on the first start, and returns when it accepts connections. Errors say what
  // to do: unsupported (data folder of another PostgreSQL version), permission_denied (folder not
  // writable, or a parent that the user postgres may not enter, named), io_failed (disk full, with
  // PostgreSQL's last words), not_found (no PostgreSQL 15 installed), invalid_argument (folder too
  // long for a socket), timed_out.
  static Async<std::unique_ptr<PrivateCluster>> start(ClusterOptions options);
  // Stops it if stop() was not called, blocking.
  ~PrivateCluster();
  PrivateCluster(const PrivateCluster&) = delete;
  PrivateCluster& operator=(const PrivateCluster&) = delete;

  // For StoreOptions: the database "hone", which start() made.
  std::string database_url() const;
  pid_t postmaster() const;

  // Watches the postmaster and starts it again when it ends unexpectedly. Returns when stop() is
  // called, or with an error once it ended more often than options.restarts within a minute.
  Async<void> supervise();
  // Fast shutdown: open transactions are rolled back, everything is on disk, no process is left.
  // After `patience` without an end it is made immediate (recovered at the next start). The folder
  // is free for another start then.
  Async<void> stop();
  Async<void> stop(std::chrono::seconds patience);  // 30 s otherwise

 private:
  struct State;
  explicit PrivateCluster(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace hone
