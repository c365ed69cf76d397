#include "engine/llvm/module_io.h"

#include <gtest/gtest.h>

#include "engine/llvm/llvm_error.h"
#include "engine/llvm/target.h"
#include "engine/llvm/text_size.h"

namespace hone {
namespace {

constexpr std::string_view kAnswer = "define i32 @answer() { ret i32 42 }";

TEST(ModuleIo, TextAndBitcodeAreTheSameModule) {
  llvm::LLVMContext context;
  const auto from_text = read_module(kAnswer, context);
  ASSERT_TRUE(from_text);
  const std::string bitcode = bitcode_of(**from_text);
  EXPECT_TRUE(bitcode.starts_with("BC"));
  llvm::LLVMContext other;
  const auto from_bitcode = read_module(bitcode, other);
  ASSERT_TRUE(from_bitcode);
  EXPECT_EQ(ir_text_of(**from_text), ir_text_of(**from_bitcode));
}

TEST(ModuleIo, WhatIsNoModuleIsRefusedWithTheReason) {
  llvm::LLVMContext context;
  const auto nonsense = read_module("int main() { return 0; }", context);
  ASSERT_FALSE(nonsense);
  EXPECT_EQ(nonsense.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(nonsense.error().message.find("line 1"), std::string::npos) << nonsense.error().message;
  const auto torn = read_module(std::string_view("BC\xC0\xDE garbage", 12), context);
  ASSERT_FALSE(torn);
  EXPECT_EQ(torn.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(read_module(std::string(kMaxProgramBytes + 1, ' '), context));
}

TEST(ModuleIo, AModuleThatBreaksTheRulesIsRefused) {
  llvm::LLVMContext context;
  // Text whose uses come before their definitions can be read; the verifier sees it.
  const auto broken = read_module(
      "define i32 @t(i1 %c) { br i1 %c, label %x, label %y x: %a = add i32 1, 2 br label %y "
      "y: ret i32 %a }",
      context);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("dominate"), std::string::npos) << broken.error().message;
}

TEST(ModuleIo, OptnoneIsTakenAway) {
  llvm::LLVMContext context;
  const auto module = read_module(
      "define void @t() noinline optnone { ret void } define void @u() { ret void }", context);
  ASSERT_TRUE(module);
  EXPECT_EQ(strip_optnone(**module), 1U);
  EXPECT_EQ(strip_optnone(**module), 0U);
  EXPECT_EQ(ir_text_of(**module).find("optnone"), std::string::npos);
  EXPECT_EQ(broken_rules(**module), "");
}

TEST(TextSize, IsThatOfTheCode) {
  llvm::LLVMContext context;
  const auto module = read_module(kAnswer, context);
  ASSERT_TRUE(module);
  const auto machine = make_target_machine("x86_64-pc-linux-gnu");
  ASSERT_TRUE(machine) << machine.error().describe();
  const std::string before = ir_text_of(**module);
  const Result<std::int64_t> size = object_text_bytes(**module, **machine);
  ASSERT_TRUE(size) << size.error().describe();
  // mov $42, %eax (5 bytes); ret (1 byte)
  EXPECT_EQ(*size, 6);
  EXPECT_EQ(ir_text_of(**module), before) << "the module itself stays as it was";
}

TEST(Target, OneWithoutCodeGeneratorIsRefused) {
  const auto machine = make_target_machine("nonsense-unknown-none");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace hone
