#include "server/learner/knowledge/miner.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "server/learner/knowledge/greedy_cover.h"
#include "server/learner/knowledge/program_family.h"
#include "server/learner/knowledge/shortening.h"
#include "server/learner/lab/lab_searches.h"

namespace hone {
namespace {

Error stopped() {
  return fail(ErrorCode::cancelled, "stopped; the same command goes on from where it was");
}

// The best of several searches on one program, each with its share of the time.
Result<void> search_one(LabProgram& program, const MinerSettings& settings,
                        std::set<Sequence>& found) {
  SearchHooks hooks;
  hooks.stop = settings.stop;
  HONE_TRY(const auto searches, lab_searches(settings.seed));
  double best = program.oz();
  for (const std::unique_ptr<SequenceSearch>& search : searches) {
    SearchBudget budget;
    budget.cpu_seconds = settings.seconds / static_cast<double>(searches.size());
    HONE_TRY(const SearchResult result, program.search(*search, budget, hooks));
    if (settings.stop.stop_requested()) {
      return stopped();
    }
    if (result.cost < program.oz()) {
      found.insert(result.best);
    }
    best = std::min(best, result.cost);
  }
  settings.say(fmt::format("{}: {} of {} by -Oz", program.uri(), best, program.oz()));
  return {};
}

Result<GainMatrix> gains_of(std::vector<LabProgram>& programs,
                            const std::vector<Sequence>& sequences, const MinerSettings& settings) {
  GainMatrix gains;
  for (LabProgram& program : programs) {
    if (settings.stop.stop_requested()) {
      return stopped();
    }
    HONE_TRY(const std::vector<Evaluation> evaluations, program.evaluate(sequences));
    std::vector<std::optional<double>>& row = gains.emplace_back();
    for (const Evaluation& evaluation : evaluations) {
      // A module that was optimised to nothing has no logarithm; one instruction is as little.
      row.push_back(evaluation.cost
                        ? std::optional(std::log(program.oz() / std::max(*evaluation.cost, 1.0)))
                        : std::nullopt);
    }
  }
  return gains;
}

PortfolioCard card_of(const std::vector<LabProgram>& programs, const GainMatrix& gains,
                      const std::vector<CoverStep>& cover, const MinerSettings& settings) {
  PortfolioCard card;
  card.seed = settings.seed;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    double best = 0;
    for (const CoverStep& step : cover) {
      best = std::max(best, gains[i][step.sequence].value_or(0.0));
    }
    card.programs.push_back({programs[i].uri(), best});
    card.cpu_seconds += programs[i].cpu_seconds();
  }
  return card;
}

}  // namespace

Result<Portfolio> mine_portfolio(ProgramLoader& loader, const MinerSettings& settings) {
  std::vector<LabProgram> programs;
  std::set<Sequence> found;
  for (const std::string& uri : settings.programs) {
    if (settings.stop.stop_requested()) {
      return stopped();
    }
    Result<LabProgram> program = LabProgram::open(loader, uri, settings.lab);
    if (!program) {
      settings.say(fmt::format("{} is left out: {}", uri, program.error().describe()));
      continue;
    }
    HONE_CHECK(search_one(*program, settings, found));
    programs.push_back(*std::move(program));
  }
  if (programs.empty()) {
    return fail(ErrorCode::invalid_argument, "none of the programs can be learned from");
  }
  std::vector<std::string> uris;
  for (const LabProgram& program : programs) {
    uris.push_back(program.uri());
  }
  const std::vector<double> weights = family_weights(uris);
  const CoverSettings cover_settings{.most = settings.members};
  std::vector<Sequence> sequences(found.begin(), found.end());
  settings.say(
      fmt::format("trying {} sequences on {} programs", sequences.size(), programs.size()));
  HONE_TRY(const GainMatrix all, gains_of(programs, sequences, settings));
  std::vector<Sequence> chosen;
  for (const CoverStep& step : greedy_cover(all, weights, cover_settings)) {
    chosen.push_back(sequences[step.sequence]);
  }
  settings.say(fmt::format("shortening {} sequences", chosen.size()));
  std::vector<Sequence> shorter;
  for (const Sequence& sequence : chosen) {
    if (settings.stop.stop_requested()) {
      return stopped();
    }
    HONE_TRY(Sequence shortened, shorten(sequence, chosen, programs, weights));
    shorter.push_back(std::move(shortened));
  }
  HONE_TRY(const GainMatrix gains, gains_of(programs, shorter, settings));
  const std::vector<CoverStep> cover = greedy_cover(gains, weights, cover_settings);
  Portfolio portfolio;
  portfolio.cost = to_string(RewardSpace{settings.lab.cost, RewardForm::difference});
  for (const CoverStep& step : cover) {
    portfolio.members.push_back({shorter[step.sequence], step.value});
  }
  portfolio.card = card_of(programs, gains, cover, settings);
  return portfolio;
}

}  // namespace hone
