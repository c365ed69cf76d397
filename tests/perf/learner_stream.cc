// learner_stream: reads the replay buffer of honed (HONE_URL, HONE_TOKEN_FILE) to its end as the
// learner does, row by row, and says how fast. For learner_scale.sh.
//
// Prints NAME=VALUE lines: rows, failures (rows without a reward), decisions, bytes (of lines),
// seconds (wall), cpu_seconds (of this process), checksum (of what was parsed, so that nobody can
// read without reading).
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "common/client/client.h"
#include "server/learner/buffer/experience_stream.h"

namespace hone {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Totals {
  std::uint64_t rows = 0;
  std::uint64_t failures = 0;
  std::uint64_t decisions = 0;
  std::uint64_t bytes = 0;
  double checksum = 0;

  void add(const Experience& row, std::string_view line) {
    ++rows;
    bytes += line.size() + 1;
    decisions += row.decisions.size();
    failures += row.reward ? 0 : 1;
    checksum += row.reward ? row.reward->value + row.reward->high - row.reward->low : 0;
    checksum += row.log_propensity.value_or(0) + static_cast<double>(row.rules.size());
    for (const ExperienceDecision& decision : row.decisions) {
      checksum += decision.log_propensity.value_or(0) +
                  static_cast<double>(decision.pipeline_hash.size() + decision.state_id.size());
    }
  }
};

Result<void> run() {
  HONE_TRY(ClientOptions options, resolve_client_options());
  HONE_TRY(const Client client, Client::create(std::move(options)));
  Totals totals;
  ExperienceStream stream({.client = &client, .file = {}}, "");
  const auto started = std::chrono::steady_clock::now();
  HONE_CHECK(stream.read([&](const Experience& row, std::string_view line) -> Result<bool> {
    totals.add(row, line);
    return true;
  }));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  fmt::print("rows={}\nfailures={}\ndecisions={}\nbytes={}\nseconds={:.3f}\ncpu_seconds={:.3f}\n",
             totals.rows, totals.failures, totals.decisions, totals.bytes, seconds, cpu_seconds());
  fmt::print("checksum={:.6f}\n", totals.checksum);
  return {};
}

}  // namespace
}  // namespace hone

int main() {
  const hone::Result<void> done = hone::run();
  if (!done) {
    std::fprintf(stderr, "learner_stream: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
