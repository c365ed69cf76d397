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
#include "engine/llvm/function_counts.h"
#include "engine/llvm/ir2vec_vocabulary.h"

namespace hone {

// What looking needs besides a module. All of it outlives whoever looks.
struct Viewpoint {
  llvm::TargetMachine& machine;
  const Ir2VecVocabulary* vocabulary = nullptr;  // null: there is none
};

// Afresh, whatever is kept; the module stays as it is. Errors of object_text_bytes() and
// program_graph(); unsupported for a space that needs what the viewpoint has not.
Result<Observation> observe(ObservationSpace space, llvm::Module& module,
                            const Viewpoint& viewpoint);

class Observations {
 public:
  // The module must outlive this.
  Observations(llvm::Module& module, const Viewpoint& viewpoint)
      : module_(module), viewpoint_(viewpoint), counts_(module) {}

  // Valid until forget().
  Result<const Observation*> get(ObservationSpace space);
  // The module has changed so.
  void forget(const ModuleChanges& changes);

 private:
  Result<Observation> see(ObservationSpace space);

  llvm::Module& module_;
  Viewpoint viewpoint_;
  FunctionCounts counts_;
  std::map<ObservationSpace, Observation> known_;
};

}  // namespace hone
