#include "engine/llvm/program_graph.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {
namespace {

enum class NodeType { instruction = 0, variable = 1, constant = 2 };
enum class Flow { control = 0, data = 1, call = 2 };

template <class Printable>
std::string printed(const Printable& value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  stream.flush();
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

class Graph {
 public:
  explicit Graph(const llvm::Module& module) : module_(module) {
    add_node(NodeType::instruction, "[external]", "[external]");
  }

  Result<std::string> build() {
    for (const llvm::Function& function : module_) {
      add_instructions(function);
      ++function_;
    }
    function_ = 0;
    for (const llvm::Function& function : module_) {
      constants_.clear();
      for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& instruction : block) {
          add_control(instruction);
          add_data(instruction);
          add_calls(instruction);
        }
      }
      ++function_;
      if (nodes_.size() > kMaxGraphNodes) {
        return fail(ErrorCode::too_large,
                    "a graph of more than " + std::to_string(kMaxGraphNodes) + " nodes");
      }
    }
    return dump_json({{"directed", true},
                      {"multigraph", true},
                      {"graph", Json::object()},
                      {"nodes", std::move(nodes_)},
                      {"links", std::move(links_)}});
  }

 private:
  std::size_t add_node(NodeType type, std::string text, std::string full_text) {
    nodes_.push_back({{"id", nodes_.size()},
                      {"type", static_cast<int>(type)},
                      {"text", std::move(text)},
                      {"function", function_},
                      {"block", block_},
                      {"features", {{"full_text", {std::move(full_text)}}}}});
    return nodes_.size() - 1;
  }

  void add_edge(Flow flow, std::size_t from, std::size_t to, std::size_t position) {
    // The key tells edges between the same two nodes apart.
    const std::size_t key = keys_[{from, to}]++;
    links_.push_back({{"flow", static_cast<int>(flow)},
                      {"position", position},
                      {"source", from},
                      {"target", to},
                      {"key", key}});
  }

  void add_instructions(const llvm::Function& function) {
    if (function.isDeclaration()) {
      entries_[&function] =
          add_node(NodeType::instruction, "; undefined function", function.getName().str());
      returns_[&function] = {entries_[&function]};
    }
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        const std::size_t node =
            add_node(NodeType::instruction, instruction.getOpcodeName(), printed(instruction));
        instructions_[&instruction] = node;
        entries_.emplace(&function, node);
        if (llvm::isa<llvm::ReturnInst>(instruction)) {
          returns_[&function].push_back(node);
        }
      }
      ++block_;
    }
    if (!function.hasLocalLinkage()) {
      add_call(0, function);
    }
  }

  void add_call(std::size_t caller, const llvm::Function& callee) {
    add_edge(Flow::call, caller, entries_.at(&callee), 0);
    for (const std::size_t back : returns_[&callee]) {
      add_edge(Flow::call, back, caller, 0);
    }
  }

  void add_control(const llvm::Instruction& instruction) {
    const std::size_t node = instructions_.at(&instruction);
    if (const llvm::Instruction* const next = instruction.getNextNode()) {
      add_edge(Flow::control, node, instructions_.at(next), 0);
      return;
    }
    std::size_t position = 0;
    for (const llvm::BasicBlock* const successor : llvm::successors(&instruction)) {
      add_edge(Flow::control, node, instructions_.at(&successor->front()), position++);
    }
  }

  void add_data(const llvm::Instruction& instruction) {
    const std::size_t node = instructions_.at(&instruction);
    for (const llvm::Use& use : instruction.operands()) {
      const llvm::Value* const value = use.get();
      if (llvm::isa<llvm::BasicBlock, llvm::MetadataAsValue, llvm::InlineAsm>(value)) {
        continue;
      }
      add_edge(Flow::data, value_node(*value), node, use.getOperandNo());
    }
  }

  // Of a value that is used: made at its first use.
  std::size_t value_node(const llvm::Value& value) {
    const bool constant = llvm::isa<llvm::Constant>(value);
    auto& known = constant ? constants_ : variables_;
    const auto found = known.find(&value);
    if (found != known.end()) {
      return found->second;
    }
    std::string full_text;
    llvm::raw_string_ostream stream(full_text);
    value.printAsOperand(stream);
    stream.flush();
    const std::size_t node = add_node(constant ? NodeType::constant : NodeType::variable,
                                      printed(*value.getType()), std::move(full_text));
    known.emplace(&value, node);
    if (const auto* const maker = llvm::dyn_cast<llvm::Instruction>(&value)) {
      add_edge(Flow::data, instructions_.at(maker), node, 0);
    }
    return node;
  }

  void add_calls(const llvm::Instruction& instruction) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee != nullptr) {
      add_call(instructions_.at(&instruction), *callee);
    }
  }

  const llvm::Module& module_;
  Json nodes_ = Json::array();
  Json links_ = Json::array();
  std::size_t function_ = 0;
  std::size_t block_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> keys_;
  std::map<const llvm::Instruction*, std::size_t> instructions_;
  std::map<const llvm::Function*, std::size_t> entries_;  // first instructions
  std::map<const llvm::Function*, std::vector<std::size_t>> returns_;
  std::map<const llvm::Value*, std::size_t> variables_;
  std::map<const llvm::Value*, std::size_t> constants_;  // of the function at hand
};

}  // namespace

Result<std::string> program_graph(const llvm::Module& module) {
  return Graph(module).build();
}

}  // namespace hone
