// The pass decisions that a compile session offers one by one, made from the allow-list of a major.
//
// One action for each searchable pass, level and parameter text that action_table.h lists in full;
// a pass with options that combine is offered with its usual ones, the rest of them are reached by
// writing the pipeline out ("function(gvn<no-pre>)"), which check_pipeline() judges. Another LLVM
// major has its own space. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/pipelines/action_table.h"

namespace hone {

struct Action {
  std::string name;      // "licm<no-allowspeculation>": unique within the space
  std::string pipeline;  // with the adaptors that it needs: "function(loop-mssa(licm))"
  PassLevel level = PassLevel::module;
  bool operator==(const Action&) const = default;
};

class ActionSpace {
 public:
  // unsupported if there is no table for the major; the message lists the majors that have one.
  static Result<ActionSpace> create(int llvm_major);

  // Sorted by name; the position is the action's number, the same on every machine for one version
  // of the table.
  const std::vector<Action>& actions() const { return actions_; }
  int llvm_major() const { return llvm_major_; }

  std::optional<std::size_t> find(std::string_view name) const;

 private:
  ActionSpace(int llvm_major, std::vector<Action> actions)
      : llvm_major_(llvm_major), actions_(std::move(actions)) {}

  int llvm_major_;
  std::vector<Action> actions_;
};

// `pass` within the adaptors that a module pipeline needs around it: "function(loop(indvars))".
std::string in_adaptors(PassLevel level, std::string_view pass);

}  // namespace hone
