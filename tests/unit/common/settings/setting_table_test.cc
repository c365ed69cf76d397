#include "common/settings/setting_table.h"

#include <cstdlib>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

enum class Color { red, green };

// A small program's settings, and the ways to set them.
class SettingTableTest : public testing::Test {
 protected:
  SettingTableTest() : folder_(*TemporaryFolder::create("settings-test-")) {
    table.section("Things");
    table.add({.key = "lease_seconds", .unit = "SECONDS", .help = "How long"}, seconds,
              WholeNumbers{1, 100});
    table.add({.key = "database", .unit = "URL", .help = "Where", .secret = true}, database);
    table.add({.key = "share", .unit = "PATH", .help = "What"}, shared);
    table.add({.key = "strict", .help = "Whether"}, strict);
    table.add(
        {.key = "color", .unit = "COLOR", .help = "Which"}, color,
        std::vector<std::pair<std::string, Color>>{{"red", Color::red}, {"green", Color::green}});
  }
  ~SettingTableTest() override {
    for (const char* name :
         {"TRIAL_LEASE_SECONDS", "TRIAL_SHARE", "TRIAL_CONFIG", "TRIAL_STRICT"}) {
      unsetenv(name);
    }
  }

  std::string file(const std::string& text) {
    const std::filesystem::path path = folder_.path() / "trial.yaml";
    EXPECT_TRUE(write_file_atomically(path, text).has_value());
    return path.string();
  }

  Result<void> read(std::vector<std::string> arguments) {
    CLI::App app("A trial", "trial");
    table.add_flags(app);
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
    return table.resolve();
  }

  std::string error_of(std::vector<std::string> arguments) {
    const Result<void> done = read(std::move(arguments));
    return done ? "accepted" : done.error().describe();
  }

  TemporaryFolder folder_;
  std::int64_t seconds = 60;
  std::string database;
  std::vector<std::string> shared;
  bool strict = false;
  Color color = Color::red;
  SettingTable table{{.program = "trial",
                      .version = "1",
                      .environment_prefix = "TRIAL_",
                      .reference_intro = "A trial."}};
};

TEST_F(SettingTableTest, DefaultsStay) {
  ASSERT_TRUE(read({}).has_value());
  EXPECT_EQ(seconds, 60);
  EXPECT_FALSE(table.is_given("lease_seconds"));
}

TEST_F(SettingTableTest, AFlagBeatsTheEnvironmentWhichBeatsTheFile) {
  const std::string config = file("lease_seconds: 1\nstrict: true\ncolor: green\nshare: [a, b]\n");
  ASSERT_TRUE(read({"--config", config}).has_value());
  EXPECT_EQ(seconds, 1);
  EXPECT_TRUE(strict);
  EXPECT_EQ(color, Color::green);
  EXPECT_EQ(shared, (std::vector<std::string>{"a", "b"}));
}

TEST_F(SettingTableTest, TheEnvironmentBeatsTheFile) {
  setenv("TRIAL_CONFIG", file("lease_seconds: 1\n").c_str(), 1);
  setenv("TRIAL_LEASE_SECONDS", "2", 1);
  setenv("TRIAL_SHARE", "x, y", 1);
  ASSERT_TRUE(read({}).has_value());
  EXPECT_EQ(seconds, 2);
  EXPECT_EQ(shared, (std::vector<std::string>{"x", "y"}));
}

TEST_F(SettingTableTest, AFlagBeatsAll) {
  setenv("TRIAL_LEASE_SECONDS", "2", 1);
  setenv("TRIAL_STRICT", "true", 1);
  ASSERT_TRUE(read({"--config", file("lease_seconds: 1\n"), "--lease-seconds", "3",
                    "--strict=false", "--share", "p", "--share", "q"})
                  .has_value());
  EXPECT_EQ(seconds, 3);
  EXPECT_FALSE(strict);
  EXPECT_EQ(shared, (std::vector<std::string>{"p", "q"}));
  EXPECT_TRUE(table.is_given("lease_seconds"));
}

