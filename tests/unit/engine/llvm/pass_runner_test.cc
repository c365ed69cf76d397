#include "engine/llvm/pass_runner.h"

#include <gtest/gtest.h>
#include <llvm/IR/Instructions.h>

#include "engine/llvm/module_io.h"
#include "engine/llvm/target.h"

namespace hone {
namespace {

// One function with memory to promote and a loop, one with nothing to do, one that nobody calls.
constexpr std::string_view kProgram =
    "target triple = \"x86_64-pc-linux-gnu\" "
    "define i32 @busy(i32 %n) { entry: %s = alloca i32 store i32 0, ptr %s br label %loop "
    "loop: %i = phi i32 [ 0, %entry ], [ %next, %loop ] %a = load i32, ptr %s "
    "%b = add i32 %a, %i store i32 %b, ptr %s %next = add i32 %i, 1 "
    "%more = icmp slt i32 %next, %n br i1 %more, label %loop, label %done "
    "done: %r = load i32, ptr %s ret i32 %r } "
    "define i32 @idle(i32 %x) { ret i32 %x } "
    "define internal void @dead() { ret void }";

class PassRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto module = read_module(kProgram, context_);
    ASSERT_TRUE(module) << module.error().describe();
    module_ = *std::move(module);
    auto machine = make_target_machine("x86_64-pc-linux-gnu");
    ASSERT_TRUE(machine);
    machine_ = *std::move(machine);
    runner_.emplace(*module_, *machine_);
  }
  ModuleChanges run(const std::string& pipeline) {
    const Result<ModuleChanges> changes = runner_->run(pipeline);
    EXPECT_TRUE(changes) << changes.error().describe();
    return changes ? *changes : ModuleChanges();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::optional<PassRunner> runner_;
};

TEST_F(PassRunnerTest, NamesTheFunctionsThatFunctionAndLoopPassesChange) {
  const ModuleChanges promoted = run("function(sroa)");
  EXPECT_FALSE(promoted.whole);
  EXPECT_EQ(promoted.functions, (std::set<llvm::Function*>{module_->getFunction("busy")}));
  const ModuleChanges again = run("function(sroa)");
  EXPECT_FALSE(again.any());
  const ModuleChanges looped = run("function(loop(indvars))");
  EXPECT_FALSE(looped.whole);
  for (const llvm::Function* const function : looped.functions) {
    EXPECT_EQ(function->getName(), "busy");
  }
}

TEST_F(PassRunnerTest, APassThatWorksOnTheWholeChangesTheWhole) {
  const ModuleChanges changes = run("globaldce");
  EXPECT_TRUE(changes.whole);
  EXPECT_TRUE(changes.functions.empty());
  EXPECT_EQ(module_->getFunction("dead"), nullptr);
  EXPECT_FALSE(run("globaldce").any());
  EXPECT_TRUE(run("default<O3>").any());
}

TEST_F(PassRunnerTest, WhatIsNoPipelineIsRefused) {
  const Result<ModuleChanges> refused = runner_->run("no-such-pass");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
}

TEST_F(PassRunnerTest, ABrokenFunctionIsFoundByItself) {
  llvm::Function* const idle = module_->getFunction("idle");
  EXPECT_EQ(broken_rules(*idle), "");
  idle->getEntryBlock().getTerminator()->eraseFromParent();
  EXPECT_NE(broken_rules(*idle), "");
  EXPECT_EQ(broken_rules(*module_->getFunction("busy")), "");
  EXPECT_NE(broken_rules(*module_), "");
  // LLVM must not meet it again.
  llvm::ReturnInst::Create(context_, idle->getArg(0), &idle->getEntryBlock());
}

}  // namespace
}  // namespace hone
