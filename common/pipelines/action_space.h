// The pass decisions that a compile session offers, made from the allow-list of a major.
//
// In three forms, from the same table:
//   actions()          discrete: one for each searchable pass, level and parameter text that
//                      action_table.h lists in full; a pass with options that combine, with its
//                      usual ones
//   passes()           hierarchical: a pass first, then its parameters (pipeline_of())
//   whole_pipelines()  each many passes at once: default<O3> and its like
// Another LLVM major has its own space. Thread safe.
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
  // Sorted by name.
  const std::vector<Action>& whole_pipelines() const { return whole_pipelines_; }
  // Searchable rows of the table, by name and level. They live as long as the program.
  const std::vector<const PassEntry*>& passes() const { return passes_; }
  int llvm_major() const { return llvm_major_; }

  // An action's number.
  std::optional<std::size_t> find(std::string_view name) const;
  // The pipeline of an action or whole pipeline of that name; null if there is none.
  const std::string* find_pipeline(std::string_view name) const;

 private:
  explicit ActionSpace(int llvm_major);

  int llvm_major_;
  std::vector<Action> actions_;
  std::vector<Action> whole_pipelines_;
  std::vector<const PassEntry*> passes_;
};

// `pass` within the adaptors that a module pipeline needs around it: "function(loop(indvars))".
std::string in_adaptors(PassLevel level, std::string_view pass);

// A pass with these parameters ("no-pre;load-pre"; empty: none), in its adaptors. invalid_argument
// if it does not take them; the message lists what it takes.
Result<std::string> pipeline_of(const PassEntry& pass, const std::string& parameters);

}  // namespace hone