TEST_F(SettingTableTest, JsonIsTakenToo) {
  ASSERT_TRUE(read({"--config", file("{\"lease_seconds\": 7}")}).has_value());
  EXPECT_EQ(seconds, 7);
}

TEST_F(SettingTableTest, AnUnknownKeyIsToldWithItsLineAndTheNearestOne) {
  const std::string error = error_of({"--config", file("# mine\nlease_second: 5\n")});
  EXPECT_NE(error.find("trial.yaml line 2"), std::string::npos) << error;
  EXPECT_NE(error.find("did you mean lease_seconds?"), std::string::npos) << error;
}

TEST_F(SettingTableTest, EveryBadValueIsToldWithItsPlace) {
  setenv("TRIAL_STRICT", "perhaps", 1);
  const std::string error =
      error_of({"--config", file("color: gren\nshare: {a: 1}\n"), "--lease-seconds", "101"});
  EXPECT_NE(error.find("trial.yaml line 1: 'gren' must be one of red, green; did you mean green?"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("trial.yaml line 2: must be one value"), std::string::npos) << error;
  EXPECT_NE(error.find("environment TRIAL_STRICT: 'perhaps' must be true or false"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("flag --lease-seconds: '101' must be a whole number from 1 to 100"),
            std::string::npos)
      << error;
}

TEST_F(SettingTableTest, AFileThatIsNoneIsTold) {
  EXPECT_NE(error_of({"--config", "/nowhere/trial.yaml"}).find("/nowhere/trial.yaml"),
            std::string::npos);
  EXPECT_NE(error_of({"--config", file("- 1\n")}).find("mapping"), std::string::npos);
  EXPECT_NE(error_of({"--config", file("color: red\ncolor: green\n")}).find("line 2"),
            std::string::npos);
  EXPECT_EQ(error_of({"--config", file("# nothing yet\n")}), "accepted");
}

TEST_F(SettingTableTest, WhatIsPrintedSaysWhereEachValueIsFromAndHidesSecrets) {
  setenv("TRIAL_LEASE_SECONDS", "2", 1);
  ASSERT_TRUE(read({"--config", file("database: postgresql://u:pass@h/d\n")}).has_value());
  const std::string text = table.config_text();
  EXPECT_NE(text.find("lease_seconds: 2"), std::string::npos) << text;
  EXPECT_NE(text.find("# environment TRIAL_LEASE_SECONDS"), std::string::npos) << text;
  EXPECT_NE(text.find("trial.yaml line 1"), std::string::npos) << text;
  EXPECT_NE(text.find("color: \"red\""), std::string::npos) << text;
  EXPECT_EQ(text.find("pass"), std::string::npos) << text;
}

TEST_F(SettingTableTest, WhatIsPrintedIsAFileAgain) {
  ASSERT_TRUE(read({"--lease-seconds", "9", "--share", "a b"}).has_value());
  const std::string config = file(table.config_text());
  seconds = 0;
  shared.clear();
  ASSERT_TRUE(read({"--config", config}).has_value());
  EXPECT_EQ(seconds, 9);
  EXPECT_EQ(shared, std::vector<std::string>{"a b"});
}

// What -1 and "never" stand for is no value: it is not to be read back as one.
TEST_F(SettingTableTest, WhatADefaultStandsForIsPrintedAsAComment) {
  std::int64_t reserve = -1;
  std::int64_t idle = 0;
  std::string place = "/here";
  table.add({.key = "reserve", .help = "h", .default_text = "5 % of it"}, reserve,
            WholeNumbers{0, 100});
  table.add({.key = "idle", .help = "h", .default_text = "never"}, idle, WholeNumbers{0, 100});
  table.add({.key = "place", .help = "h", .default_text = "where it is"}, place);
  ASSERT_TRUE(read({"--lease-seconds", "9"}).has_value());
  const std::string text = table.config_text();
  EXPECT_NE(text.find("# reserve: 5 % of it"), std::string::npos) << text;
  EXPECT_NE(text.find("# place: \"/here\""), std::string::npos) << text;
  const std::string config = file(text);
  ASSERT_TRUE(read({"--config", config}).has_value()) << text;
  EXPECT_EQ(reserve, -1);
  EXPECT_FALSE(table.is_given("idle"));
}

TEST_F(SettingTableTest, EveryTextReadsBackAsItWas) {
  for (const std::string value :
       {"",     " ",    "a b",   "# no comment", "- x", "{a: 1}",         "null",
        "true", "0x10", "\"'\\", "a\tb",         "é ✓", "key: value # x", "1e3",
        "~",    "*a",   "&a",    "!t",           "%x",  "a\nb",           "\x7f"}) {
    ASSERT_TRUE(read({"--share=" + value, "--share=second"}).has_value()) << value;
    const std::vector<std::string> before = shared;
    const std::string config = file(table.config_text());
    shared.clear();
    const Result<void> again = read({"--config", config});
    ASSERT_TRUE(again.has_value()) << again.error().describe();
    EXPECT_EQ(shared, before) << value;
  }
}

TEST_F(SettingTableTest, AValuesOwnCheckTellsItsPlace) {
  std::string door = "open";
  table.add({.key = "door",
             .help = "h",
             .check = [](const std::string& text) -> Result<void> {
               if (text == "open" || text == "shut") {
                 return {};
               }
               return fail(ErrorCode::invalid_argument, "must be open or shut");
             }},
            door);
  EXPECT_EQ(error_of({"--door", "shut"}), "accepted");
  EXPECT_NE(error_of({"--config", file("door: ajar\n")}).find("trial.yaml line 1: must be open"),
            std::string::npos);
  EXPECT_EQ(door, "shut");
  EXPECT_NE(error_of({"--door", "ajar"}).find("flag --door: must be open"), std::string::npos);
}

TEST_F(SettingTableTest, WhatSettingsSayTogetherTellsThePlaceToo) {
  table.add_check([this](std::vector<FieldProblem>& problems) {
    if (strict && color == Color::red) {
      problems.push_back({"/color", "must not be red"});
    }
  });
  table.add_check([](std::vector<FieldProblem>& problems) {
    EXPECT_TRUE(problems.empty()) << "behind one that found fault";
  });
  EXPECT_NE(error_of({"--config", file("strict: true\ncolor: red\n")})
                .find("trial.yaml line 2: must not be red"),
            std::string::npos);
  EXPECT_EQ(error_of({"--color", "green"}), "accepted");
}

TEST_F(SettingTableTest, VariablesThatAreNoneOfOursAreTold) {
  setenv("TRIAL_LEASE_SECOND", "5", 1);
  setenv("TRIAL_EMPTY", "", 1);
  setenv("TRIAL_SERVICE_HOST", "10.0.0.1", 1);
  setenv("TRIAL_PORT_7077_TCP_ADDR", "10.0.0.1", 1);
  ASSERT_TRUE(read({}).has_value());
  ASSERT_EQ(table.strangers().size(), 1U);
  EXPECT_NE(table.strangers().front().find("TRIAL_LEASE_SECOND of"), std::string::npos);
  EXPECT_NE(table.strangers().front().find("did you mean TRIAL_LEASE_SECONDS?"), std::string::npos);
  EXPECT_NE(table.config_text().find("# the variable TRIAL_LEASE_SECOND"), std::string::npos);
  for (const char* name :
       {"TRIAL_LEASE_SECOND", "TRIAL_EMPTY", "TRIAL_SERVICE_HOST", "TRIAL_PORT_7077_TCP_ADDR"}) {
    unsetenv(name);
  }
}

TEST_F(SettingTableTest, TheReferenceHasEverySetting) {
  ASSERT_TRUE(read({}).has_value());
  const std::string text = table.reference_text();
  for (const char* part : {"## trial", "### Things", "`lease_seconds`", "`TRIAL_LEASE_SECONDS`",
                           "whole number, 1 to 100 (SECONDS)", "`60`", "red, green"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace hone
