// Mining on two small programs with a real hone-session.
#include "server/learner/knowledge/miner.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "server/learner/knowledge/shortening.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;

// A loop whose body -Oz keeps, and calls that it does not inline.
constexpr char kProgram[] = R"(
int table[64];
static int mixed(int x) { return (x * 31 + 7) ^ (x >> 3); }
int sum(int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += mixed(table[i & 63]) + mixed(i);
  return s;
}
int main(void) { for (int i = 0; i < 64; ++i) table[i] = mixed(i); return sum(100) & 127; }
)";
constexpr char kOther[] = R"(
int find(const char* text, char wanted) {
  for (int i = 0; text[i]; ++i) if (text[i] == wanted) return i;
  return -1;
}
int twice(const char* text, char wanted) { return find(text, wanted) + find(text + 1, wanted); }
)";

class MinerTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> folder = TemporaryFolder::create("miner");
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_.emplace(*std::move(folder));
    settings_.programs = {write("a.c", kProgram), write("b.c", kOther)};
    settings_.seconds = 0.6;
    settings_.members = 4;
    settings_.lab.folder = folder_->path() / "work";
    settings_.lab.sessions = HONE_BINARY_DIR "/bin/hone-session";
    settings_.say = [this](std::string_view text) { said_.emplace_back(text); };
  }
  std::string write(const std::string& name, std::string_view text) {
    const std::filesystem::path file = folder_->path() / name;
    std::ofstream(file) << text;
    return file.string();
  }
  Result<Portfolio> mine() {
    Result<ProgramLoader> loader = ProgramLoader::create({});
    return loader ? mine_portfolio(*loader, settings_) : Result<Portfolio>(loader.error());
  }

  std::optional<TemporaryFolder> folder_;
  MinerSettings settings_;
  std::vector<std::string> said_;
};

TEST_F(MinerTest, WhatIsMinedGainsWhatItSays) {
  settings_.programs.push_back((folder_->path() / "missing.c").string());
  Result<Portfolio> portfolio = mine();
  ASSERT_TRUE(portfolio) << portfolio.error().describe();
  EXPECT_THAT(said_, Contains(HasSubstr("missing.c is left out")));
  ASSERT_FALSE(portfolio->members.empty());
  ASSERT_EQ(portfolio->card.programs.size(), 2U);
  portfolio->card.made_at = "2026-11-28T12:00:00Z";
  portfolio->card.made_by = "a test";
  const Result<Portfolio> again = portfolio_from_json(to_json(*portfolio));
  EXPECT_TRUE(again) << (again ? "" : again.error().describe());

  // Tried afresh, without the logs: the same gains.
  settings_.lab.folder = folder_->path() / "fresh";
  Result<ProgramLoader> loader = ProgramLoader::create({});
  ASSERT_TRUE(loader) << loader.error().describe();
  double mean = 0;
  for (const PortfolioProgram& trained : portfolio->card.programs) {
    Result<LabProgram> program = LabProgram::open(*loader, trained.uri, settings_.lab);
    ASSERT_TRUE(program) << program.error().describe();
    const Result<std::vector<Evaluation>> tried = program->evaluate(portfolio->sequences());
    ASSERT_TRUE(tried) << tried.error().describe();
    double best = program->oz();
    for (const Evaluation& evaluation : *tried) {
      best = std::min(best, evaluation.cost.value_or(best));
    }
    EXPECT_NEAR(trained.gain, std::log(program->oz() / best), 1e-9) << trained.uri;
    mean += trained.gain / 2;
  }
  EXPECT_NEAR(portfolio->members.back().gain, mean, 1e-9);
  EXPECT_GT(mean, 0);
}

TEST_F(MinerTest, NothingToLearnFromIsAnError) {
  settings_.programs = {(folder_->path() / "missing.c").string()};
  const Result<Portfolio> portfolio = mine();
  ASSERT_FALSE(portfolio);
  EXPECT_EQ(portfolio.error().code, ErrorCode::invalid_argument);
}

TEST_F(MinerTest, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  settings_.stop = source.get_token();
  const Result<Portfolio> portfolio = mine();
  ASSERT_FALSE(portfolio);
  EXPECT_EQ(portfolio.error().code, ErrorCode::cancelled);
}

TEST_F(MinerTest, ShorteningTakesOutWhatGainsNothing) {
  Result<ProgramLoader> loader = ProgramLoader::create({});
  ASSERT_TRUE(loader) << loader.error().describe();
  std::vector<LabProgram> programs;
  Result<LabProgram> program = LabProgram::open(*loader, settings_.programs[0], settings_.lab);
  ASSERT_TRUE(program) << program.error().describe();
  programs.push_back(*std::move(program));
  const Sequence padded = {"function(adce)", "function(adce)", "default<Oz>", "globaldce",
                           "function(adce)"};
  const Result<Sequence> shorter = shorten(padded, {padded}, programs, {1.0});
  ASSERT_TRUE(shorter) << shorter.error().describe();
  EXPECT_EQ(*shorter, (Sequence{"default<Oz>"}));
}

}  // namespace
}  // namespace hone
