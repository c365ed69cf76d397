#include "server/learner/zero_shot/choice_policy.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "common/policy/index.h"
#include "common/policy/policy_json.h"

namespace hone {
namespace {

ChoicePolicySettings settings() {
  ChoicePolicySettings made;
  made.members = {{{"default<O3>", {}}, ""},
                  {{"default<O3>,function(gvn)", {}}, "screened"},
                  {{"default<O3>", {{"unroll-runtime", "false"}}}, ""}};
  made.made_by = "test";
  return made;
}

// Member 1 makes every program 2 % smaller, member 2 one of 4 %, in twice the time.
std::vector<TrainedProgram> programs() {
  std::vector<TrainedProgram> made;
  for (int i = 0; i < 40; ++i) {
    TrainedProgram program;
    program.uri =
        "benchmark://debian-v0/p" + std::to_string(i % 8) + "/src/" + std::to_string(i) + ".c";
    program.results.features[0] = i;
    program.results.members = {{10000, 1.0}, {9800, 1.05}, {9600, 2.0}};
    made.push_back(std::move(program));
  }
  return made;
}

ChoiceModel model_of(const Policy& policy) {
  ChoiceModel model;
  EXPECT_EQ(parse_choice(policy.rules.at(0).decision.choice, model), "");
  return model;
}

TEST(ChoicePolicy, TakesWhatGainsWithinTheCompileTime) {
  const Result<Policy> policy = make_choice_policy(programs(), settings());
  ASSERT_TRUE(policy) << policy.error().describe();
  const ChoiceModel model = model_of(*policy);
  ASSERT_EQ(model.members.size(), 2U);
  EXPECT_EQ(model.members[1].pipeline, "default<O3>,function(gvn)");
  EXPECT_EQ(choose_member(model, ChoiceFeatures{}), 1U);
  EXPECT_TRUE(compile_index(*policy));
  const Json card = *parse_json(policy->card);
  EXPECT_NEAR(card.at("gain_expected").get<double>(), 0.0202, 1e-4);
  EXPECT_EQ(card.at("programs").size(), 40U);
  EXPECT_EQ(card.at("members").at(1).at("note"), "screened");
  EXPECT_EQ(card.at("members").at(2).at("member"), -1) << "it costs too much compile time";
}

TEST(ChoicePolicy, AMemberThatFailedAnywhereIsOut) {
  std::vector<TrainedProgram> all = programs();
  all[7].results.members[1].text_bytes = 0;
  const Result<Policy> policy = make_choice_policy(all, settings());
  ASSERT_TRUE(policy) << policy.error().describe();
  EXPECT_EQ(model_of(*policy).members.size(), 1U);
  EXPECT_TRUE(parse_json(policy->card)->at("members").at(1).at("failed").get<bool>());
}

TEST(ChoicePolicy, WithoutProgramsThereIsNone) {
  EXPECT_FALSE(make_choice_policy({}, settings()));
}

TEST(ChoicePolicy, KnowsFamilies) {
  EXPECT_EQ(family_of("benchmark://debian-v0/zstd/lib/a.c"), "benchmark://debian-v0/zstd");
  EXPECT_EQ(family_of("generator://csmith-v0/7"), "generator://csmith-v0");
}

TEST(Members, AreCheckedAgainstTheAllowList) {
  const TemporaryFolder folder = *TemporaryFolder::create("members-test");
  const auto read = [&](const std::string& members, const std::string& format = "hone-members/1") {
    const std::string text = "{\"format\": \"" + format + "\", \"members\": [" + members + "]}";
    EXPECT_TRUE(write_file_atomically(folder.path() / "m.json", text));
    return read_members(folder.path() / "m.json");
  };
  const std::string plain = R"json({"pipeline": "default<O3>"})json";
  const std::string gvn =
      R"json({"pipeline": "default<O3>,function(gvn)", "knobs": {"unroll-runtime": "false"}})json";
  const auto good = read(plain + "," + gvn);
  ASSERT_TRUE(good) << good.error().describe();
  EXPECT_EQ(good->at(1).member.knobs.at(0).value, "false");
  EXPECT_FALSE(read(plain + R"json(,{"pipeline": "internalize"})json"));
  EXPECT_FALSE(read(gvn + "," + plain)) << "the first is the compiler's own";
  EXPECT_FALSE(read(plain));
  EXPECT_FALSE(read(plain + "," + gvn, "hone-members/2"));
}

TEST(GeneralPolicy, IsAllowedAndNeverSawWhatItIsMeasuredOn) {
  const std::string file =
      std::string(HONE_SOURCE_DIR) + "/common/policy/policies/general-llvm-19.json";
  const Result<ParsedPolicy> parsed = parse_policy(*read_file(file, std::size_t{16} << 20U));
  ASSERT_TRUE(parsed) << parsed.error().describe();
  EXPECT_TRUE(parsed->warnings.empty());
  EXPECT_TRUE(compile_index(parsed->policy));
  EXPECT_LT(model_of(parsed->policy).nodes.size(), 64U);
  for (const Json& uri : parse_json(parsed->policy.card)->at("programs")) {
    for (const char* held_out : {"/libdeflate/", "/pugixml/"}) {
      EXPECT_EQ(uri.get<std::string>().find(held_out), std::string::npos) << uri;
    }
  }
}

}  // namespace
}  // namespace hone
