#include "build_integration/cli/compile_summary.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

TEST(CompileSummary, TunedAndPlainAreCountedWithReasons) {
  const CompileSummary summary =
      summarize_compiles(R"({"source":"a.c","tuned":true,"meant":true})"
                         "\n"
                         R"({"source":"b.c","tuned":false,"meant":true,"reason":"crashed"})"
                         "\n"
                         R"({"source":"c.c","tuned":false,"reason":"no_rule"})"
                         "\n"
                         R"({"source":"d.c","tuned":false,"reason":"no_rule"})"
                         "\n");
  EXPECT_EQ(summary.compiles, 4);
  EXPECT_EQ(summary.tuned, 1);
  EXPECT_EQ(summary.meant, 2);
  EXPECT_EQ(summary.plain_reasons.at("no_rule"), 2);
  EXPECT_EQ(summary.plain_reasons.at("crashed"), 1);
}

TEST(CompileSummary, DamagedLinesAreCountedNotFatal) {
  const CompileSummary summary =
      summarize_compiles("{\"tuned\":true}\n{\"tuned\":tr\nnot json\n[1]\n\n");
  EXPECT_EQ(summary.compiles, 1);
  EXPECT_EQ(summary.unreadable, 3);
}

TEST(CompileSummary, TextNamesReasonsAndJsonHasThem) {
  const CompileSummary summary =
      summarize_compiles("{\"tuned\":false,\"reason\":\"coroutines\"}\n");
  EXPECT_NE(print_summary(summary).find("coroutines"), std::string::npos);
  EXPECT_NE(print_summary(summary).find("1 compiles: 0 tuned, 1 plain"), std::string::npos);
  EXPECT_EQ(summary_to_json(summary)["plain_reasons"]["coroutines"], 1);
}

}  // namespace
}  // namespace hone
