#include "common/policy/decision_files.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/policy/index.h"

namespace hone {
namespace {

class DecisionFiles : public testing::Test {
 protected:
  std::size_t write(const Policy& policy) {
    const auto written =
        write_decision_files(policy, {"src/a.cc", "src/b.cc", "main.c"}, folder_.path());
    EXPECT_TRUE(written.has_value()) << written.error().describe();
    return written.has_value() ? *written : 0;
  }

  // The pipeline a file decides for its source; "" without a rule.
  std::string decided(const std::string& source) {
    const auto index = PolicyIndex::open(folder_.path() / decision_file_name(source));
    EXPECT_TRUE(index.has_value()) << index.error().describe();
    const auto found = index->find({source, "x.o", "", "O3", "clang", 19});
    return found.has_value() && found->has_value() ? (*found)->decision.pipeline : "";
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("decision-files-test");
};

Policy two_rules() {
  Policy policy;
  policy.rules.resize(2);
  policy.rules[0].source = "src/a.cc";
  policy.rules[0].decision.pipeline = "function(gvn)";
  policy.rules[1].source = "src/*";
  policy.rules[1].decision.pipeline = "function(sroa)";
  return policy;
}

TEST_F(DecisionFiles, HoldTheDecisionOfTheirSource) {
  EXPECT_EQ(write(two_rules()), 3U);
  EXPECT_EQ(decided("src/a.cc"), "function(gvn)");
  EXPECT_EQ(decided("src/b.cc"), "function(sroa)");
  EXPECT_EQ(decided("main.c"), "");
}

TEST_F(DecisionFiles, OnlyThoseWhoseDecisionChangedAreTouched) {
  Policy policy = two_rules();
  write(policy);
  EXPECT_EQ(write(policy), 0U);
  policy.sequence = 9;  // a new publication that decides the same
  policy.created_at = 1;
  policy.expires_at = 99;
  policy.commit = "new";
  policy.compiler.version = "19.1.8";
  EXPECT_EQ(write(policy), 0U);
  policy.rules[0].decision.knobs = {{"unroll-count", "4"}};
  EXPECT_EQ(write(policy), 1U);
  policy.rules[1].source = "src/b*";  // another pattern, the same decision
  policy.rules.push_back(policy.rules[1]);
  policy.rules.back().source = "*.c";
  EXPECT_EQ(write(policy), 1U);  // main.c; the rule that a.cc lost never governed it
}

TEST_F(DecisionFiles, SourceThatLostItsRuleOrItsPlaceInTheListBecomesPlain) {
  write(two_rules());
  Policy policy = two_rules();
  policy.rules.erase(policy.rules.begin());
  policy.rules[0].source = "src/b.cc";
  ASSERT_TRUE(write_decision_files(policy, {"src/b.cc"}, folder_.path()).has_value());
  EXPECT_EQ(decided("src/a.cc"), "");
  EXPECT_EQ(decided("src/b.cc"), "function(sroa)");
}

TEST_F(DecisionFiles, ForbiddenDecisionWritesNothing) {
  Policy policy = two_rules();
  policy.rules[1].decision.pipeline = "function(no-such-pass)";
  const auto written = write_decision_files(policy, {"src/a.cc"}, folder_.path());
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "src/a.cc.hone"));
}

TEST_F(DecisionFiles, SourcesOutsideOfTheRootAreRefused) {
  for (const char* source : {"/etc/passwd", "../x.cc", "a/../../x.cc", "", "a//b.cc"}) {
    EXPECT_FALSE(write_decision_files(two_rules(), {"ok.cc", source}, folder_.path()).has_value())
        << source;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "ok.cc.hone"));
}

}  // namespace
}  // namespace hone
