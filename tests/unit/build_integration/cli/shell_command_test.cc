#include "build_integration/cli/shell_command.h"

#include <set>

#include <gtest/gtest.h>

#include "build_integration/cli/line_editor.h"
#include "build_integration/cli/session_action.h"
#include "build_integration/cli/shell_completion.h"
#include "build_integration/cli/shell_word.h"
#include "common/base/text.h"

namespace hone {
namespace {

TEST(ShellCommand, IsFoundByAnyOfItsNames) {
  EXPECT_EQ((*find_shell_command("hill_climb"))->verb, ShellVerb::hill_climb);
  EXPECT_EQ((*find_shell_command("hill-climb"))->verb, ShellVerb::hill_climb);
  EXPECT_EQ((*find_shell_command("back"))->verb, ShellVerb::undo);
  EXPECT_EQ((*find_shell_command("?"))->verb, ShellVerb::help);
  EXPECT_EQ(find_shell_command("actoin").error().message,
            "unknown command 'actoin': did you mean action? (help lists them)");
  EXPECT_EQ(find_shell_command("xyzzyplugh").error().message,
            "unknown command 'xyzzyplugh' (help lists them)");
}

TEST(ShellCommand, NoNameStandsForTwo) {
  std::set<std::string_view> names;
  for (const ShellCommand& command : shell_commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    for (const std::string_view other : split(command.other_names, ' ')) {
      EXPECT_TRUE(other.empty() || names.insert(other).second) << other;
    }
    EXPECT_LE(command.least, command.most) << command.name;
    EXPECT_EQ(command.most == 0, command.usage.empty()) << command.name;
    EXPECT_EQ(command.most == 0, command.words == ShellWords::none) << command.name;
  }
}

// The verbs of manual_env that make sense without Python and downloads.
TEST(ShellCommand, CompilerGymsAreThere) {
  for (const char* name : {"tutorial",
                           "list_datasets",
                           "list_benchmarks",
                           "set_benchmark",
                           "list_actions",
                           "action",
                           "hill_climb",
                           "try_all_actions",
                           "greedy",
                           "list_observations",
                           "observation",
                           "set_default_observation",
                           "list_rewards",
                           "reward",
                           "set_default_reward",
                           "commandline",
                           "stack",
                           "simplify_stack",
                           "reset",
                           "back",
                           "undo",
                           "exit"}) {
    EXPECT_TRUE(find_shell_command(name)) << name;
  }
}

TEST(Closest, IsTheOneWithTheFewestEditsIfItIsClose) {
  EXPECT_EQ(closest("sora", {"adce", "sroa", "sra"}), "sra");
  EXPECT_EQ(closest("simplfycfg", {"simplifycfg", "loop-simplifycfg"}), "simplifycfg");
  EXPECT_EQ(closest("qwerty", {"sroa", "gvn"}), "");
  EXPECT_EQ(closest("x", {}), "");
}

TEST(CommonBeginning, IsWhatAllBeginWith) {
  EXPECT_EQ(common_beginning({"loop-rotate", "loop-reduce", "loop-r"}), "loop-r");
  EXPECT_EQ(common_beginning({"a", "b"}), "");
  EXPECT_EQ(common_beginning({"one"}), "one");
  EXPECT_EQ(common_beginning({}), "");
}

TEST(ShellCompletions, AreWhatTheCommandTakes) {
  const ActionSpace space = *ActionSpace::create(kSessionLlvmMajor);
  const auto complete = [&](std::string_view text) {
    return shell_completions(text, {space, {"main", "mine"}, {"generator://csmith-v0"}});
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(complete("comma"), Words{"commandline"});
  EXPECT_EQ(complete("help set_b"), Words{"set_benchmark"});
  EXPECT_EQ(complete("action sroa -mem2r"), Words{"-mem2reg"});
  EXPECT_EQ(complete("step instsim"), Words{"instsimplify"});
  EXPECT_EQ(complete("observe Auto"), Words{"Autophase"});
  EXPECT_EQ(complete("reward  ObjectTextSizeL"), Words{"ObjectTextSizeLog"});
  EXPECT_EQ(complete("switch m"), (Words{"main", "mine"}));
  EXPECT_EQ(complete("set_benchmark g"), Words{"generator://csmith-v0"});
  EXPECT_EQ(complete("undo "), Words());
  EXPECT_EQ(complete("nothing a"), Words());
  EXPECT_EQ(complete("action ").size(), space.actions().size());
}

TEST(ShellWord, ErrorsNameTheWordAndTheClosest) {
  EXPECT_EQ(*number_word({}, 7), 7U);
  EXPECT_EQ(*number_word({"12"}, 7), 12U);
  for (const char* text : {"0", "-1", "x", "1x", "100001"}) {
    EXPECT_EQ(number_word({text}, 7).error().message,
              "'" + std::string(text) + "' must be a number, 1 to 100000");
  }
  EXPECT_EQ(
      observation_word("Autophse").error().message,
      "unknown observation 'Autophse': did you mean Autophase? (list_observations lists them)");
  EXPECT_EQ(reward_word("zzzzzzzzz").error().message,
            "unknown reward 'zzzzzzzzz' (list_rewards lists them)");
}

TEST(SessionAction, IsNamedInThreeWays) {
  const ActionSpace space = *ActionSpace::create(kSessionLlvmMajor);
  EXPECT_EQ(session_action(space, "licm")->pipeline, "function(loop-mssa(licm))");
  EXPECT_EQ(session_action(space, "-licm")->pipeline, "function(loop-mssa(licm))");
  EXPECT_EQ(session_action(space, "function(sroa,gvn)")->pipeline, "function(sroa,gvn)");
  EXPECT_EQ(session_action(space, "-barrier")->pipeline, "");
  EXPECT_FALSE(session_action(space, "-barrier")->remark.empty());
  EXPECT_EQ(session_action(space, "-no-such").error().code, ErrorCode::not_found);
  EXPECT_EQ(session_action(space, "-strip").error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace hone
