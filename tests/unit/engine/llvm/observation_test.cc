#include "engine/llvm/observation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "engine/llvm/function_properties.h"
#include "engine/llvm/module_io.h"
#include "engine/llvm/program_graph.h"
#include "engine/llvm/target.h"

namespace hone {
namespace {

// Two functions: a loop with a load and a call, and what is called.
constexpr std::string_view kLoop =
    "define internal i32 @g(i32 %x) { ret i32 %x } "
    "define void @f(ptr %p, i1 %c) { br label %head "
    "head: %v = load i32, ptr %p %w = call i32 @g(i32 %v) store i32 %w, ptr %p "
    "br i1 %c, label %head, label %done done: ret void }";

TEST(FunctionProperties, AreLlvmsOverAllFunctions) {
  llvm::LLVMContext context;
  const auto module = read_module(kLoop, context);
  ASSERT_TRUE(module) << module.error().describe();
  const FunctionProperties found = function_properties(**module);
  // Four blocks; head and done are reached by a condition; f is a function that others may use
  // (LLVM counts that as a use), g is used once; one call; one load; one store; depth 1; one loop;
  // 7 instructions.
  EXPECT_EQ(found, (FunctionProperties{4, 2, 2, 1, 1, 1, 1, 1, 7}));
  EXPECT_EQ(kFunctionPropertiesNames[6], "MaxLoopDepth");
}

TEST(ProgramGraph, HoldsEachNodeAndEdge) {
  llvm::LLVMContext context;
  const auto module = read_module(
      "declare void @e() define internal i32 @g(i32 %x) { %y = add i32 %x, 7 ret i32 %y } "
      "define i32 @f() { %r = call i32 @g(i32 1) call void @e() ret i32 %r }",
      context);
  ASSERT_TRUE(module) << module.error().describe();
  const Result<std::string> text = program_graph(**module);
  ASSERT_TRUE(text) << text.error().describe();
  const Result<Json> graph = parse_json(*text);
  ASSERT_TRUE(graph);
  std::vector<std::string> nodes;
  for (const Json& node : (*graph)["nodes"]) {
    EXPECT_EQ(node["id"], nodes.size());
    nodes.push_back(std::to_string(node["type"].get<int>()) + " " +
                    node["text"].get<std::string>());
  }
  EXPECT_EQ(nodes, (std::vector<std::string>{"0 [external]", "0 ; undefined function", "0 add",
                                             "0 ret", "0 call", "0 call", "0 ret",
                                             // g: x, 7, y; f: 1, g itself, e itself, r
                                             "1 i32", "2 i32", "1 i32", "2 i32", "2 ptr", "2 ptr",
                                             "1 i32"}));
  const auto edges = [&graph](int flow) {
    std::vector<std::pair<int, int>> found;
    for (const Json& link : (*graph)["links"]) {
      if (link["flow"] == flow) {
        found.emplace_back(link["source"].get<int>(), link["target"].get<int>());
      }
    }
    return found;
  };
  using Edges = std::vector<std::pair<int, int>>;
  EXPECT_EQ(edges(0), (Edges{{2, 3}, {4, 5}, {5, 6}}));
  EXPECT_EQ(edges(1),
            (Edges{{7, 2}, {8, 2}, {2, 9}, {9, 3}, {10, 4}, {11, 4}, {12, 5}, {4, 13}, {13, 6}}));
  // e may be called from elsewhere, and so may f; f calls g, which returns, and e.
  EXPECT_EQ(edges(2), (Edges{{0, 1}, {1, 0}, {0, 4}, {6, 0}, {4, 2}, {3, 4}, {5, 1}, {1, 5}}));
}

TEST(Observations, AreKeptUntilTheModuleChanges) {
  llvm::LLVMContext context;
  const auto module = read_module(kLoop, context);
  const auto machine = make_target_machine("x86_64-pc-linux-gnu");
  ASSERT_TRUE(module && machine);
  Observations observations(**module, {**machine});
  const auto first = observations.get(ObservationSpace::ir_instruction_count);
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<std::int64_t>(**first), 7);
  (*module)->getFunction("f")->deleteBody();
  EXPECT_EQ(std::get<std::int64_t>(**observations.get(ObservationSpace::ir_instruction_count)), 7);
  observations.forget({.whole = true, .functions = {}});
  EXPECT_EQ(std::get<std::int64_t>(**observations.get(ObservationSpace::ir_instruction_count)), 1);
}

}  // namespace
}  // namespace hone
