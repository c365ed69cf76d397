// Mines a synergy graph: probes pairs of passes on every training program, and adds up what they
// and all searches before brought. Not thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/search/synergy_graph.h"
#include "server/learner/lab/lab_program.h"

namespace hone {

struct SynergySettings {
  std::vector<std::string> programs;  // URIs
  double seconds = 60;                // CPU seconds of probing a program; 0: only what is known
  std::size_t edges = 4'096;          // of the graph, at most
  std::uint64_t seed = 1;
  LabSettings lab;                    // whose logs are read
  std::filesystem::path transitions;  // a file of /v1/transitions beside them; empty: none
  std::stop_token stop;
  std::function<void(std::string_view)> say = [](std::string_view) {};
};

// Programs that cannot be loaded or that -Oz leaves nothing of are told by `say` and left out.
// invalid_argument if nothing is left to learn from; cancelled if it was stopped (what was
// evaluated is in the logs).
Result<SynergyGraph> mine_synergy(ProgramLoader& loader, const SynergySettings& settings);

}  // namespace hone
