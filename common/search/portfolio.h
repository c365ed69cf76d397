// Sequences that did well on the programs they were found on, in the order in which they are to be
// tried, with a card that says where they come from.
//
// A file of one JSON document:
//   {"format": "hone-portfolio/1", "cost": "IrInstructionCount", "llvm_major": 19,
//    "members": [{"pipelines": ["default<Oz>", ...], "gain": 0.041}, ...],
//    "card": {"made_at": "...", "made_by": "hone-learner 0.1.0", "seed": 1, "cpu_seconds": 3100,
//             "programs": [{"uri": "benchmark://debian-v0/lz4/lib/lz4.c", "gain": 0.07}, ...]}}
// Plain values. Thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/json/document.h"
#include "common/search/sequence_search.h"

namespace hone {

struct PortfolioMember {
  Sequence pipelines;
  // Mean over the card's programs of ln(cost of -Oz / cost of the best of -Oz, the members before
  // and this one). Measured where the sequences were found, so it flatters.
  double gain = 0;
};

struct PortfolioProgram {
  std::string uri;
  double gain = 0;  // ln(cost of -Oz / cost of the best member), 0 if none is better
};

struct PortfolioCard {
  std::string made_at;  // RFC 3339
  std::string made_by;
  std::uint64_t seed = 1;
  double cpu_seconds = 0;
  std::vector<PortfolioProgram> programs;  // what it was trained on, all of them
};

struct Portfolio {
  std::string cost;
  int llvm_major = 19;
  std::vector<PortfolioMember> members;
  PortfolioCard card;

  std::vector<Sequence> sequences() const;
};

// The limits that a file is held against: 1 MiB, 256 members, 512 pipelines a member.
inline constexpr std::size_t kMaxPortfolioBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxPortfolioMembers = 256;

// invalid_argument names every field that is wrong, and a pipeline that may not be run.
Result<Portfolio> portfolio_from_json(const Json& document);
Json to_json(const Portfolio& portfolio);
// The same with the file's name; not_found, too_large.
Result<Portfolio> read_portfolio(const std::filesystem::path& file);

}  // namespace hone
