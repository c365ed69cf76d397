#include "engine/llvm/session.h"

#include <optional>

#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/sessions/session_reply.h"
#include "engine/llvm/llvm_error.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/observation.h"
#include "engine/llvm/pass_runner.h"
#include "engine/llvm/reward.h"
#include "engine/llvm/target.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = LLVM_VERSION_MAJOR;

Result<void> check(std::span<const std::string> pipelines, const SessionOptions& options) {
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    const std::string which = "pipeline " + std::to_string(i + 1) + " of " +
                              std::to_string(pipelines.size()) + ", '" + pipelines[i] + "'";
    const Result<Forest> forest = parse_pipeline(pipelines[i]);
    if (!forest) {
      return forest.error().within(which);
    }
    const Result<void> allowed =
        options.allowed_only ? check_pipeline(*forest, kLlvmMajor) : Result<void>();
    if (!allowed) {
      return allowed.error().within(which);
    }
  }
  return {};
}

// A module with what works on it, gone and made anew together.
struct Program {
  std::string first_error;  // that a pass reported
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::optional<PassRunner> runner;
  std::optional<Observations> observations;
};

Result<std::unique_ptr<Program>> load(std::string_view bytes) {
  auto program = std::make_unique<Program>();
  keep_diagnostics(program->context, program->first_error);
  HONE_TRY(program->module, load_program(bytes, program->context));
  return program;
}

void prepare(Program& program, const Viewpoint& viewpoint) {
  program.runner.emplace(*program.module, viewpoint.machine);
  program.observations.emplace(*program.module, viewpoint);
}

}  // namespace

struct Session::State {
  State(const SessionOptions& wanted, std::string bytes,
        std::unique_ptr<llvm::TargetMachine> target)
      : options(wanted),
        program(std::move(bytes)),
        machine(std::move(target)),
        baselines(program, *machine) {}

  Viewpoint viewpoint() const { return {*machine, options.vocabulary}; }

  void announce(std::int64_t pipeline) const {
    if (options.on_pipeline) {
      options.on_pipeline(pipeline);
    }
  }

  // Back to the program as it came, then through `steps` again.
  Result<void> replay(std::vector<std::string> steps) {
    HONE_TRY(live, load(program));
    prepare(*live, viewpoint());
    history = std::move(steps);
    without_effect.clear();
    for (const std::string& pipeline : history) {
      announce(-1);
      HONE_CHECK(live->runner->run(pipeline));
    }
    return {};
  }

  // All at once, which costs one look at the module's rules; only if these are broken, once more
  // pipeline by pipeline, to say which one did it.
  Result<StepResult> apply(std::span<const std::string> pipelines) {
    const std::vector<std::string> before = history;
    const Result<StepResult> at_once = run(pipelines, false);
    if (at_once && at_once->broken.empty()) {
      return at_once;
    }
    HONE_CHECK(replay(before));
    if (!at_once) {
      // A text that LLVM does not take, where check_pipeline() was not asked.
      return at_once.error();
    }
    HONE_TRY(const StepResult result, run(pipelines, true));
    HONE_CHECK(replay(history));
    return result;
  }

  // Stops at a pipeline that broke the module, which is then not in the history.
  Result<StepResult> run(std::span<const std::string> pipelines, bool verify_each) {
    StepResult result;
    ModuleChanges unverified;
    for (const std::string& pipeline : pipelines) {
      announce(static_cast<std::int64_t>(result.applied));
      HONE_TRY(const ModuleChanges changes, live->runner->run(pipeline));
      if (changes.any()) {
        live->observations->forget(changes);
        without_effect.clear();
      } else if (without_effect.size() < kMaxMasked) {
        without_effect.insert(pipeline);
      }
      unverified.add(changes);
      const bool last = result.applied + 1 == pipelines.size();
      if (options.verify && (verify_each || last)) {
        result.broken = broken_rules_of(unverified);
        unverified = ModuleChanges();
      }
      if (!result.broken.empty()) {
        break;
      }
      result.changed = result.changed || changes.any();
      history.push_back(pipeline);
      ++result.applied;
    }
    return result;
  }

  // Of what was changed alone: the rules of a large module take as long to check as many a pass.
  std::string broken_rules_of(const ModuleChanges& changes) const {
    if (changes.whole) {
      return broken_rules(*live->module);
    }
    std::string broken;
    for (auto function = changes.functions.begin();
         function != changes.functions.end() && broken.empty(); ++function) {
      broken = broken_rules(**function);
    }
    return broken;
  }

  Result<double> cost(Cost of) {
    HONE_TRY(const Observation* const value, live->observations->get(observation_of(of)));
    return static_cast<double>(std::get<std::int64_t>(*value));
  }

  SessionOptions options;
  const std::string program;
  std::unique_ptr<llvm::TargetMachine> machine;
  BaselineCosts baselines;
  std::unique_ptr<Program> live;
  std::vector<std::string> history;
  std::set<std::string> without_effect;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(std::string_view program,
                                                 const SessionOptions& options) {
  HONE_TRY(std::unique_ptr<Program> live, load(program));
  HONE_TRY(std::unique_ptr<llvm::TargetMachine> machine,
           make_target_machine(live->module->getTargetTriple()));
  auto state = std::make_unique<State>(options, std::string(program), std::move(machine));
  prepare(*live, state->viewpoint());
  state->live = std::move(live);
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

Result<StepResult> Session::step(std::span<const std::string> pipelines,
                                 std::span<const RewardSpace> rewards) {
  HONE_CHECK(check(pipelines, state_->options));
  if (state_->history.size() + pipelines.size() > kMaxHistory) {
    return fail(ErrorCode::too_large,
                "a session holds at most " + std::to_string(kMaxHistory) + " pipelines");
  }
  std::vector<double> before;
  for (const RewardSpace& space : rewards) {
    HONE_TRY(before.emplace_back(), state_->cost(space.cost));
  }
  HONE_TRY(StepResult result, state_->apply(pipelines));
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    HONE_TRY(const RewardCosts costs, state_->baselines.of(rewards[i]));
    HONE_TRY(const double now, state_->cost(rewards[i].cost));
    result.rewards.push_back(reward(rewards[i].form, costs, before[i], now));
  }
  return result;
}

Result<const Observation*> Session::observe(ObservationSpace space) {
  return state_->live->observations->get(space);
}

Result<double> Session::episode_reward(RewardSpace space) {
  HONE_TRY(RewardCosts costs, state_->baselines.of(space));
  HONE_TRY(const RewardCosts start, state_->baselines.of({space.cost, RewardForm::norm}));
  HONE_TRY(const double now, state_->cost(space.cost));
  return reward(space.form, costs, start.unoptimised, now);
}

Result<void> Session::undo(std::size_t count) {
  if (count > state_->history.size()) {
    return fail(ErrorCode::invalid_argument,
                "undo of " + std::to_string(count) + ": the session has " +
                    std::to_string(state_->history.size()) + " pipelines behind it");
  }
  std::vector<std::string> steps = state_->history;
  steps.resize(steps.size() - count);
  return state_->replay(std::move(steps));
}

const std::set<std::string>& Session::without_effect() const {
  return state_->without_effect;
}

const std::vector<std::string>& Session::history() const {
  return state_->history;
}

}  // namespace hone
