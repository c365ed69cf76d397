// Tables as CSV: shapes, quoting, and texts that a spreadsheet would run.
#include "common/json/csv_table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

std::string field(std::string_view text) {
  std::string csv;
  append_csv_text(csv, text);
  return csv;
}

TEST(CsvTable, QuotesWhatNeedsIt) {
  EXPECT_EQ(field("plain text"), "plain text");
  EXPECT_EQ(field(""), "");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(field("two\r\nlines"), "\"two\r\nlines\"");
  EXPECT_EQ(field("<script>alert(1)</script>"), "<script>alert(1)</script>");
}

TEST(CsvTable, NoTextIsAFormula) {
  EXPECT_EQ(field("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(field("+1"), "\"'+1\"");
  EXPECT_EQ(field("-unroll-count=4"), "\"'-unroll-count=4\"");
  EXPECT_EQ(field("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(field("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(field("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(field("a=1"), "a=1");
}

TEST(CsvTable, ObjectsBecomeRowsWithTheirPartsAsColumns) {
  const Json items = Json::parse(R"([
    {"id": "a", "reward": {"low": -0.5, "value": 1}, "ok": true, "list": [1, "x"]},
    {"id": "b", "reward": null, "ok": false, "list": []}])");
  EXPECT_EQ(*csv_table(items),
            "id,list,ok,reward.low,reward.value\r\n"
            "a,\"[1,\"\"x\"\"]\",true,-0.5,1\r\n"
            "b,[],false,,\r\n");
}

TEST(CsvTable, ColumnsBecomeRows) {
  const Json table = Json::parse(R"({"rows": 2, "columns": {"at": [1, 2], "note": ["=x", null]}})");
  EXPECT_EQ(*csv_table(table), "at,note\r\n1,\"'=x\"\r\n2,\r\n");
}

TEST(CsvTable, RefusesWhatIsNoTable) {
  EXPECT_FALSE(csv_table(Json(7)).has_value());
  EXPECT_FALSE(csv_table(Json::parse("[1]")).has_value());
  EXPECT_FALSE(csv_table(Json::parse(R"({"rows": 2, "columns": {"a": [1]}})")).has_value());
  EXPECT_FALSE(csv_table(Json::parse(R"({"rows": -1, "columns": {}})")).has_value());
  Json wide = Json::object();
  for (std::size_t i = 0; i <= kMaxCsvColumns; ++i) {
    wide["c" + std::to_string(i)] = 1;
  }
  EXPECT_FALSE(csv_table(Json::array({wide})).has_value());
}

TEST(CsvTable, NothingIsAHeader) {
  EXPECT_EQ(*csv_table(Json::array()), "\r\n");
  EXPECT_EQ(*csv_table(Json::parse(R"({"rows": 0, "columns": {"at": []}})")), "at\r\n");
}

}  // namespace
}  // namespace hone
