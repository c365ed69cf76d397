#include "engine/features/inst_count.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/llvm/module_io.h"

namespace hone {
namespace {

// A module, and how often it holds one kind. Counted by hand.
struct Case {
  std::string_view name;
  std::string_view ir;
  std::int64_t count;
};

constexpr Case kCases[] = {
    {"TotalInsts", "define i32 @t(i32 %a) { %b = add i32 %a, 1 %c = mul i32 %b, %b ret i32 %c }",
     3},
    {"TotalBlocks",
     "define void @t(i1 %c) { br i1 %c, label %x, label %y x: br label %y y: ret void }", 3},
    {"TotalFuncs", "declare void @d() declare void @e() define void @t() { ret void }", 3},
    {"Ret", "define void @t(i1 %c) { br i1 %c, label %x, label %y x: ret void y: ret void }", 2},
    {"Br", "define void @t(i1 %c) { br i1 %c, label %x, label %y x: br label %y y: ret void }", 2},
    {"Switch",
     "define void @t(i32 %a) { switch i32 %a, label %x [ i32 0, label %x i32 1, label %x ] x: ret "
     "void }",
     1},
    {"IndirectBr", "define void @t(ptr %p) { indirectbr ptr %p, [label %x] x: ret void }", 1},
    {"Invoke",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %l = landingpad { ptr, i32 } cleanup ret void }",
     1},
    {"Resume",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %l = landingpad { ptr, i32 } cleanup resume { ptr, i32 } %l }",
     1},
    {"Unreachable", "define void @t() { unreachable }", 1},
    {"CleanupRet",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %c = cleanuppad within none [] cleanupret from %c unwind to caller }",
     1},
    {"CatchRet",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %s = catchswitch within none [label %h] unwind to caller h: %c = catchpad "
     "within %s [] "
     "catchret from %c to label %x }",
     1},
    {"CatchSwitch",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %s = catchswitch within none [label %h] unwind to caller h: %c = catchpad "
     "within %s [] "
     "catchret from %c to label %x }",
     1},
    {"CallBr",
     "define void @t() { callbr void asm sideeffect \"\", \"!i\"() to label %x [label %y] x: ret "
     "void y: ret void }",
     1},
    {"FNeg", "define float @t(float %a) { %b = fneg float %a ret float %b }", 1},
    {"Add", "define i32 @t(i32 %a) { %b = add i32 %a, 1 %c = add i32 %b, %a ret i32 %c }", 2},
    {"FAdd", "define float @t(float %a) { %b = fadd float %a, %a ret float %b }", 1},
    {"Sub", "define i32 @t(i32 %a) { %b = sub i32 %a, 1 ret i32 %b }", 1},
    {"FSub", "define float @t(float %a) { %b = fsub float %a, %a ret float %b }", 1},
    {"Mul", "define i32 @t(i32 %a) { %b = mul i32 %a, 3 ret i32 %b }", 1},
    {"FMul", "define float @t(float %a) { %b = fmul float %a, %a ret float %b }", 1},
    {"UDiv", "define i32 @t(i32 %a) { %b = udiv i32 %a, 3 ret i32 %b }", 1},
    {"SDiv", "define i32 @t(i32 %a) { %b = sdiv i32 %a, 3 ret i32 %b }", 1},
    {"FDiv", "define float @t(float %a) { %b = fdiv float %a, %a ret float %b }", 1},
    {"URem", "define i32 @t(i32 %a) { %b = urem i32 %a, 3 ret i32 %b }", 1},
    {"SRem", "define i32 @t(i32 %a) { %b = srem i32 %a, 3 ret i32 %b }", 1},
    {"FRem", "define float @t(float %a) { %b = frem float %a, %a ret float %b }", 1},
    {"Shl", "define i32 @t(i32 %a) { %b = shl i32 %a, 3 ret i32 %b }", 1},
    {"LShr", "define i32 @t(i32 %a) { %b = lshr i32 %a, 3 ret i32 %b }", 1},
    {"AShr", "define i32 @t(i32 %a) { %b = ashr i32 %a, 3 ret i32 %b }", 1},
    {"And", "define i32 @t(i32 %a) { %b = and i32 %a, 3 ret i32 %b }", 1},
    {"Or", "define i32 @t(i32 %a) { %b = or i32 %a, 3 ret i32 %b }", 1},
    {"Xor", "define i32 @t(i32 %a) { %b = xor i32 %a, 3 ret i32 %b }", 1},
    {"Alloca", "define void @t() { %a = alloca i32 %b = alloca i8 ret void }", 2},
    {"Load", "define i32 @t(ptr %p) { %a = load i32, ptr %p ret i32 %a }", 1},
    {"Store", "define void @t(ptr %p) { store i32 1, ptr %p ret void }", 1},
    {"GetElementPtr", "define ptr @t(ptr %p) { %a = getelementptr i32, ptr %p, i64 2 ret ptr %a }",
     1},
    {"Fence", "define void @t() { fence seq_cst ret void }", 1},
    {"AtomicCmpXchg",
     "define void @t(ptr %p) { %a = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst ret void }", 1},
    {"AtomicRMW", "define void @t(ptr %p) { %a = atomicrmw add ptr %p, i32 1 seq_cst ret void }",
     1},
    {"Trunc", "define i8 @t(i32 %a) { %b = trunc i32 %a to i8 ret i8 %b }", 1},
    {"ZExt", "define i64 @t(i32 %a) { %b = zext i32 %a to i64 ret i64 %b }", 1},
    {"SExt", "define i64 @t(i32 %a) { %b = sext i32 %a to i64 ret i64 %b }", 1},
    {"FPToUI", "define i32 @t(float %a) { %b = fptoui float %a to i32 ret i32 %b }", 1},
    {"FPToSI", "define i32 @t(float %a) { %b = fptosi float %a to i32 ret i32 %b }", 1},
    {"UIToFP", "define float @t(i32 %a) { %b = uitofp i32 %a to float ret float %b }", 1},
    {"SIToFP", "define float @t(i32 %a) { %b = sitofp i32 %a to float ret float %b }", 1},
    {"FPTrunc", "define float @t(double %a) { %b = fptrunc double %a to float ret float %b }", 1},
    {"FPExt", "define double @t(float %a) { %b = fpext float %a to double ret double %b }", 1},
    {"PtrToInt", "define i64 @t(ptr %a) { %b = ptrtoint ptr %a to i64 ret i64 %b }", 1},
    {"IntToPtr", "define ptr @t(i64 %a) { %b = inttoptr i64 %a to ptr ret ptr %b }", 1},
    {"BitCast", "define i32 @t(float %a) { %b = bitcast float %a to i32 ret i32 %b }", 1},
    {"AddrSpaceCast",
     "define ptr addrspace(1) @t(ptr %a) { %b = addrspacecast ptr %a to ptr addrspace(1) ret ptr "
     "addrspace(1) %b }",
     1},
    {"CleanupPad",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %c = cleanuppad within none [] cleanupret from %c unwind to caller }",
     1},
    {"CatchPad",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %s = catchswitch within none [label %h] unwind to caller h: %c = catchpad "
     "within %s [] "
     "catchret from %c to label %x }",
     1},
    {"ICmp", "define i1 @t(i32 %a) { %b = icmp eq i32 %a, 3 ret i1 %b }", 1},
    {"FCmp", "define i1 @t(float %a) { %b = fcmp oeq float %a, %a ret i1 %b }", 1},
    {"PHI",
     "define i32 @t(i1 %c) { br i1 %c, label %x, label %y x: br label %z y: br label %z "
     "z: %p = phi i32 [ 1, %x ], [ 2, %y ] %q = phi i32 [ 3, %x ], [ 4, %y ] ret i32 %q }",
     2},
    {"Call",
     "declare void @f() declare void @llvm.donothing() define void @t() { call void @f() call void "
     "@llvm.donothing() ret void }",
     2},
    {"Select", "define i32 @t(i1 %c) { %b = select i1 %c, i32 1, i32 2 ret i32 %b }", 1},
    // Nothing that LLVM builds has these.
    {"UserOp1", "define void @t() { ret void }", 0},
    {"UserOp2", "define void @t() { ret void }", 0},
    {"VAArg", "define i32 @t(ptr %p) { %a = va_arg ptr %p, i32 ret i32 %a }", 1},
    {"ExtractElement",
     "define i32 @t(<2 x i32> %v) { %a = extractelement <2 x i32> %v, i32 0 ret i32 %a }", 1},
    {"InsertElement",
     "define <2 x i32> @t(<2 x i32> %v) { %a = insertelement <2 x i32> %v, i32 1, i32 0 ret <2 x "
     "i32> %a }",
     1},
    {"ShuffleVector",
     "define <2 x i32> @t(<2 x i32> %v) { %a = shufflevector <2 x i32> %v, <2 x i32> %v, <2 x i32> "
     "<i32 0, i32 2> ret <2 x i32> %a }",
     1},
    {"ExtractValue",
     "define i32 @t({i32, i32} %v) { %a = extractvalue {i32, i32} %v, 0 ret i32 %a }", 1},
    {"InsertValue",
     "define {i32, i32} @t({i32, i32} %v) { %a = insertvalue {i32, i32} %v, i32 1, 0 ret {i32, "
     "i32} %a }",
     1},
    {"LandingPad",
     "declare i32 @p(...) declare void @f() define void @t() personality ptr @p { invoke void @f() "
     "to label %x unwind label %y "
     "x: ret void y: %l = landingpad { ptr, i32 } cleanup ret void }",
     1},
    {"Freeze", "define i32 @t(i32 %a) { %b = freeze i32 %a ret i32 %b }", 1},
};

