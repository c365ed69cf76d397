#include "common/pipelines/forest.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

std::string canonical_text(std::string_view text) {
  const Result<Forest> forest = parse_pipeline(text);
  return forest ? print(canonical(*forest)) : forest.error().message;
}

TEST(Forest, PrintsWhatItParsed) {
  for (const char* text :
       {"", "sroa", "default<O3>", "early-cse<>", "function<eager-inv>(sroa<modify-cfg>,gvn<>)",
        "cgscc(devirt<4>(inline,function<eager-inv;no-rerun>(loop-mssa(licm<allowspeculation>))))",
        "function()"}) {
    const Result<Forest> forest = parse_pipeline(text);
    ASSERT_TRUE(forest) << forest.error().message;
    EXPECT_EQ(print(*forest), text);
    EXPECT_EQ(*parse_pipeline(print(*forest)), *forest);
  }
}

TEST(Forest, TellsAbsentFromEmptyParametersAndFromEmptyParentheses) {
  const Forest forest = *parse_pipeline("gvn,gvn<>,function()");
  ASSERT_EQ(forest.nodes.size(), 3U);
  EXPECT_EQ(forest.nodes[0].parameters, std::nullopt);
  EXPECT_EQ(forest.nodes[1].parameters, "");
  EXPECT_FALSE(forest.nodes[0].nested);
  EXPECT_TRUE(forest.nodes[2].nested);
}

TEST(Forest, KeepsBracketsWithinParameters) {
  EXPECT_EQ(parse_pipeline("require<a<b>c>")->nodes[0].parameters, "a<b>c");
}

TEST(Forest, ErrorsNameThePosition) {
  const auto message = [](std::string_view text) { return parse_pipeline(text).error().message; };
  EXPECT_THAT(message("sroa,,gvn"), testing::HasSubstr("',' at byte 6 where a pass name"));
  EXPECT_THAT(message("sroa,"), testing::HasSubstr("its end at byte 6 where a pass name"));
  EXPECT_THAT(message("function(sroa"), testing::HasSubstr("its end at byte 14"));
  EXPECT_THAT(message("sroa)"), testing::HasSubstr("')' at byte 5"));
  EXPECT_THAT(message("gvn<pre"), testing::HasSubstr("its end at byte 8 where '>'"));
  EXPECT_THAT(message("print<da><x>"), testing::HasSubstr("'<' at byte 10 where ',' or the end"));
  EXPECT_THAT(message("gvn<a,b>"), testing::HasSubstr("',' at byte 6"));
  EXPECT_THAT(message("sr oa"), testing::HasSubstr("'o' at byte 4"));
  EXPECT_THAT(message("sro\xc3\xa4"), testing::HasSubstr("outside ASCII at byte 4"));
  EXPECT_THAT(message(std::string_view("a\0b", 3)), testing::HasSubstr("byte 2"));
}

TEST(Forest, LimitsBytesDepthAndNodes) {
  const auto nest = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 1; i < depth; ++i) {
      text += "function(";
    }
    return text + "x" + std::string(depth - 1, ')');
  };
  EXPECT_TRUE(parse_pipeline(nest(kMaxPipelineDepth)));
  EXPECT_EQ(parse_pipeline(nest(kMaxPipelineDepth + 1)).error().code, ErrorCode::too_large);

  std::string nodes = "x";
  for (std::size_t i = 1; i < kMaxPipelineNodes; ++i) {
    nodes += ",x";
  }
  EXPECT_TRUE(parse_pipeline(nodes));
  EXPECT_EQ(parse_pipeline(nodes + ",x").error().code, ErrorCode::too_large);

  EXPECT_TRUE(parse_pipeline(std::string(kMaxPipelineBytes, 'x')));
  EXPECT_EQ(parse_pipeline(std::string(kMaxPipelineBytes + 1, 'x')).error().code,
            ErrorCode::too_large);
}

TEST(Forest, CanonicalFormDropsSpellingThatMeansNothing) {
  EXPECT_EQ(canonical_text(" function < eager-inv > ( sroa ,\n gvn< pre ; > ) "),
            "function<eager-inv>(sroa,gvn<pre>)");
  EXPECT_EQ(canonical_text("function(early-cse<>)"), "function(early-cse)");
  EXPECT_EQ(canonical_text("function(gvn<;>)"), "function(gvn<;>)") << "no spelling of LLVM's";
  EXPECT_EQ(canonical_text("globaldce,function(),cgscc(function(loop()))"), "globaldce");
}

TEST(Forest, CanonicalFormFlattensManagersThatLlvmFlattens) {
  EXPECT_EQ(canonical_text("function(function(a,function(b)),c)"), "function(a,b,c)");
  EXPECT_EQ(canonical_text("module(a,module(b)),c"), "a,b,c");
  EXPECT_EQ(canonical_text("cgscc(devirt<4>(cgscc(inline)))"), "cgscc(devirt<4>(inline))");
}

TEST(Forest, CanonicalFormKeepsWhatRunsInAnotherOrder) {
  for (const char* text :
       {"function(a),function(b)", "cgscc(a),cgscc(b)", "function(loop(a),loop(b))",
        "function(loop(loop(a)))", "cgscc(function(a),function(b))",
        "cgscc(function<eager-inv>(a))", "function(function<eager-inv>(a))"}) {
    EXPECT_EQ(canonical_text(text), text);
  }
}

TEST(Forest, HashIgnoresSpellingOnly) {
  EXPECT_EQ(*pipeline_hash("function( gvn<> )"), *pipeline_hash("function(gvn)"));
  EXPECT_NE(*pipeline_hash("function(gvn)"), *pipeline_hash("function(gvn<pre>)"));
  EXPECT_NE(*pipeline_hash("function(a),function(b)"), *pipeline_hash("function(a,b)"));
  EXPECT_FALSE(pipeline_hash("function("));
  EXPECT_EQ(to_hex(*pipeline_hash("default<O3>")), to_hex(hash128("default<O3>")));
}

TEST(Forest, KnowsDefaultLevels) {
  EXPECT_TRUE(is_default("default<O3>"));
  EXPECT_EQ(default_level(" default<Oz>\n"), "Oz");
  for (const char* text : {"", "default<O0>", "default<O4>", "default<>", "default", "default<O3",
                           "default<O3>,sroa", "xdefault<O3>", "default<lto>"}) {
    EXPECT_FALSE(is_default(text)) << text;
  }
}

TEST(Forest, CountsPassesNotManagers) {
  EXPECT_EQ(count_passes(*parse_pipeline("a,function(b,loop(c,d)),cgscc(e)")), 5U);
  EXPECT_EQ(count_passes(Forest()), 0U);
}

}  // namespace
}  // namespace hone
