#include "common/completion/bash_completion.h"

#include <algorithm>
#include <chrono>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

// What a real bash offers for the last of `words`, with the script of a small program loaded.
class BashCompletionTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("completion-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    app_.fallthrough();
    app_.add_option("--url", "where");
    static bool json = false;
    app_.add_flag("--json", json, "for machines");
    CLI::App* const job = app_.add_subcommand("job", "jobs");
    CLI::App* const submit = job->add_subcommand("submit", "one");
    static std::string stage;
    static std::string target;
    static std::string kind;
    static int number = 0;
    submit->add_option("target", target, "whose")->required();
    submit->add_option("kind", kind, "what")->check(CLI::IsMember({"cold", "warm"}));
    submit->add_option("-s,--stage", stage, "which")->check(CLI::IsMember({"confirm", "race"}));
    submit->add_option("--number", number, "how many");
    submit->add_option("--file", stage, "a file");
    CLI::App* const hidden = job->add_subcommand("secret", "not shown");
    hidden->group("");
    job->add_subcommand("show", "one");
    // The program itself, for what the script asks it.
    ASSERT_TRUE(write_file_atomically(
                    folder_->path() / "small-tool",
                    "#!/bin/sh\n[ \"$*\" = 'values target' ] && printf 'lz4\\nlua\\n'\n", 0755)
                    .has_value());
    ASSERT_TRUE(write_file_atomically(folder_->path() / "apple.txt", "").has_value());
  }

  Words complete(const Words& words) {
    const std::string script = bash_completion(app_, {{"target", "values target"}});
    std::string line = script + "\ncd " + folder_->path().string() + "\nCOMP_WORDS=(";
    for (const std::string& word : words) {
      line += " '" + word + "'";
    }
    line += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
            "\n_small_tool_complete\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
    const std::filesystem::path file = folder_->path() / "script.sh";
    EXPECT_TRUE(write_file_atomically(file, line).has_value());
    Command command;
    command.arguments = {"bash", "--norc", "--noprofile", file.string()};
    command.environment = {"PATH=/usr/bin:/bin"};
    command.limits.wall_time = std::chrono::seconds(20);
    const Result<RunReport> ran = run(command);
    EXPECT_TRUE(ran.has_value());
    EXPECT_EQ(ran->stderr_text, "");
    Words found;
    for (const std::string_view word : split(ran->stdout_text, '\n')) {
      if (!word.empty()) {
        found.emplace_back(word);
      }
    }
    std::ranges::sort(found);
    const auto [first, last] = std::ranges::unique(found);  // as Tab shows them
    found.erase(first, last);
    return found;
  }

  CLI::App app_{"a tool", "small-tool"};
  std::optional<TemporaryFolder> folder_;
};

TEST_F(BashCompletionTest, Commands) {
  EXPECT_EQ(complete({"small-tool", ""}), Words{"job"});
  EXPECT_EQ(complete({"small-tool", "job", ""}), (Words{"show", "submit"}))
      << "hidden ones are not";
  EXPECT_EQ(complete({"small-tool", "--json", "job", "su"}), Words{"submit"});
  EXPECT_EQ(complete({"small-tool", "--url", "job", "j"}), Words{"job"}) << "the first was a value";
}

TEST_F(BashCompletionTest, OptionsWithThoseOfTheCommandsAbove) {
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--"}),
            (Words{"--file", "--help", "--json", "--number", "--stage", "--url"}));
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--st"}), Words{"--stage"});
}

TEST_F(BashCompletionTest, Values) {
  const Words both{"confirm", "race"};
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--stage", ""}), both);
  EXPECT_EQ(complete({"small-tool", "job", "submit", "-s", "r"}), Words{"race"});
  // As bash cuts --stage=r.
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--stage", "=", "r"}), Words{"race"});
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--stage", "="}), both);
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--number", ""}), Words{});
  EXPECT_EQ(complete({"small-tool", "job", "submit", "--file", "app"}), Words{"apple.txt"});
}

TEST_F(BashCompletionTest, PositionalsByTheirPlace) {
  EXPECT_EQ(complete({"./small-tool", "job", "submit", "l"}), (Words{"lua", "lz4"}))
      << "asked of the program";
  EXPECT_EQ(complete({"./small-tool", "job", "submit", "--stage", "race", "lz4", "w"}),
            Words{"warm"});
  EXPECT_EQ(complete({"./no-such-tool", "job", "submit", "l"}), Words{}) << "an error is no word";
}

TEST_F(BashCompletionTest, TheFlagPrintsTheScriptWhateverElseIsRequired) {
  app_.require_subcommand(1);
  add_bash_completion(app_);
  try {
    app_.parse("--bash-completion", false);
    FAIL() << "goes on";
  } catch (const CLI::CallForVersion& call) {
    EXPECT_EQ(call.get_exit_code(), 0);
    EXPECT_NE(std::string(call.what()).find("complete -F _small_tool_complete small-tool"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace hone