class InstCountOf : public testing::TestWithParam<Case> {};

TEST_P(InstCountOf, IsWhatAPersonCounts) {
  const Case& known = GetParam();
  llvm::LLVMContext context;
  const Result<std::unique_ptr<llvm::Module>> module = read_module(known.ir, context);
  ASSERT_TRUE(module) << module.error().describe();
  const InstCount counts = inst_count(**module);
  const auto name = std::ranges::find(kInstCountNames, known.name);
  ASSERT_NE(name, kInstCountNames.end());
  EXPECT_EQ(counts[static_cast<std::size_t>(name - kInstCountNames.begin())], known.count);
  std::int64_t opcodes = 0;
  for (std::size_t i = 3; i < counts.size(); ++i) {
    opcodes += counts[i];
  }
  EXPECT_EQ(opcodes, counts[0]) << "every instruction counts for one opcode";
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(Each, InstCountOf, testing::ValuesIn(kCases), name_of);

TEST(InstCount, EveryNumberHasACase) {
  ASSERT_EQ(std::size(kCases), kInstCountSize);
  for (std::size_t i = 0; i < kInstCountSize; ++i) {
    EXPECT_EQ(kCases[i].name, kInstCountNames[i]) << "number " << i;
  }
}

TEST(InstCount, NormLeavesTheTotalOutAndDividesByIt) {
  InstCount counts{};
  counts[0] = 4;
  counts[1] = 2;
  counts[69] = 1;
  const auto norm = inst_count_norm(counts);
  EXPECT_EQ(norm.size(), 69U);
  EXPECT_DOUBLE_EQ(norm[0], 0.5);
  EXPECT_DOUBLE_EQ(norm[68], 0.25);
  EXPECT_DOUBLE_EQ(inst_count_norm(InstCount{})[0], 0);
}

}  // namespace
}  // namespace hone
