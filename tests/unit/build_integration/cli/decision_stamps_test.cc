#include "build_integration/cli/decision_stamps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

Policy gvn_for(const std::string& source) {
  Policy policy;
  policy.rules.resize(1);
  policy.rules[0].source = source;
  policy.rules[0].decision.pipeline = "function(gvn)";
  return policy;
}

class DecisionStamps : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  TemporaryFolder folder_ = *TemporaryFolder::create("stamps");
};

TEST_F(DecisionStamps, HoldAbsoluteSourcesToo) {
  const Policy policy = gvn_for("*/gen.c");
  const Result<std::size_t> written =
      write_decision_stamps(policy, {"/b/gen.c", "a.c"}, folder_.path());
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(*written, 2U);
  EXPECT_THAT(*read_file(file("@/b/gen.c.decision"), 4096), testing::HasSubstr("function(gvn)"));
  EXPECT_EQ(*read_file(file("a.c.decision"), 4096), "");
  EXPECT_EQ(*write_decision_stamps(policy, {"/b/gen.c", "a.c"}, folder_.path()), 0U);
}

TEST_F(DecisionStamps, StayInTheirFolder) {
  for (const char* source : {"../a.c", "/../a.c", "src//a.c", "", "/"}) {
    EXPECT_EQ(write_decision_stamps(Policy(), {source}, folder_.path()).error().code,
              ErrorCode::invalid_argument)
        << source;
  }
}

}  // namespace
}  // namespace hone
