#include "common/search/portfolio.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"

namespace hone {
namespace {

Portfolio example() {
  Portfolio portfolio;
  portfolio.cost = "IrInstructionCount";
  portfolio.members = {{{"default<Oz>", "function(adce)"}, 0.02}, {{"function(sroa)"}, 0.03}};
  portfolio.card.made_at = "2026-11-28T12:00:00Z";
  portfolio.card.made_by = "hone-learner 0.1.0";
  portfolio.card.cpu_seconds = 12.5;
  portfolio.card.programs = {{"generator://csmith-v0/1", 0.05}, {"generator://csmith-v0/2", 0}};
  return portfolio;
}

// The problem that a document has after `change`.
std::string problem_of(void (*change)(Json&)) {
  Json document = to_json(example());
  change(document);
  const Result<Portfolio> portfolio = portfolio_from_json(document);
  return portfolio ? "" : portfolio.error().describe();
}

TEST(Portfolio, IsReadAsItWasWritten) {
  const Json document = to_json(example());
  const Result<Portfolio> read = portfolio_from_json(document);
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(to_json(*read), document);
  EXPECT_EQ(read->sequences()[1], (Sequence{"function(sroa)"}));
  EXPECT_EQ(read->card.programs[0].uri, "generator://csmith-v0/1");
}

TEST(Portfolio, WhatIsWrongIsNamed) {
  EXPECT_NE(problem_of([](Json& json) { json["format"] = "hone-portfolio/9"; }).find("format"),
            std::string::npos);
  EXPECT_NE(problem_of([](Json& json) { json["colour"] = 1; }).find("colour"), std::string::npos);
  EXPECT_NE(problem_of([](Json& json) {
              json["members"][1]["pipelines"] = Json::array();
            }).find("/members/1/pipelines"),
            std::string::npos);
  EXPECT_NE(problem_of([](Json& json) { json["members"][0]["gain"] = "much"; }).find("gain"),
            std::string::npos);
  EXPECT_NE(problem_of([](Json& json) { json.erase("card"); }).find("card"), std::string::npos);
  EXPECT_NE(problem_of([](Json& json) { json["members"] = Json::array(); }).find("members"),
            std::string::npos);
}

TEST(Portfolio, RefusesPipelinesThatMayNotBeRun) {
  const std::string unsafe =
      problem_of([](Json& json) { json["members"][1]["pipelines"] = Json::array({"iroutliner"}); });
  EXPECT_NE(unsafe.find("/members/1/pipelines"), std::string::npos) << unsafe;
  EXPECT_NE(unsafe.find("iroutliner"), std::string::npos) << unsafe;
  const std::string broken = problem_of(
      [](Json& json) { json["members"][1]["pipelines"] = Json::array({"function(sroa"}); });
  EXPECT_NE(broken.find("function(sroa"), std::string::npos) << broken;
}

TEST(Portfolio, AFileIsNamedInItsErrors) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("portfolio");
  ASSERT_TRUE(folder) << folder.error().describe();
  const std::filesystem::path file = folder->path() / "p.json";
  EXPECT_EQ(read_portfolio(file).error().code, ErrorCode::not_found);
  std::ofstream(file) << "{";
  const Result<Portfolio> read = read_portfolio(file);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().describe().find("p.json"), std::string::npos);
}

}  // namespace
}  // namespace hone
