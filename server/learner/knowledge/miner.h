// Mines a portfolio: searches on every training program, tries what was found on all the others,
// and keeps the few sequences that together do best, shortened. Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/search/portfolio.h"
#include "server/learner/lab/lab_program.h"

namespace hone {

struct MinerSettings {
  std::vector<std::string> programs;  // URIs
  double seconds = 60;                // CPU seconds of search a program
  std::size_t members = 20;           // of the portfolio, at most
  std::uint64_t seed = 1;
  LabSettings lab;
  std::stop_token stop;
  std::function<void(std::string_view)> say = [](std::string_view) {};
};

// Programs that cannot be loaded or that -Oz leaves nothing of are told by `say` and left out; the
// card names those that were used. invalid_argument if none is left; cancelled if it was stopped
// (what was evaluated is in the logs, and the next run goes on there).
Result<Portfolio> mine_portfolio(ProgramLoader& loader, const MinerSettings& settings);

}  // namespace hone
