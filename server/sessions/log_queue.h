// Rows of the session log that wait for the database: bounded, so that a database that is slow or
// gone costs rows, which are counted, and never a step. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "server/store/transition_store.h"

namespace hone {

struct LogLimits {
  std::size_t rows = 50'000;
  std::size_t bytes = std::size_t{64} << 20U;
};

// Rows, since the start.
struct LogCounts {
  std::uint64_t written = 0;
  std::uint64_t full = 0;     // dropped: no room
  std::uint64_t refused = 0;  // dropped: the database would not have them
  std::uint64_t left = 0;     // dropped: still waiting when honed ended
};

using LogBatch = std::vector<std::shared_ptr<const LoggedStep>>;

// What a row counts against the limit: its texts and numbers, roughly as they are sent.
std::size_t bytes_of(const LoggedStep& step);

class LogQueue {
 public:
  explicit LogQueue(LogLimits limits) : limits_(limits) {}

  // False if there is no room: the row is counted and gone.
  bool push(LoggedStep step);

  // The oldest rows, at most so many and, but for the first, so many bytes. They stay, and count
  // against the limit, until one of the next two.
  LogBatch first(std::size_t rows, std::size_t bytes) const;
  void written(std::size_t rows);
  void refused(std::size_t rows);
  // All that is left is dropped.
  void give_up();

  bool empty() const { return waiting_.empty(); }
  std::size_t rows() const { return waiting_.size(); }
  std::size_t bytes() const { return bytes_; }
  const LogCounts& counts() const { return counts_; }

 private:
  struct Waiting {
    std::shared_ptr<const LoggedStep> step;
    std::size_t bytes = 0;
  };
  void remove(std::size_t rows);

  LogLimits limits_;
  std::deque<Waiting> waiting_;
  std::size_t bytes_ = 0;
  LogCounts counts_;
};

}  // namespace hone
