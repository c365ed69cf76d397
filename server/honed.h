// The coordinator as a whole: data folder, database, API, housekeeping, from start to clean stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/store/retention_store.h"

namespace hone {

struct HonedOptions {
  std::filesystem::path data;
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 7077;          // 0: any free one
  std::string database_url;           // empty: a private cluster in the data folder
  std::vector<std::string> allowed_hosts;
  std::string artifacts;  // a folder, or s3://BUCKET/PREFIX; empty: in the data folder
  std::int64_t max_artifact_bytes = std::int64_t{2} << 30U;
  std::int64_t min_free_bytes = -1;  // uploads leave it free; -1: 1 GiB, or 5 % of a smaller disk
  std::int64_t artifact_days = 7;    // then an unused artifact is collected; 0: never
  std::int64_t lease_seconds = 60;
  RetentionOptions retention;
  std::filesystem::path tls_cert;  // PEM; empty: HTTP is spoken plain
  std::filesystem::path tls_key;
  std::filesystem::path tls_client_ca;      // whose client certificates are good; empty: none asked
  bool require_worker_certificate = false;  // workers must show one
  std::int64_t max_connections = 4096;
  std::int64_t rate_limit = 20'000;          // requests a second of one token; 0: without limit
  std::int64_t max_token_requests = 3072;    // of one token, under way
  std::int64_t max_token_streams = 256;      // of one token, open
  std::int64_t max_queued_jobs = 2'000'000;  // of one token, in the queue; 0: without limit
  std::int64_t drain_seconds = 0;  // between saying that it is not ready and stopping to serve
};

// Runs until SIGTERM or SIGINT, then stops cleanly: readiness is denied at once, no lease is given
// any more, no request cut within the grace time, no process left. A second signal cuts the grace
// short. SIGHUP reads the certificate again. Prints where it listens (and where a first
// token lies) to standard output. The error says why it could not start, or why it had to end.
Result<void> run_honed(const HonedOptions& options);

}  // namespace hone
