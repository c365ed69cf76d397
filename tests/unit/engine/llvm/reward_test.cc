#include "engine/llvm/reward.h"

#include <gtest/gtest.h>

#include "engine/llvm/target.h"

namespace hone {
namespace {

// Eight instructions; at any level one is left, the return of the argument plus itself... but for
// the addition: two.
const std::string kProgram =
    "define i32 @t(i32 %a) { %s = alloca i32 store i32 %a, ptr %s %x = load i32, ptr %s "
    "%y = load i32, ptr %s %z = add i32 %x, %y store i32 %z, ptr %s %r = load i32, ptr %s "
    "ret i32 %r }";

TEST(BaselineCosts, AreThoseOfThePlainPipelines) {
  const auto machine = make_target_machine("x86_64-pc-linux-gnu");
  ASSERT_TRUE(machine);
  BaselineCosts baselines(kProgram, **machine);
  const Result<RewardCosts> o3 = baselines.of({Cost::ir_instruction_count, RewardForm::o3});
  ASSERT_TRUE(o3) << o3.error().describe();
  EXPECT_EQ(o3->unoptimised, 8);
  EXPECT_EQ(o3->baseline, 2);
  const Result<RewardCosts> oz = baselines.of({Cost::object_text_size, RewardForm::oz});
  ASSERT_TRUE(oz) << oz.error().describe();
  // lea (%rdi,%rdi), %eax (3 bytes); ret (1 byte)
  EXPECT_EQ(oz->baseline, 4);
  EXPECT_GT(oz->unoptimised, 4);
}

}  // namespace
}  // namespace hone
