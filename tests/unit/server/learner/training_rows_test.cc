#include "server/learner/models/training_rows.h"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHead =
    R"({"format": "hone-rows/1", "version": 1, "features": ["a", "b"], "members": 3})"
    "\n";

class TrainingRowsTest : public testing::Test {
 protected:
  Result<TrainingRows> read(const std::string& text) {
    Result<TemporaryFolder> folder = TemporaryFolder::create("rows");
    EXPECT_TRUE(folder);
    const std::filesystem::path file = folder->path() / "rows.ndjson";
    std::ofstream(file) << text;
    return read_training_rows(file);
  }
  std::string refusal(const std::string& text) {
    const Result<TrainingRows> rows = read(text);
    return rows ? "read" : rows.error().describe();
  }
};

TEST_F(TrainingRowsTest, AreReadWithWhatBelongsTogether) {
  const auto rows = read(
      kHead +
      R"({"features": [1, 2.5], "reward": 0.5, "program": "p", "id": "x"})"
      "\n"
      R"({"features": [3, 4], "reward": -1, "program": "q"})"
      "\n"
      R"({"features": [5, 6], "reward": 0, "program": "p", "member": 2, "log_propensity": -0.5, "id": "y"})"
      "\n");
  ASSERT_TRUE(rows) << rows.error().describe();
  EXPECT_EQ(rows->rows(), 3U);
  EXPECT_THAT(rows->values(), ElementsAre(1, 2.5F, 3, 4, 5, 6));
  EXPECT_THAT(rows->groups(), ElementsAre(0, 1, 0));
  EXPECT_THAT(rows->programs(), ElementsAre("p", "q"));
  EXPECT_EQ(rows->first(), "x");
  EXPECT_EQ(rows->last(), "y");
  EXPECT_THAT(rows->decisions().error().message, HasSubstr("row 1 has no member"));
}

TEST_F(TrainingRowsTest, BecomeDecisions) {
  const auto rows =
      read(kHead + R"({"features": [1, 2], "reward": 0.5, "member": 2, "log_propensity": -0.25})"
                   "\n");
  ASSERT_TRUE(rows) << rows.error().describe();
  const auto log = rows->decisions();
  ASSERT_TRUE(log);
  EXPECT_EQ(log->actions, 3U);
  EXPECT_EQ(log->rows[0].action, 2U);
  EXPECT_EQ(log->rows[0].log_propensity, -0.25);
  EXPECT_THAT(log->rows[0].features, ElementsAre(1, 2));
}

TEST_F(TrainingRowsTest, WhatIsWrongIsNamedWithItsLine) {
  const auto row = [](const std::string& text) { return kHead + text + "\n"; };
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("{\"format\": \"hone-rows/9\"}\n"), HasSubstr("line 1: format"));
  EXPECT_THAT(refusal(row(R"({"features": [1], "reward": 0})")),
              HasSubstr("line 2: a row of 1 features: the head names 2"));
  EXPECT_THAT(refusal(row(R"({"features": [1, "2"], "reward": 0})")), HasSubstr("/features/1"));
  EXPECT_THAT(refusal(row(R"({"features": [1, 2]})")), HasSubstr("reward"));
  EXPECT_THAT(refusal(row(R"({"features": [1, 1e300], "reward": 0})")), HasSubstr("not finite"));
  EXPECT_THAT(refusal(row(R"({"features": [1, 2], "reward": 0, "member": 1})")),
              HasSubstr("log_propensity"));
  EXPECT_THAT(
      refusal(row(R"({"features": [1, 2], "reward": 0, "member": 3, "log_propensity": -1})")),
      HasSubstr("member 3 is none of the 3"));
  EXPECT_THAT(
      refusal(row(R"({"features": [1, 2], "reward": 0, "member": 1, "log_propensity": 0.1})")),
      HasSubstr("log_propensity"));
  EXPECT_THAT(refusal(row(R"({"features": [1, 2], "reward": 0, "colour": 1})")),
              HasSubstr("colour"));
}

}  // namespace
}  // namespace hone
