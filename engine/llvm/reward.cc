#include "engine/llvm/reward.h"

#include "engine/llvm/llvm_error.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/observation.h"
#include "engine/llvm/pass_runner.h"

namespace hone {

Result<RewardCosts> BaselineCosts::of(RewardSpace space) {
  RewardCosts costs;
  switch (space.form) {
    case RewardForm::difference:
    case RewardForm::log_ratio:
      return costs;
    case RewardForm::norm:
      break;
    case RewardForm::o3: {
      HONE_TRY(costs.baseline, cost(space.cost, "default<O3>"));
      break;
    }
    case RewardForm::oz: {
      HONE_TRY(costs.baseline, cost(space.cost, "default<Oz>"));
      break;
    }
  }
  HONE_TRY(costs.unoptimised, cost(space.cost, ""));
  return costs;
}

Result<double> BaselineCosts::cost(Cost cost, const std::string& pipeline) {
  const auto key = std::pair(cost, pipeline);
  if (const auto known = known_.find(key); known != known_.end()) {
    return known->second;
  }
  llvm::LLVMContext context;
  std::string first_error;
  keep_diagnostics(context, first_error);
  HONE_TRY(const std::unique_ptr<llvm::Module> module, load_program(program_, context));
  if (!pipeline.empty()) {
    HONE_CHECK(PassRunner(*module, machine_).run(pipeline));
  }
  HONE_TRY(const Observation value, observe(observation_of(cost), *module, {machine_}));
  return known_.emplace(key, static_cast<double>(std::get<std::int64_t>(value))).first->second;
}

}  // namespace hone
