// The numbers of a module that are sums over its functions, counted again only for those that were
// changed: most passes change few, and on a large module counting takes as long as a pass. Not
// thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include <llvm/IR/Module.h>

#include "engine/features/autophase.h"
#include "engine/features/inst_count.h"
#include "engine/llvm/pass_runner.h"

namespace hone {

class FunctionCounts {
 public:
  // The module must outlive this.
  explicit FunctionCounts(const llvm::Module& module) : module_(module) {}

  Autophase autophase();
  InstCount inst_count();
  std::int64_t instructions();
  // The module has changed so.
  void forget(const ModuleChanges& changes);

 private:
  const llvm::Module& module_;
  // Of functions that are there: one that goes is a change of the whole module.
  std::unordered_map<const llvm::Function*, Autophase> autophase_;
  std::unordered_map<const llvm::Function*, InstCount> inst_count_;
  std::unordered_map<const llvm::Function*, std::array<std::int64_t, 1>> instructions_;
};

}  // namespace hone
