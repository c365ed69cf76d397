#include "server/learner/knowledge/synergy_miner.h"

#include <map>

#include <fmt/format.h>

#include "common/search/search_space.h"
#include "server/learner/knowledge/pair_probes.h"
#include "server/learner/knowledge/pass_tries.h"
#include "server/learner/knowledge/program_family.h"
#include "server/learner/knowledge/synergy_sums.h"
#include "server/learner/knowledge/transition_tries.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;
// In costs of -Oz: what a search would still go on from.
constexpr double kMostCost = 1.01;

Error stopped() {
  return fail(ErrorCode::cancelled, "stopped; the same command goes on from where it was");
}

// Behind what the compiler itself does: there a search goes on.
Result<std::vector<PassTry>> probe(ProgramLoader& loader, const std::string& uri,
                                   const SynergySettings& settings, double& cpu_seconds) {
  HONE_TRY(LabProgram program, LabProgram::open(loader, uri, settings.lab));
  HONE_TRY(std::vector<std::string> passes, search_actions(kLlvmMajor, true));
  PairProbes probes({"default<Oz>"}, std::move(passes), settings.seed);
  SearchBudget budget;
  budget.cpu_seconds = settings.seconds;
  SearchHooks hooks;
  hooks.stop = settings.stop;
  HONE_TRY(const SearchResult result, program.search(probes, budget, hooks));
  if (settings.stop.stop_requested()) {
    return stopped();
  }
  cpu_seconds += program.cpu_seconds();
  HONE_TRY(const std::vector<EvaluatedSequence> tried, program.tried());
  std::vector<PassTry> tries = pass_tries(tried, kMostCost * program.oz());
  settings.say(fmt::format("{}: {} pairs probed; {} sequences tell of {} passes in their places",
                           uri, result.evaluations, tried.size(), tries.size()));
  return tries;
}

}  // namespace

Result<SynergyGraph> mine_synergy(ProgramLoader& loader, const SynergySettings& settings) {
  const std::string cost = to_string(RewardSpace{settings.lab.cost, RewardForm::difference});
  std::map<std::string, std::vector<PassTry>> tries;
  if (!settings.transitions.empty()) {
    HONE_TRY(tries, transition_tries(settings.transitions, cost));
  }
  double cpu_seconds = 0;
  for (const std::string& uri : settings.programs) {
    if (settings.stop.stop_requested()) {
      return stopped();
    }
    Result<std::vector<PassTry>> probed = probe(loader, uri, settings, cpu_seconds);
    if (!probed && probed.error().code == ErrorCode::cancelled) {
      return probed.error();
    }
    if (!probed) {
      settings.say(fmt::format("{} is left out: {}", uri, probed.error().describe()));
      continue;
    }
    std::vector<PassTry>& all = tries[uri];
    all.insert(all.end(), probed->begin(), probed->end());
  }
  std::vector<std::string> uris;
  for (const auto& [uri, of_program] : tries) {
    if (!of_program.empty()) {
      uris.push_back(uri);
    }
  }
  const std::vector<double> weights = family_weights(uris);
  SynergySums sums;
  for (std::size_t i = 0; i < uris.size(); ++i) {
    sums.add(tries[uris[i]], weights[i]);
  }
  if (sums.tries() == 0) {
    return fail(ErrorCode::invalid_argument,
                "none of the programs tells anything of passes: give the probes more --seconds");
  }
  SynergyGraph graph = sums.graph(settings.edges);
  graph.cost = cost;
  graph.llvm_major = kLlvmMajor;
  graph.card.seed = settings.seed;
  graph.card.cpu_seconds = cpu_seconds;
  graph.card.tries = sums.tries();
  graph.card.programs = std::move(uris);
  return graph;
}

}  // namespace hone
