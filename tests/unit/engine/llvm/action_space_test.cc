// The action spaces of common/pipelines against this LLVM's own parser.
#include "common/pipelines/action_space.h"

#include <gtest/gtest.h>
#include <llvm/Passes/PassBuilder.h>

#include "common/pipelines/compiler_gym.h"
#include "common/pipelines/forest.h"

namespace hone {
namespace {

bool llvm_accepts(const std::string& pipeline) {
  llvm::PassBuilder builder;
  llvm::ModulePassManager passes;
  llvm::Error error = builder.parsePassPipeline(passes, pipeline);
  const bool accepted = !error;
  llvm::consumeError(std::move(error));
  return accepted;
}

TEST(ActionSpace, EveryActionIsAPipelineOfThisLlvm) {
  const Result<ActionSpace> space = ActionSpace::create(LLVM_VERSION_MAJOR);
  ASSERT_TRUE(space) << space.error().describe();
  EXPECT_GT(space->actions().size(), 100U);
  for (const Action& action : space->actions()) {
    EXPECT_TRUE(llvm_accepts(action.pipeline)) << action.pipeline;
    const Result<Forest> forest = parse_pipeline(action.pipeline);
    ASSERT_TRUE(forest) << action.pipeline;
    EXPECT_TRUE(check_pipeline(*forest, LLVM_VERSION_MAJOR)) << action.pipeline;
  }
}

TEST(ActionSpace, AnActionIsFoundByItsName) {
  const Result<ActionSpace> space = ActionSpace::create(19);
  ASSERT_TRUE(space);
  const std::optional<std::size_t> licm = space->find("licm");
  ASSERT_TRUE(licm);
  EXPECT_EQ(space->actions()[*licm].pipeline, "function(loop-mssa(licm))");
  EXPECT_EQ(space->find("licm2"), std::nullopt);
  for (std::size_t i = 0; i < space->actions().size(); ++i) {
    EXPECT_EQ(space->find(space->actions()[i].name), i) << "names are unique";
  }
}

TEST(ActionSpace, WholePipelinesStandApart) {
  const Result<ActionSpace> space = ActionSpace::create(LLVM_VERSION_MAJOR);
  ASSERT_TRUE(space);
  for (const char* const name : {"default<O3>", "default<Oz>", "scc-oz-module-inliner"}) {
    EXPECT_EQ(space->find(name), std::nullopt) << name;
    ASSERT_NE(space->find_pipeline(name), nullptr) << name;
    EXPECT_EQ(*space->find_pipeline(name), name);
  }
  EXPECT_EQ(space->find_pipeline("default<O4>"), nullptr);
  for (const Action& whole : space->whole_pipelines()) {
    EXPECT_TRUE(llvm_accepts(whole.pipeline)) << whole.pipeline;
    const Result<Forest> forest = parse_pipeline(whole.pipeline);
    ASSERT_TRUE(forest) << whole.pipeline;
    EXPECT_TRUE(check_pipeline(*forest, LLVM_VERSION_MAJOR)) << whole.pipeline;
  }
}

// Every parameter that a pass is said to take is one that LLVM takes, one by one.
TEST(ActionSpace, APassIsChosenBeforeItsParameters) {
  const Result<ActionSpace> space = ActionSpace::create(LLVM_VERSION_MAJOR);
  ASSERT_TRUE(space);
  std::size_t tried = 0;
  for (const PassEntry* const pass : space->passes()) {
    std::vector<std::string> parameters(pass->texts.begin(), pass->texts.end());
    const std::string required(pass->required_option);
    for (const PassOption& option : pass->options) {
      const std::string name(option.name);
      const std::string before = required.empty() || name == required ? "" : required + ";";
      switch (option.kind) {
        case OptionKind::text:
          parameters.push_back(before + name);
          break;
        case OptionKind::flag:
          parameters.push_back(before + name);
          parameters.push_back(before + "no-" + name);
          break;
        case OptionKind::number:
          parameters.push_back(before + name + "=" + std::to_string(option.low));
          parameters.push_back(before + name + "=" + std::to_string(option.high));
          break;
      }
    }
    for (const std::string& text : parameters) {
      const Result<std::string> pipeline = pipeline_of(*pass, text);
      ASSERT_TRUE(pipeline) << pass->name << "<" << text << ">: " << pipeline.error().describe();
      EXPECT_TRUE(llvm_accepts(*pipeline)) << *pipeline;
      ++tried;
    }
  }
  EXPECT_GT(tried, 80U);
  const PassEntry* const gvn = find_pass("gvn", PassLevel::function, LLVM_VERSION_MAJOR);
  ASSERT_NE(gvn, nullptr);
  EXPECT_EQ(*pipeline_of(*gvn, "no-pre;load-pre"), "function(gvn<no-pre;load-pre>)");
  EXPECT_EQ(pipeline_of(*gvn, "pre=7").error().code, ErrorCode::invalid_argument);
}

TEST(ActionSpace, AnotherMajorHasItsOwn) {
  const Result<ActionSpace> old = ActionSpace::create(14);
  const Result<ActionSpace> current = ActionSpace::create(19);
  ASSERT_TRUE(old && current);
  EXPECT_FALSE(old->find("flatten-cfg"));
  EXPECT_TRUE(current->find("flatten-cfg"));
  const Result<ActionSpace> none = ActionSpace::create(3);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::unsupported);
}

TEST(CompilerGym, EveryNameIsAPipelineOfThisLlvmOrSaysWhyNot) {
  ASSERT_EQ(compiler_gym_actions().size(), 124U);
  std::size_t nothing = 0;
  std::size_t refused = 0;
  for (const CompilerGymAction& action : compiler_gym_actions()) {
    const Result<CompilerGymPipeline> found = compiler_gym_pipeline(action.flag);
    if (!found) {
      EXPECT_EQ(found.error().code, ErrorCode::unsupported) << action.flag;
      ++refused;
    } else if (found->pipeline.empty()) {
      EXPECT_FALSE(found->remark.empty()) << action.flag << " does nothing and does not say why";
      ++nothing;
    } else {
      EXPECT_TRUE(llvm_accepts(found->pipeline)) << action.flag << ": " << found->pipeline;
    }
  }
  EXPECT_EQ(nothing, 4U);
  // Unsafe or no choice: see action_exclusions.cc.
  EXPECT_LT(refused, 45U);
}

TEST(CompilerGym, ANameIsTakenWithAndWithoutItsDash) {
  const Result<CompilerGymPipeline> with = compiler_gym_pipeline("-loop-unswitch");
  const Result<CompilerGymPipeline> without = compiler_gym_pipeline("loop-unswitch");
  ASSERT_TRUE(with && without);
  EXPECT_EQ(with->pipeline, without->pipeline);
  EXPECT_EQ(with->pipeline, "function(loop(simple-loop-unswitch<nontrivial>))");
  EXPECT_EQ(compiler_gym_pipeline("-no-such-pass").error().code, ErrorCode::not_found);
}

TEST(CompilerGym, AnUnsafeOneIsRefusedWithTheReason) {
  const Result<CompilerGymPipeline> strip = compiler_gym_pipeline("-strip");
  ASSERT_FALSE(strip);
  EXPECT_EQ(strip.error().code, ErrorCode::unsupported);
  EXPECT_NE(strip.error().message.find("strip"), std::string::npos);
}

}  // namespace
}  // namespace hone
