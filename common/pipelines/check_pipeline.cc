// Walks a forest and holds every node against the action table and the nesting that LLVM accepts.
#include <algorithm>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/pipelines/action_table.h"

namespace hone {
namespace {

constexpr PassLevel kAllLevels[] = {PassLevel::module, PassLevel::cgscc, PassLevel::function,
                                    PassLevel::loop, PassLevel::loop_mssa};

bool is_adaptor(std::string_view name) {
  return name == "module" || name == "cgscc" || name == "function" || name == "loop" ||
         name == "loop-mssa" || name == "devirt" || name == "repeat";
}

class Checker {
 public:
  explicit Checker(int llvm_major) : llvm_major_(llvm_major) {}

  Result<void> check_all(const std::vector<PipelineNode>& nodes, PassLevel level) {
    for (const PipelineNode& node : nodes) {
      HONE_CHECK(check(node, level));
    }
    return {};
  }

 private:
  Result<void> check(const PipelineNode& node, PassLevel level) {
    if (is_adaptor(node.name)) {
      return check_adaptor(node, level);
    }
    if (node.nested) {
      return refuse(node, "it is no adaptor and holds no passes");
    }
    if (node.name == "default") {
      return check_default(node, level);
    }
    if (const PassEntry* entry = find_pass(node.name, level, llvm_major_)) {
      const auto parameters = check_parameters(*entry, node.parameters);
      return parameters ? Result<void>() : parameters.error().within(where(node));
    }
    return refuse(node, why_not_here(node.name, level));
  }

  std::string why_not_here(std::string_view name, PassLevel level) const {
    for (const PassLevel other : kAllLevels) {
      if (find_pass(name, other, llvm_major_) != nullptr) {
        return "it cannot stand at " + std::string(to_string(level)) + " level: write " +
               within_adaptors(name, other);
      }
    }
    if (const std::string_view reason = exclusion_reason(name); !reason.empty()) {
      return "it is not allowed: " + std::string(reason);
    }
    return "LLVM " + std::to_string(llvm_major_) + " has no such pass that Hone knows";
  }

  static std::string within_adaptors(std::string_view name, PassLevel level) {
    std::string pass(name);
    switch (level) {
      case PassLevel::module:
        return pass + " outside the adaptors";
      case PassLevel::cgscc:
        return "cgscc(" + pass + ")";
      case PassLevel::function:
        return "function(" + pass + ")";
      case PassLevel::loop:
        return "function(loop(" + pass + "))";
      case PassLevel::loop_mssa:
        return "function(loop-mssa(" + pass + "))";
    }
    return pass;
  }

  Result<void> check_default(const PipelineNode& node, PassLevel level) {
    if (level != PassLevel::module) {
      return refuse(node, "a whole pipeline stands outside the adaptors only");
    }
    if (!is_default(print(node))) {
      return refuse(node, "the levels are default<O1>, O2, O3, Os and Oz");
    }
    if (++defaults_ > kMaxDefaultNodes) {
      return refuse(node, "at most " + std::to_string(kMaxDefaultNodes) + " of them are allowed");
    }
    return {};
  }

  Result<void> check_adaptor(const PipelineNode& node, PassLevel level) {
    if (node.name == "repeat") {
      return refuse(node, "it is not allowed: write the passes as often as they shall run");
    }
    if (!node.nested || node.children.empty()) {
      return refuse(node, "it is an adaptor and needs passes in parentheses");
    }
    PassLevel inner = PassLevel::module;
    if (node.name == "cgscc" || node.name == "devirt") {
      inner = PassLevel::cgscc;
    } else if (node.name == "function") {
      inner = PassLevel::function;
    } else if (node.name == "loop") {
      inner = PassLevel::loop;
    } else if (node.name == "loop-mssa") {
      inner = PassLevel::loop_mssa;
    }
    if (!is_legal_nesting(node.name, level)) {
      return refuse(node, "it cannot stand at " + std::string(to_string(level)) + " level");
    }
    HONE_CHECK(check_adaptor_parameters(node, level));
    path_.push_back(node.name);
    HONE_CHECK(check_all(node.children, inner));
    path_.pop_back();
    return {};
  }

  static bool is_legal_nesting(std::string_view name, PassLevel level) {
    if (name == "module") {
      return level == PassLevel::module;
    }
    if (name == "devirt") {
      return level == PassLevel::cgscc;
    }
    if (name == "cgscc") {
      return level == PassLevel::module || level == PassLevel::cgscc;
    }
    if (name == "function") {
      return level <= PassLevel::function;
    }
    return level == PassLevel::function;  // loop, loop-mssa: loop managers do not nest
  }

  Result<void> check_adaptor_parameters(const PipelineNode& node, PassLevel level) const {
    const std::string parameters = node.parameters.value_or("");
    if (node.name == "devirt") {
      if (parameters.size() != 1 || parameters[0] < '1' || parameters[0] > '8') {
        return refuse(node, "it takes the number of repetitions, 1 to 8: devirt<4>(...)");
      }
      return {};
    }
    if (parameters.empty()) {
      return {};
    }
    if (node.name == "function" && level != PassLevel::function) {
      for (const std::string_view option : split(parameters, ';')) {
        const bool known =
            option == "eager-inv" || (option == "no-rerun" && level == PassLevel::cgscc);
        if (!known) {
          return refuse(node, "'" + std::string(option) + "' is not allowed here");
        }
      }
      return {};
    }
    return refuse(node, "it takes no parameters here");
  }

  // "licm in function(loop(...))", "licm" at the top.
  std::string where(const PipelineNode& node) const {
    std::string text = node.name;
    if (!path_.empty()) {
      text += " in ";
      for (const std::string_view name : path_) {
        text += std::string(name) + "(";
      }
      text += "..." + std::string(path_.size(), ')');
    }
    return text;
  }

  Error refuse(const PipelineNode& node, std::string_view why) const {
    return fail(ErrorCode::invalid_argument, "pass " + where(node) + ": " + std::string(why));
  }

  int llvm_major_;
  int defaults_ = 0;
  std::vector<std::string_view> path_;
};

}  // namespace

Result<void> check_pipeline(const Forest& forest, int llvm_major) {
  if (!has_pass_table(llvm_major)) {
    return fail(ErrorCode::unsupported,
                "there is no table of passes for LLVM " + std::to_string(llvm_major));
  }
  if (forest.nodes.empty()) {
    return fail(ErrorCode::invalid_argument,
                "the pipeline is empty, which would leave the code unoptimised");
  }
  return Checker(llvm_major).check_all(forest.nodes, PassLevel::module);
}

}  // namespace hone
