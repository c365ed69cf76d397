#include "build_integration/cli/race_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

// Twenty candidates of which the last one miscompiled.
Race twenty() {
  Race race;
  race.runs = 321;
  for (std::size_t i = 0; i < 19; ++i) {
    race.entries.push_back({18 - i, Outcome::ok, "", 32, 0.02 - 0.001 * static_cast<double>(i)});
  }
  race.entries.push_back({19, Outcome::miscompiled, "other output", 0, 0});
  return race;
}

std::vector<std::string> commands() {
  std::vector<std::string> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back("./app" + std::to_string(i) + ";");
  }
  return all;
}

TEST(RaceReport, TheFirstOfTheRaceAndAllFailures) {
  const std::string text = race_text(twenty(), commands());
  EXPECT_THAT(text, HasSubstr("20 candidates, 321 samples"));
  EXPECT_THAT(text, HasSubstr("+2.0 %      32  ./app18;"));
  EXPECT_THAT(text, HasSubstr("./app7;"));
  EXPECT_THAT(text, Not(HasSubstr("./app6;")));
  EXPECT_THAT(text, HasSubstr("and 7 more"));
  EXPECT_THAT(text, HasSubstr("./app19;: miscompiled (other output)"));
}

TEST(RaceReport, JsonHasAllInTheirOrder) {
  const Json document = race_json(twenty(), commands());
  EXPECT_EQ(document["runs"], 321);
  ASSERT_EQ(document["entries"].size(), 20U);
  EXPECT_EQ(document["entries"][0]["candidate"], 18);
  EXPECT_EQ(document["entries"][0]["command"], "./app18;");
  EXPECT_EQ(document["entries"][0]["reward"], 0.02);
  EXPECT_EQ(document["entries"][19]["outcome"], "miscompiled");
  EXPECT_TRUE(document["entries"][19]["reward"].is_null());
}

}  // namespace
}  // namespace hone
