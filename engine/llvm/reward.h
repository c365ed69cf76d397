// The costs that a program's rewards are relative to. Not thread safe.
#pragma once

#include <map>
#include <string>
#include <utility>

#include <llvm/Target/TargetMachine.h>

#include "common/base/result.h"
#include "common/sessions/observation_space.h"
#include "common/sessions/reward_space.h"

namespace hone {

class BaselineCosts {
 public:
  // `program` as of Session: bitcode or IR text, already known to be valid; both must outlive this.
  BaselineCosts(const std::string& program, llvm::TargetMachine& machine)
      : program_(program), machine_(machine) {}

  // What the space's form needs, computed at the first call by compiling the program anew.
  Result<RewardCosts> of(RewardSpace space);

 private:
  // After `pipeline`; empty: unoptimised.
  Result<double> cost(Cost cost, const std::string& pipeline);

  const std::string& program_;
  llvm::TargetMachine& machine_;
  std::map<std::pair<Cost, std::string>, double> known_;
};

}  // namespace hone
