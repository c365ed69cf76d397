#include "common/pipelines/action_table.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr int kMajor = 19;

std::string refusal(std::string_view text) {
  const Result<Forest> forest = parse_pipeline(text);
  EXPECT_TRUE(forest) << text;
  const Result<void> checked = check_pipeline(*forest, kMajor);
  return checked ? "accepted" : checked.error().message;
}

TEST(ActionTable, AcceptsPassesAtTheirLevels) {
  for (const char* text :
       {"default<O3>", "default<Oz>,function(gvn)", "globaldce,function(sroa)",
        "cgscc(devirt<4>(inline,function<eager-inv;no-rerun>(sroa<modify-cfg>)))",
        "function(loop-mssa(licm<allowspeculation>,loop-rotate))",
        "function(loop(indvars,loop-rotate<no-header-duplication;no-prepare-for-lto>))",
        "function(instcombine<max-iterations=4;no-verify-fixpoint>)",
        "function(loop-unroll<O3;partial;full-unroll-max=8>)", "function(function(sroa),gvn)",
        "require<globals-aa>,function(invalidate<aa>)",
        "function(loop-vectorize<no-interleave-forced-only;no-vectorize-forced-only;>)"}) {
    EXPECT_EQ(refusal(text), "accepted") << text;
  }
}

TEST(ActionTable, RefusesUnknownAndExcludedPassesWithReasons) {
  EXPECT_THAT(refusal("function(nosuchpass)"),
              testing::AllOf(testing::HasSubstr("nosuchpass in function(...)"),
                             testing::HasSubstr("no such pass")));
  EXPECT_THAT(refusal("function(newgvn)"), testing::HasSubstr("wrong code"));
  EXPECT_THAT(refusal("iroutliner"), testing::HasSubstr("crashes"));
  EXPECT_THAT(refusal("function(dot-cfg)"), testing::HasSubstr("writes files"));
  EXPECT_THAT(refusal("embed-bitcode"), testing::HasSubstr("not allowed"));
  EXPECT_THAT(refusal("strip"), testing::HasSubstr("not allowed"));
  EXPECT_THAT(refusal("repeat<3>(function(sroa))"), testing::HasSubstr("repeat"));
}

TEST(ActionTable, RefusesWrongLevelsAndSaysTheRightOne) {
  EXPECT_THAT(refusal("sroa"), testing::HasSubstr("write function(sroa)"));
  EXPECT_THAT(refusal("inline"), testing::HasSubstr("write cgscc(inline)"));
  EXPECT_THAT(refusal("function(loop(licm))"),
              testing::AllOf(testing::HasSubstr("licm in function(loop(...))"),
                             testing::HasSubstr("write function(loop-mssa(licm))")));
  EXPECT_THAT(refusal("function(loop-mssa(indvars))"),
              testing::HasSubstr("write function(loop(indvars))"));
  EXPECT_THAT(refusal("function(globaldce)"), testing::HasSubstr("outside the adaptors"));
  EXPECT_THAT(refusal("loop(indvars)"), testing::HasSubstr("cannot stand at module level"));
  EXPECT_THAT(refusal("function(cgscc(inline))"), testing::HasSubstr("function level"));
  EXPECT_THAT(refusal("function(loop(loop(indvars)))"), testing::HasSubstr("loop level"));
  EXPECT_THAT(refusal("devirt<4>(inline)"), testing::HasSubstr("module level"));
  EXPECT_THAT(refusal("function(default<O3>)"), testing::HasSubstr("outside the adaptors"));
}

