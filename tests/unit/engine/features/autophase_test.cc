#include "engine/features/autophase.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "engine/llvm/module_io.h"

namespace hone {
namespace {

// A module, and what a person counts in it for one feature.
struct Case {
  std::string_view name;
  std::string_view ir;
  std::int64_t count;
};

// A diamond: entry with two successors; x and y with one predecessor and one successor; z with two
// predecessors, none behind it.
constexpr std::string_view kDiamond =
    "define i32 @t(i1 %c) { br i1 %c, label %x, label %y x: br label %z y: br label %z "
    "z: %p = phi i32 [ 1, %x ], [ 2, %y ] ret i32 %p }";
// A loop: entry -> head (two predecessors, two successors) -> body (one each) -> head, and done.
constexpr std::string_view kLoop =
    "define void @t(i1 %c) { br label %head head: br i1 %c, label %body, label %done "
    "body: br label %head done: ret void }";
// Three ways into z, by a switch, whose edge from entry is critical (more ways out, more ways in).
constexpr std::string_view kSwitch =
    "define void @t(i32 %a) { switch i32 %a, label %z [ i32 0, label %x i32 1, label %y ] "
    "x: br label %z y: br label %z z: ret void }";
// Four phis of two values each: eight, and more than three.
constexpr std::string_view kManyPhis =
    "define i32 @t(i1 %c) { br i1 %c, label %x, label %y x: br label %z y: br label %z "
    "z: %p = phi i32 [ 1, %x ], [ 2, %y ] %q = phi i32 [ 1, %x ], [ 2, %y ] "
    "%r = phi i32 [ 1, %x ], [ 2, %y ] %s = phi i32 [ 1, %x ], [ 2, %y ] ret i32 %s }";
// Fifteen instructions in one block, with the return.
constexpr std::string_view kFifteen =
    "define i32 @t(i32 %a) { %b = add i32 %a, %a %c = add i32 %b, %a %d = add i32 %c, %a "
    "%e = add i32 %d, %a %f = add i32 %e, %a %g = add i32 %f, %a %h = add i32 %g, %a "
    "%i = add i32 %h, %a %j = add i32 %i, %a %k = add i32 %j, %a %l = add i32 %k, %a "
    "%m = add i32 %l, %a %n = add i32 %m, %a %o = add i32 %n, %a ret i32 %o }";
// Constants: 32 bits wide are 1, 0 and 7; 64 bits wide 1 and 9; one of 8 bits is 0.
constexpr std::string_view kConstants =
    "define void @t(i32 %a, i64 %b, i8 %c) { %d = add i32 %a, 1 %e = add i32 %d, 0 "
    "%f = add i32 %e, 7 %g = add i64 %b, 1 %h = add i64 %g, 9 %i = add i8 %c, 0 "
    "%j = add i8 %i, %c ret void }";
constexpr std::string_view kMemory =
    "declare void @f() declare i32 @p(...) define void @t() personality ptr @p { "
    "%a = alloca i32 %b = getelementptr i32, ptr %a, i64 1 %v = load i32, ptr %b "
    "store i32 %v, ptr %a call void @f() invoke void @f() to label %x unwind label %y "
    "x: fence seq_cst ret void y: %l = landingpad { ptr, i32 } cleanup ret void }";
// Direct calls of functions that return an integer: two. The third returns nothing, the fourth goes
// through a pointer, the fifth is an invoke.
constexpr std::string_view kCalls =
    "declare i32 @i() declare void @v() declare i32 @p(...) "
    "define void @t(ptr %q) personality ptr @p { %a = call i32 @i() %b = call i32 @i() "
    "call void @v() %c = call i32 %q() %d = invoke i32 @i() to label %x unwind label %y "
    "x: ret void y: %l = landingpad { ptr, i32 } cleanup ret void }";
// Unary to LLVM: alloca, load, zext, extractvalue. Freeze is of the class, but isa<> says no, here
// and in CompilerGym's LLVM.
constexpr std::string_view kUnary =
    "define i32 @t({i32, i32} %s) { %a = alloca i32 %v = load i32, ptr %a %z = zext i32 %v to i64 "
    "%f = freeze i64 %z %e = extractvalue {i32, i32} %s, 0 store i64 %f, ptr %a "
    "%r = add i32 %e, %v ret i32 %r }";

constexpr Case kCases[] = {
    {"BBNumArgsHi", kManyPhis, 1},
    {"BBNumArgsLo", kDiamond, 1},
    {"onePred", kDiamond, 2},
    {"onePredOneSuc", kDiamond, 2},
    {"onePredTwoSuc",
     "define void @t(i1 %c) { br label %a a: br i1 %c, label %x, label %y x: ret void y: ret void "
     "}",
     1},
    {"oneSuccessor", kDiamond, 2},
    {"twoPred", kDiamond, 1},
    {"twoPredOneSuc",
     "define void @t(i1 %c) { br i1 %c, label %x, label %y x: br label %y y: br label %z "
     "z: ret void }",
     1},
    {"twoEach", kLoop, 1},
    {"twoSuccessor", kLoop, 1},
    {"morePreds", kSwitch, 1},
    {"BB03Phi", kDiamond, 1},
    {"BBHiPhi", kManyPhis, 1},
    {"BBNoPhi", kDiamond, 3},
    {"BeginPhi", kManyPhis, 1},
    {"BranchCount", kDiamond, 3},
    {"returnInt", kCalls, 2},
    {"CriticalCount", kSwitch, 1},
    {"NumEdges", kSwitch, 5},
    // The switch's two cases are constants as well.
    {"const32Bit", kConstants, 3},
    {"const64Bit", kConstants, 2},
    {"numConstZeroes", kConstants, 2},
    {"numConstOnes", kConstants, 2},
    {"UncondBranches", kLoop, 2},
    {"binaryConstArg", kConstants, 6},
    {"NumAShrInst", "define i32 @t(i32 %a) { %b = ashr i32 %a, 3 ret i32 %b }", 1},
    {"NumAddInst", kConstants, 7},
    {"NumAllocaInst", kMemory, 1},
    {"NumAndInst", "define i32 @t(i32 %a) { %b = and i32 %a, 3 ret i32 %b }", 1},
    {"BlockMid", kFifteen, 1},
    {"BlockLow", kDiamond, 4},
    {"NumBitCastInst", "define i32 @t(float %a) { %b = bitcast float %a to i32 ret i32 %b }", 1},
    {"NumBrInst", kLoop, 3},
    {"NumCallInst", kCalls, 4},
    {"NumGetElementPtrInst", kMemory, 1},
    {"NumICmpInst", "define i1 @t(i32 %a) { %b = icmp eq i32 %a, 3 ret i1 %b }", 1},
    {"NumLShrInst", "define i32 @t(i32 %a) { %b = lshr i32 %a, 3 ret i32 %b }", 1},
    {"NumLoadInst", kMemory, 1},
    {"NumMulInst", "define i32 @t(i32 %a) { %b = mul i32 %a, 3 ret i32 %b }", 1},
    {"NumOrInst", "define i32 @t(i32 %a) { %b = or i32 %a, 3 ret i32 %b }", 1},
    {"NumPHIInst", kManyPhis, 4},
    {"NumRetInst", kMemory, 2},
    {"NumSExtInst", "define i64 @t(i32 %a) { %b = sext i32 %a to i64 ret i64 %b }", 1},
    {"NumSelectInst", "define i32 @t(i1 %c) { %b = select i1 %c, i32 1, i32 2 ret i32 %b }", 1},
    {"NumShlInst", "define i32 @t(i32 %a) { %b = shl i32 %a, 3 ret i32 %b }", 1},
    {"NumStoreInst", kMemory, 1},
    {"NumSubInst", "define i32 @t(i32 %a) { %b = sub i32 %a, 3 ret i32 %b }", 1},
    {"NumTruncInst", "define i8 @t(i32 %a) { %b = trunc i32 %a to i8 ret i8 %b }", 1},
    {"NumXorInst", "define i32 @t(i32 %a) { %b = xor i32 %a, 3 ret i32 %b }", 1},
    {"NumZExtInst", kUnary, 1},
    {"TotalBlocks", kLoop, 4},
    {"TotalInsts", kFifteen, 15},
    {"TotalMemInst", kMemory, 6},
    {"TotalFuncs", kMemory, 3},
    {"ArgsPhi", kManyPhis, 8},
    {"testUnary", kUnary, 4},
};

Result<std::int64_t> count_of(std::string_view name, std::string_view ir) {
  llvm::LLVMContext context;
  HONE_TRY(const std::unique_ptr<llvm::Module> module, read_module(ir, context));
  const auto at = std::ranges::find(kAutophaseNames, name);
  return autophase(*module)[static_cast<std::size_t>(at - kAutophaseNames.begin())];
}

class AutophaseOf : public testing::TestWithParam<Case> {};

TEST_P(AutophaseOf, IsWhatAPersonCounts) {
  const Result<std::int64_t> count = count_of(GetParam().name, GetParam().ir);
  ASSERT_TRUE(count) << count.error().describe();
  EXPECT_EQ(*count, GetParam().count);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(Each, AutophaseOf, testing::ValuesIn(kCases), name_of);

TEST(Autophase, EveryNumberHasACase) {
  ASSERT_EQ(std::size(kCases), kAutophaseSize);
  for (std::size_t i = 0; i < kAutophaseSize; ++i) {
    EXPECT_EQ(kCases[i].name, kAutophaseNames[i]) << "number " << i;
  }
}

// Where the limits lie, and what the names hide.
TEST(Autophase, CountsAsCompilerGymDoes) {
  const auto expect = [](std::string_view name, std::string_view ir, std::int64_t count) {
    const Result<std::int64_t> found = count_of(name, ir);
    ASSERT_TRUE(found) << found.error().describe();
    EXPECT_EQ(*found, count) << name << " of " << ir;
  };
  expect("BlockLow", kFifteen, 0);
  // Both cases lead to x: two edges, two predecessors.
  constexpr std::string_view kTwice =
      "define void @t(i32 %a) { switch i32 %a, label %y [ i32 0, label %x i32 1, label %x ] "
      "x: ret void y: ret void }";
  expect("twoPred", kTwice, 1);
  expect("NumEdges", kTwice, 3);
  // Case values are operands.
  expect("const32Bit", kTwice, 2);
  // A true is a constant one, of neither width.
  constexpr std::string_view kTrue = "define i1 @t() { ret i1 true }";
  expect("numConstOnes", kTrue, 1);
  expect("const32Bit", kTrue, 0);
  // The second function's body counts, the declaration's count is that of the function alone.
  expect("TotalFuncs", "declare void @d() define void @t() { ret void }", 2);
  expect("TotalBlocks", "declare void @d() define void @t() { ret void }", 1);
  // A phi that begins no block is one of the block all the same.
  expect("BeginPhi", kDiamond, 1);
  // A fence touches memory and is not counted.
  expect("TotalMemInst", "define void @t() { fence seq_cst ret void }", 0);
  // Constants that are no integers count for binary operations only.
  constexpr std::string_view kFloat =
      "define float @t(float %a) { %b = fadd float %a, 1.0 ret float %b }";
  expect("binaryConstArg", kFloat, 1);
  expect("numConstOnes", kFloat, 0);
}

}  // namespace
}  // namespace hone
