// learner_rl METHOD FILE PROGRAMS EVALUATIONS SEED WORK: what a method makes of programs within a
// number of evaluations, for learner_rl.sh.
//
// METHOD and FILE: "ppo" and its model, "bandit" and its model, "portfolio" and its file, "random"
// and "-", "pieces" and a portfolio: random sequences of what policies choose from. A rollout of a
// policy is one evaluation; its first is the one without chance. Every sequence is evaluated by its
// cost in the end, in a session of its own, and known ones are taken from the logs in WORK. Prints
// a line of JSON for each program: its URI, the cost of -Oz, the costs in the order of the
// evaluations (null: it failed), and the best sequence.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/program_beside.h"
#include "common/search/elite_climb.h"
#include "common/search/portfolio.h"
#include "common/search/portfolio_search.h"
#include "common/search/random_search.h"
#include "common/search/search_space.h"
#include "server/learner/commands/program_list.h"
#include "server/learner/lab/lab_program.h"
#include "server/learner/lab/pass_episodes.h"
#include "server/learner/lab/step_actions.h"
#include "server/learner/models/member_bandit.h"
#include "server/learner/models/step_policy_model.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;
constexpr std::size_t kRandomLength = 12;  // of random sequences, as of the policies' episodes
constexpr std::size_t kWidth = 10;

struct Arguments {
  std::string method;
  std::string file;
  std::string programs;
  std::size_t evaluations = 0;
  std::uint64_t seed = 0;
  std::string work;
};

struct Outcome {
  std::vector<std::optional<double>> costs;
  Sequence best;
  double cost = std::numeric_limits<double>::infinity();
};

Result<PassEpisodes> episodes_of(const std::vector<std::string>& actions, std::size_t length,
                                 const std::string& uri, ProgramLoader& loader) {
  HONE_TRY(const std::filesystem::path sessions, program_beside_us("hone-session"));
  HONE_TRY(SessionClient client, SessionClient::start(sessions));
  PassEpisodes episodes(std::move(client), {actions, length, Cost::ir_instruction_count});
  HONE_TRY(const Program program, loader.load(uri));
  HONE_CHECK(episodes.add(program.file.string()));
  return episodes;
}

void take(const std::vector<Sequence>& sequences, const std::vector<Evaluation>& evaluations,
          Outcome& outcome) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    outcome.costs.push_back(evaluations[i].cost);
    if (evaluations[i].cost && *evaluations[i].cost < outcome.cost) {
      outcome.cost = *evaluations[i].cost;
      outcome.best = sequences[i];
    }
  }
}

Result<Outcome> by_search(SequenceSearch& search, LabProgram& program, std::size_t evaluations) {
  Outcome outcome;
  while (outcome.costs.size() < evaluations) {
    std::vector<Sequence> asked = search.ask();
    if (asked.empty()) {
      break;
    }
    asked.resize(std::min(asked.size(), evaluations - outcome.costs.size()));
    HONE_TRY(const std::vector<Evaluation> told, program.evaluate(asked));
    take(asked, told, outcome);
    if (outcome.costs.size() < evaluations) {
      search.tell(told);
    }
  }
  return outcome;
}

// The members in this order, then climbing from the best, as `hone env search` does.
Result<std::unique_ptr<SequenceSearch>> portfolio_search(std::vector<Sequence> members,
                                                         std::uint64_t seed) {
  EliteClimbSettings climb;
  HONE_TRY(climb.actions, search_actions(kLlvmMajor, false));
  HONE_TRY(Sequence own, own_sequence(kLlvmMajor));
  climb.start = {{"default<Oz>"}, std::move(own)};
  climb.width = kWidth;
  climb.seed = seed;
  return std::make_unique<PortfolioSearch>(
      std::move(members), kWidth,
      [climb](std::vector<RankedSequence> best) -> std::unique_ptr<SequenceSearch> {
        EliteClimbSettings from_best = climb;
        from_best.known = std::move(best);
        return std::make_unique<EliteClimb>(std::move(from_best));
      });
}

