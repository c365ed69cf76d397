#include "engine/llvm/function_counts.h"

namespace hone {
namespace {

// The sum over all functions, of which those that are not known are counted. Passes that change one
// function may declare others (intrinsics), so that the module is asked which there are.
template <class Numbers, class Count>
Numbers sum(const llvm::Module& module, std::unordered_map<const llvm::Function*, Numbers>& known,
            Count count) {
  Numbers all{};
  for (const llvm::Function& function : module) {
    auto found = known.find(&function);
    if (found == known.end()) {
      found = known.emplace(&function, count(function)).first;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] += found->second[i];
    }
  }
  return all;
}

}  // namespace

Autophase FunctionCounts::autophase() {
  return sum(module_, autophase_,
             [](const llvm::Function& function) { return hone::autophase(function); });
}

InstCount FunctionCounts::inst_count() {
  return sum(module_, inst_count_,
             [](const llvm::Function& function) { return hone::inst_count(function); });
}

std::int64_t FunctionCounts::instructions() {
  return sum(module_, instructions_, [](const llvm::Function& function) {
    return std::array{static_cast<std::int64_t>(function.getInstructionCount())};
  })[0];
}

void FunctionCounts::forget(const ModuleChanges& changes) {
  if (changes.whole) {
    autophase_.clear();
    inst_count_.clear();
    instructions_.clear();
    return;
  }
  for (const llvm::Function* const function : changes.functions) {
    autophase_.erase(function);
    inst_count_.erase(function);
    instructions_.erase(function);
  }
}

}  // namespace hone
