// The data card of an exported session log: what is in it, counted line by line. Nothing of a
// machine is named but its processor, memory and kernel. Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "common/base/result.h"
#include "common/json/document.h"

namespace hone {

class LogCard {
 public:
  // A line as /v1/transitions gives it; invalid_argument for anything else.
  Result<void> add(std::string_view line);

  std::string markdown() const;

  std::uint64_t lines() const { return lines_; }

 private:
  struct Episode {
    std::uint32_t lines = 0;
    std::uint32_t entries = 0;  // 0: no end was seen
  };
  using Counts = std::map<std::string, std::uint64_t>;
  using Hashes = std::unordered_set<std::uint64_t>;  // of names that would take too much room

  void add_step(const Json& line);
  void add_state(const Json& line);
  std::string counts_section() const;
  std::string propensity_section() const;

  std::uint64_t lines_ = 0;
  std::unordered_map<std::string, Episode> episodes_;
  std::set<std::string> programs_;
  Counts starts_;
  Counts kinds_;
  Counts outcomes_;
  Counts actions_;
  Counts rewards_;
  Counts machines_;   // episodes
  Counts compilers_;  // episodes
  Hashes transitions_;
  Hashes states_;
  std::map<std::string, Hashes> features_;  // states, by the space
  std::uint64_t with_propensity_ = 0;
  std::uint64_t dropped_ = 0;
  std::string first_;
  std::string last_;
};

}  // namespace hone
