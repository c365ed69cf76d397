// learner_stream [--file NDJSON] [--write NDJSON --rows N]: reads the replay buffer as the learner
// does, row by row, and says how fast. For learner_scale.sh.
//
// From honed (HONE_URL, HONE_TOKEN_FILE), or from an exported file. Prints NAME=VALUE lines: rows,
// failures (rows without a reward), decisions, bytes (of lines), seconds (wall), cpu_seconds (of
// this process), checksum (of what was parsed, so that nobody can read without reading). --write
// copies the first N lines to a file, and ends there.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
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

Result<void> run(const std::string& file, const std::string& write_to, std::uint64_t limit) {
  std::optional<Client> client;
  BufferSource source;
  source.file = file;
  if (file.empty()) {
    HONE_TRY(ClientOptions options, resolve_client_options());
    HONE_TRY(client, Client::create(std::move(options)));
    source.client = &*client;
  }
  std::ofstream copy;
  if (!write_to.empty()) {
    copy.open(write_to, std::ios::binary | std::ios::trunc);
  }
  Totals totals;
  ExperienceStream stream(source, "");
  const auto started = std::chrono::steady_clock::now();
  HONE_CHECK(stream.read([&](const Experience& row, std::string_view line) -> Result<bool> {
    totals.add(row, line);
    if (copy.is_open()) {
      copy << line << '\n';
      if (!copy) {
        return fail(ErrorCode::io_failed, "cannot write " + write_to);
      }
    }
    return limit == 0 || totals.rows < limit;
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

int main(int argc, char** argv) {
  std::string file;
  std::string write_to;
  std::uint64_t limit = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--file") {
      file = argv[i + 1];
    } else if (option == "--write") {
      write_to = argv[i + 1];
    } else if (option == "--rows") {
      limit = std::strtoull(argv[i + 1], nullptr, 10);
    } else {
      std::fprintf(stderr, "learner_stream: unknown option %s\n", argv[i]);
      return 2;
    }
  }
  const hone::Result<void> done = hone::run(file, write_to, limit);
  if (!done) {
    std::fprintf(stderr, "learner_stream: %s\n", done.error().describe().c_str());
    return 1;
  }
  return 0;
}
