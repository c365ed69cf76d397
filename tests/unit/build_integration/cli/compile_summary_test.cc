#include "build_integration/cli/compile_summary.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

TEST(CompileSummary, TunedAndPlainAreCountedWithReasons) {
  const CompileSummary summary = summarize_compiles(
      R"({"source":"a.c","compiled":"tuned","tuned":true,"meant":true,"reason":"none"})"
      "\n"
      R"({"source":"b.c","compiled":"failed","tuned":false,"meant":true,"reason":"crashed"})"
      "\n"
      R"({"source":"c.c","compiled":"plain","tuned":false,"meant":false,"reason":"no_rule"})"
      "\n"
      R"({"source":"d.c","compiled":"plain","tuned":false,"meant":false,"reason":"no_rule"})"
      "\n");
  EXPECT_EQ(summary.compiles, 4);
  EXPECT_EQ(summary.tuned, 1);
  EXPECT_EQ(summary.meant, 2);
  EXPECT_EQ(summary.failed, 1);
  EXPECT_EQ(summary.untuned_reasons.at("no_rule"), 2);
  EXPECT_EQ(summary.untuned_reasons.at("crashed"), 1);
}

TEST(CompileSummary, DamagedLinesAreCountedNotFatal) {
  const CompileSummary summary =
      summarize_compiles("{\"compiled\":\"tuned\"}\n{\"compiled\":\"tu\nnot json\n[1]\n\n");
  EXPECT_EQ(summary.compiles, 1);
  EXPECT_EQ(summary.unreadable, 3);
}

TEST(CompileSummary, TextNamesReasonsAndJsonHasThem) {
  const CompileSummary summary =
      summarize_compiles("{\"compiled\":\"plain\",\"reason\":\"coroutines\"}\n");
  EXPECT_NE(print_summary(summary).find("coroutines"), std::string::npos);
  EXPECT_NE(print_summary(summary).find("1 compiles: 0 tuned, 1 plain, 0 failed"),
            std::string::npos);
  EXPECT_EQ(summary_to_json(summary)["untuned_reasons"]["coroutines"], 1);
}

}  // namespace
}  // namespace hone
