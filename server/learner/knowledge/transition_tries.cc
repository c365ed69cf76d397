#include "server/learner/knowledge/transition_tries.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <unordered_map>

#include <fmt/format.h>

#include "common/pipelines/successor_weights.h"
#include "server/learner/buffer/row_reader.h"

namespace hone {
namespace {

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{8} << 30U;
constexpr std::size_t kMaxStates = 4'000'000;

class Reader {
 public:
  explicit Reader(const std::string& observation) : observation_(observation) {}

  Result<void> take(const SessionStep& row) {
    if (!row.next_state.empty() && !row.features.empty()) {
      HONE_TRY(const std::vector<double> seen, feature_vector(row.features, observation_));
      if (seen.size() == 1) {
        costs_[row.next_state] = std::log(std::max(seen[0], 1.0));
      }
      if (costs_.size() > kMaxStates) {
        return fail(ErrorCode::too_large,
                    fmt::format("there are more than {} states: export fewer lines", kMaxStates));
      }
    }
    if (row.kind == "step") {
      step(row);
    } else if (row.kind == "undo" || row.kind == "end") {
      last_.erase(row.episode);
    }
    return {};
  }

  std::map<std::string, std::vector<PassTry>> tries() && { return std::move(tries_); }

 private:
  void step(const SessionStep& row) {
    if (row.pipelines.empty() || row.outcome != "ok") {
      return;  // a failure left the state as it was
    }
    const PassEnds ends = pass_ends(row.pipelines.back());
    const auto last = last_.find(row.episode);
    // Behind an undo, what came before is not known.
    const bool known = last != last_.end() || row.step <= 1;
    const auto before = costs_.find(row.state);
    const auto after = costs_.find(row.next_state);
    const std::string pass = last == last_.end() ? std::string() : last->second.pass;
    double best = last == last_.end() ? HUGE_VAL : last->second.best;
    if (before != costs_.end()) {
      const bool is_good = before->second <= best;
      best = std::min(best, before->second);
      if (known && is_good && row.pipelines.size() == 1 && ends.passes == 1 &&
          after != costs_.end()) {
        tries_[row.program].push_back({pass, ends.first, before->second - after->second});
      }
    }
    last_[row.episode] = {ends.last, best};
  }

  struct Last {
    std::string pass;
    double best = HUGE_VAL;  // cost of the episode's states so far
  };

  const std::string& observation_;
  std::unordered_map<std::string, double> costs_;  // logarithms, of states
  std::unordered_map<std::string, Last> last_;     // of each open episode
  std::map<std::string, std::vector<PassTry>> tries_;
};

}  // namespace

Result<std::map<std::string, std::vector<PassTry>>> transition_tries(
    const std::filesystem::path& file, const std::string& observation) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed == std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::not_found, file.string() + " is not there");
  }
  if (failed) {
    return system_error(file.string(), failed.value());
  }
  if (size > kMaxBytes) {
    return fail(ErrorCode::too_large,
                fmt::format("{} has {} bytes, more than {}", file.string(), size, kMaxBytes));
  }
  std::ifstream lines(file);
  RowReader rows;
  Reader reader(observation);
  SessionStep row;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("{}, line {}", file.string(), number);
    rows.begin(line + "\n");
    if (!rows.next()) {
      continue;
    }
    const Result<void> read = rows.read(row);
    if (!read) {
      return read.error().within(where);
    }
    const Result<void> taken = reader.take(row);
    if (!taken) {
      return taken.error().within(where);
    }
  }
  if (lines.bad()) {
    return fail(ErrorCode::io_failed, file.string() + " could not be read to its end");
  }
  return std::move(reader).tries();
}

}  // namespace hone