class Method {
 public:
  static Result<Method> open(const Arguments& arguments) {
    Method method(arguments);
    if (arguments.method == "ppo") {
      HONE_TRY(const Model model, read_model(arguments.file, ModelKind::ppo));
      HONE_TRY(StoredStepPolicy policy, step_policy_of(model));
      method.policy_ = std::make_unique<StoredStepPolicy>(std::move(policy));
    } else if (arguments.method == "portfolio") {
      HONE_TRY(const Portfolio portfolio, read_portfolio(arguments.file));
      method.members_ = portfolio.sequences();
    } else if (arguments.method == "bandit") {
      HONE_TRY(const Model model, read_model(arguments.file, ModelKind::bandit));
      HONE_TRY(method.members_, MemberBandit::sequences_of(model));
      HONE_TRY(MemberBandit bandit, MemberBandit::of(model));
      method.bandit_ = std::make_unique<MemberBandit>(std::move(bandit));
    } else if (arguments.method == "pieces") {
      HONE_TRY(const Portfolio portfolio, read_portfolio(arguments.file));
      HONE_TRY(method.actions_, step_actions(portfolio));
    } else if (arguments.method == "random") {
      HONE_TRY(method.actions_, search_actions(kLlvmMajor, false));
    } else {
      return fail(ErrorCode::invalid_argument,
                  "'" + arguments.method + "' is not ppo, bandit, portfolio, random or pieces");
    }
    return method;
  }

  Result<Outcome> run(const std::string& uri, LabProgram& program, ProgramLoader& loader) {
    if (policy_) {
      HONE_TRY(PassEpisodes episodes, episodes_of(policy_->actions, policy_->length, uri, loader));
      HONE_TRY(const std::vector<Rollout> rollouts,
               roll_out(policy_->policy, episodes, 0, arguments_.evaluations, arguments_.seed));
      std::vector<Sequence> sequences;
      for (const Rollout& rollout : rollouts) {
        sequences.push_back(episodes.sequence(rollout.actions));
      }
      HONE_TRY(const std::vector<Evaluation> evaluations, program.evaluate(sequences));
      Outcome outcome;
      take(sequences, evaluations, outcome);
      return outcome;
    }
    if (!actions_.empty()) {
      RandomSearch search(actions_, kRandomLength, kWidth, arguments_.seed);
      return by_search(search, program, arguments_.evaluations);
    }
    std::vector<Sequence> members = members_;
    if (bandit_) {
      HONE_TRY(const PassEpisodes episodes, episodes_of({}, 1, uri, loader));
      members.clear();
      for (const std::size_t member : bandit_->order(episodes.features(0))) {
        members.push_back(members_[member]);
      }
    }
    HONE_TRY(const std::unique_ptr<SequenceSearch> search,
             portfolio_search(std::move(members), arguments_.seed));
    return by_search(*search, program, arguments_.evaluations);
  }

 private:
  explicit Method(Arguments arguments) : arguments_(std::move(arguments)) {}

  Arguments arguments_;
  std::vector<std::string> actions_;
  std::vector<Sequence> members_;
  std::unique_ptr<StoredStepPolicy> policy_;
  std::unique_ptr<MemberBandit> bandit_;
};

Result<void> run(const Arguments& arguments) {
  HONE_TRY(Method method, Method::open(arguments));
  HONE_TRY(const std::vector<std::string> programs, read_program_list(arguments.programs));
  ProgramLoaderSettings loading;
  loading.debian_script = shared_file("debian_source.sh");
  HONE_TRY(ProgramLoader loader, ProgramLoader::create(std::move(loading)));
  LabSettings lab;
  lab.folder = arguments.work;
  for (const std::string& uri : programs) {
    HONE_TRY(LabProgram program, LabProgram::open(loader, uri, lab));
    HONE_TRY(const Outcome outcome, method.run(uri, program, loader));
    Json costs = Json::array();
    for (const std::optional<double>& cost : outcome.costs) {
      costs.push_back(cost ? Json(*cost) : Json());
    }
    const Json line = {{"program", uri},
                       {"oz", program.oz()},
                       {"costs", std::move(costs)},
                       {"best", outcome.best}};
    fmt::print("{}\n", dump_json(line));
    std::fflush(stdout);
  }
  return {};
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fputs("usage: learner_rl METHOD FILE PROGRAMS EVALUATIONS SEED WORK\n", stderr);
    return 2;
  }
  hone::Arguments arguments{argv[1], argv[2], argv[3], 0, 0, argv[6]};
  const auto number = [](const std::string& text, auto& value) {
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() &&
           value <= 1'000'000;
  };
  if (!number(argv[4], arguments.evaluations) || arguments.evaluations == 0 ||
      !number(argv[5], arguments.seed)) {
    std::fputs("learner_rl: EVALUATIONS and SEED must be numbers of at most a million\n", stderr);
    return 2;
  }
  const hone::Result<void> done = hone::run(arguments);
  if (!done) {
    fmt::print(stderr, "learner_rl: {}\n", done.error().describe());
    return 1;
  }
  return 0;
}
