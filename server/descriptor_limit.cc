#include "server/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

#include "common/base/log.h"

namespace hone {
namespace {

// Beside those of clients: the database, artifacts, sessions, the log.
constexpr rlim_t kOwnDescriptors = 512;

}  // namespace

// Each connection is a descriptor, and the usual limit of 1,024 is for programs with few.
void raise_descriptor_limit(std::size_t connections) {
  rlimit limit{};
  const rlim_t wanted = connections + kOwnDescriptors;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
    return;
  }
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
    log_warning("few_descriptors", {{"limit", static_cast<std::int64_t>(limit.rlim_cur)},
                                    {"advice",
                                     "raise the hard limit (ulimit -Hn, LimitNOFILE) or lower "
                                     "--max-connections"}});
  }
}

}  // namespace hone
