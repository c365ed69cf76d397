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
};

// Runs until SIGTERM or SIGINT, then stops cleanly: no request cut within the grace time, no
// process left. A second signal cuts the grace short. Prints where it listens (and where a first
// token lies) to standard output. The error says why it could not start, or why it had to end.
Result<void> run_honed(const HonedOptions& options);

// "127.0.0.1:7077" or "[::1]:0" into its parts; invalid_argument.
struct ListenAddress {
  std::string address;
  std::uint16_t port = 0;
};
Result<ListenAddress> parse_listen_address(const std::string& text);

}  // namespace hone