TEST(ActionTable, RefusesParametersThatAreNotListed) {
  EXPECT_THAT(refusal("function(instcombine)"), testing::HasSubstr("'no-verify-fixpoint' must"));
  EXPECT_THAT(refusal("function(instcombine<verify-fixpoint>)"), testing::HasSubstr("not allowed"));
  EXPECT_THAT(refusal("function(adce<>)"), testing::HasSubstr("no parameters"));
  EXPECT_THAT(refusal("function(simplifycfg<bonus-inst-threshold=17>)"),
              testing::HasSubstr("bonus-inst-threshold=0..16"));
  EXPECT_NE(refusal("function(simplifycfg<bonus-inst-threshold=01>)"), "accepted");
  EXPECT_NE(refusal("function(simplifycfg<bonus-inst-threshold=>)"), "accepted");
  EXPECT_NE(refusal("function(simplifycfg<bonus-inst-threshold=99999999999999>)"), "accepted");
  EXPECT_THAT(refusal("function(simplifycfg<keep-loops;no-keep-loops>)"),
              testing::HasSubstr("given twice"));
  EXPECT_NE(refusal("function(simplifycfg<;>)"), "accepted");
  EXPECT_THAT(refusal("function(sroa<cfg>)"), testing::HasSubstr("allowed: none, modify-cfg"));
  EXPECT_THAT(refusal("cgscc(devirt<9>(inline))"), testing::HasSubstr("1 to 8"));
  EXPECT_NE(refusal("cgscc(devirt(inline))"), "accepted");
  EXPECT_NE(refusal("function<no-rerun>(sroa)"), "accepted");
  EXPECT_NE(refusal("function(function<eager-inv>(sroa))"), "accepted");
  EXPECT_NE(refusal("function(loop<x>(indvars))"), "accepted");
  EXPECT_NE(refusal("require<domtree>"), "accepted");
  EXPECT_NE(refusal("default<O0>"), "accepted");
}

TEST(ActionTable, RefusesForestsThatDoNothingOrTooMuch) {
  EXPECT_THAT(refusal(""), testing::HasSubstr("empty"));
  EXPECT_THAT(refusal("function()"), testing::HasSubstr("needs passes"));
  EXPECT_THAT(refusal("function"), testing::HasSubstr("needs passes"));
  EXPECT_THAT(refusal("function(sroa(gvn))"), testing::HasSubstr("no adaptor"));
  EXPECT_EQ(refusal("default<O3>,default<O3>"), "accepted");
  EXPECT_THAT(refusal("default<O3>,default<O3>,default<O3>"), testing::HasSubstr("at most 2"));
}

TEST(ActionTable, MajorsWithoutRowsAreUnsupported) {
  EXPECT_EQ(check_pipeline(*parse_pipeline("function(sroa)"), 18).error().code,
            ErrorCode::unsupported);
  EXPECT_FALSE(has_pass_table(18));
  EXPECT_TRUE(has_pass_table(19));
}

TEST(ActionTable, EveryRowIsFoundUnderItsName) {
  for (const PassEntry& entry : pass_table()) {
    EXPECT_EQ(find_pass(entry.name, entry.level, entry.majors.first), &entry) << entry.name;
    EXPECT_EQ(find_pass(entry.name, entry.level, entry.majors.last), &entry) << entry.name;
    EXPECT_EQ(exclusion_reason(entry.name), "") << entry.name;
    EXPECT_EQ(entry.reason.empty(), entry.safety == PassSafety::searchable) << entry.name;
  }
  EXPECT_EQ(find_pass("licm", PassLevel::loop, kMajor), nullptr);
  EXPECT_NE(find_pass("loop-rotate", PassLevel::loop_mssa, kMajor), nullptr);
}

TEST(ActionTable, KnowsTheSpellingsOfOlderMajors) {
  const auto allowed = [](std::string_view text, int major) {
    return check_pipeline(*parse_pipeline(text), major).has_value();
  };
  EXPECT_TRUE(allowed("function(instcombine)", 14));
  EXPECT_FALSE(allowed("function(instcombine)", 19));
  EXPECT_FALSE(allowed("function(instcombine<no-verify-fixpoint>)", 16));
  EXPECT_TRUE(allowed("function(sroa<modify-cfg>)", 16));
  EXPECT_FALSE(allowed("function(sroa<modify-cfg>)", 15));
  EXPECT_FALSE(allowed("function(chr)", 16));   // crashes there
  EXPECT_FALSE(allowed("function(sroa)", 17));  // never tried
}

TEST(ActionTable, AcceptsTheFlattenedPipelines) {
  EXPECT_EQ(refusal(o3_pipeline(kMajor)), "accepted");
  EXPECT_EQ(refusal(oz_pipeline(kMajor)), "accepted");
  EXPECT_EQ(print(canonical(*parse_pipeline(o3_pipeline(kMajor)))), o3_pipeline(kMajor));
  EXPECT_EQ(o3_pipeline(15), "");
}

}  // namespace
}  // namespace hone
