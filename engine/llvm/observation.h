// What can be seen of a module. Each is computed when it is asked for, and kept until the module
// changes. Not thread safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "common/base/result.h"
#include "common/sessions/observation_space.h"

namespace hone {

// Afresh, whatever is kept; the module stays as it is. Errors of object_text_bytes() and
// program_graph().
Result<Observation> observe(ObservationSpace space, llvm::Module& module,
                            llvm::TargetMachine& machine);

class Observations {
 public:
  // Both must outlive this.
  Observations(llvm::Module& module, llvm::TargetMachine& machine)
      : module_(module), machine_(machine) {}

  // Valid until forget().
  Result<const Observation*> get(ObservationSpace space);
  // The module has changed.
  void forget() { known_.clear(); }

 private:
  llvm::Module& module_;
  llvm::TargetMachine& machine_;
  std::map<ObservationSpace, Observation> known_;
};

}  // namespace hone
