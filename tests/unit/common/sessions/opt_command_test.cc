#include "common/sessions/opt_command.h"

#include <gtest/gtest.h>

#include "common/pipelines/compiler_gym.h"

namespace hone {
namespace {

using Pipelines = std::vector<std::string>;

std::string refusal(std::string_view text) {
  const Result<OptCommand> command = parse_opt_command(text);
  return command ? "" : command.error().message;
}

TEST(OptCommand, CompilerGymsFlagsArePipelines) {
  const auto command = parse_opt_command("opt -sroa -licm -constmerge input.bc -o output.bc");
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->pipelines,
            (Pipelines{"function(sroa)", "function(loop-mssa(licm))", "constmerge"}));
  EXPECT_TRUE(command->remarks.empty());
  EXPECT_TRUE(parse_opt_command("opt  input.bc -o output.bc")->pipelines.empty());
}

TEST(OptCommand, NestedPipelinesAreTakenApartAtTheTop) {
  const Pipelines expected = {"function(sroa,gvn<no-pre>)", "globaldce"};
  for (const char* text :
       {"opt -passes='function(sroa,gvn<no-pre>),globaldce' input.bc -o output.bc",
        "opt -passes=function(sroa,gvn<no-pre>),globaldce input.bc -o output.bc",
        "/usr/bin/opt \"-passes=function(sroa,gvn<no-pre>),globaldce\" x -o y"}) {
    const auto command = parse_opt_command(text);
    ASSERT_TRUE(command) << command.error().message;
    EXPECT_EQ(command->pipelines, expected) << text;
  }
}

TEST(OptCommand, GoesRound) {
  for (const Pipelines& pipelines :
       {Pipelines{}, Pipelines{"function(sroa)", "function(gvn)"},
        Pipelines{"function(lower-atomic)", "default<O3>"}, Pipelines{"default<Oz>"}}) {
    EXPECT_EQ(parse_opt_command(opt_command(pipelines))->pipelines, pipelines)
        << opt_command(pipelines);
  }
}

TEST(OptCommand, EveryFlagThatIsAPassOfItsOwnGoesRound) {
  for (const CompilerGymAction& action : compiler_gym_actions()) {
    const auto pipeline = compiler_gym_pipeline(action.flag);
    if (pipeline && (pipeline->remark.empty() || pipeline->remark == "renamed")) {
      EXPECT_EQ(opt_command(Pipelines{pipeline->pipeline}),
                "opt -" + std::string(action.flag) + " input.bc -o output.bc");
    }
  }
}

TEST(OptCommand, ASubstituteIsNotWrittenAsWhatItStandsFor) {
  const auto command = parse_opt_command("opt -constprop -barrier input.bc -o output.bc");
  EXPECT_EQ(command->pipelines, Pipelines{"function(instsimplify)"});
  EXPECT_EQ(command->remarks.size(), 2U);
  EXPECT_EQ(opt_command(command->pipelines), "opt -instsimplify input.bc -o output.bc");
}

TEST(OptCommand, ErrorsNameTheWordAndWhatWouldBeRight) {
  EXPECT_NE(refusal("").find("opt FLAGS"), std::string::npos);
  EXPECT_NE(refusal("clang -sroa input.bc -o output.bc").find("'clang' must be opt"),
            std::string::npos);
  EXPECT_NE(refusal("opt -sroa input.bc").find("input.bc -o output.bc"), std::string::npos);
  EXPECT_NE(refusal("opt sroa input.bc -o output.bc").find("'sroa' must be a flag"),
            std::string::npos);
  EXPECT_NE(refusal("opt -nope input.bc -o output.bc").find("'nope'"), std::string::npos);
  EXPECT_NE(refusal("opt -sroa -passes=gvn input.bc -o output.bc").find("not both"),
            std::string::npos);
  EXPECT_NE(refusal("opt -passes='gvn input.bc -o output.bc").find("quote"), std::string::npos);
  EXPECT_NE(refusal("opt -strip input.bc -o output.bc").find("'strip'"), std::string::npos);
}

}  // namespace
}  // namespace hone
