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

ChoiceModel model_of(const Rule& rule) {
  ChoiceModel model;
  EXPECT_EQ(parse_choice(rule.decision.choice, model), "");
  return model;
}
ChoiceModel model_of(const Policy& policy) {
  return model_of(policy.rules.at(0));
}

Json card_of(const Policy& policy, const std::string& level = "O3") {
  return parse_json(policy.card)->at("levels").at(level);
}

TEST(ChoicePolicy, TakesWhatGainsWithinTheCompileTime) {
  const Result<Policy> policy = make_choice_policy(programs(), settings());
  ASSERT_TRUE(policy) << policy.error().describe();
  const ChoiceModel model = model_of(*policy);
  ASSERT_EQ(model.members.size(), 2U);
  EXPECT_EQ(model.members[1].pipeline, "default<O3>,function(gvn)");
  EXPECT_EQ(choose_member(model, ChoiceFeatures{}), 1U);
  EXPECT_TRUE(compile_index(*policy));
  const Json card = card_of(*policy);
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
  EXPECT_TRUE(card_of(*policy).at("members").at(1).at("failed").get<bool>());
}

TEST(ChoicePolicy, AskedForAScreeningItTakesWhatPassedOneItself) {
  ChoicePolicySettings asking = settings();
  asking.most_compile_time = 10;
  asking.most_instructions = 0.001;
  EXPECT_EQ(model_of(*make_choice_policy(programs(), asking)).members.size(), 1U)
      << "nobody screened them";
  asking.members[1].instructions = 0.001;
  asking.members[2].instructions = 0.0011;
  const Policy policy = *make_choice_policy(programs(), asking);
  EXPECT_EQ(model_of(policy).members.at(1).pipeline, "default<O3>,function(gvn)");
  EXPECT_EQ(card_of(policy).at("members").at(2).at("instructions"), 0.0011);
  EXPECT_EQ(card_of(policy).at("instructions_bound"), 0.001);
}

ChoicePolicySettings for_size() {
  ChoicePolicySettings made = settings();
  made.level = "Oz";
  made.members = {{{"default<Oz>", {}}}, {{"default<Oz>,mergefunc", {}}}};
  return made;
}

std::vector<TrainedProgram> programs_for_size() {
  std::vector<TrainedProgram> made = programs();
  for (TrainedProgram& program : made) {
    program.results.members.resize(2);
  }
  return made;
}

TEST(ChoicePolicy, EachLevelHasItsOwnRuleAndCard) {
  const Policy fast = *make_choice_policy(programs(), settings());
  const Policy small = *make_choice_policy(programs_for_size(), for_size());
  EXPECT_EQ(small.rules.at(0).levels, std::vector<std::string>{"Oz"});
  EXPECT_EQ(small.rules.at(0).decision.pipeline, "default<Oz>");
  const Result<Policy> both = with_other_levels(small, fast);
  ASSERT_TRUE(both) << both.error().describe();
  ASSERT_EQ(both->rules.size(), 2U);
  EXPECT_EQ(both->rules[0], small.rules[0]);
  EXPECT_EQ(both->rules[1], fast.rules[0]);
  EXPECT_EQ(card_of(*both, "O3"), card_of(fast));
  EXPECT_TRUE(compile_index(*both));
  // Made anew, a level's rule and card take the place of the old ones.
  ChoicePolicySettings other = for_size();
  other.members[1].note = "again";
  const Result<Policy> again =
      with_other_levels(*make_choice_policy(programs_for_size(), other), *both);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->rules.size(), 2U);
  EXPECT_EQ(card_of(*again, "Oz").at("members").at(1).at("note"), "again");
  Policy another_kind = fast;
  another_kind.card = R"({"objective": "x"})";
  EXPECT_FALSE(with_other_levels(small, another_kind));
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
  EXPECT_FALSE(read(R"json({"pipeline": "default<Oz>"},)json" + gvn)) << "it is for -O3";
  const auto screened =
      read(plain + R"json(,{"pipeline": "default<O3>,mergefunc", "instructions": 0.0009})json");
  ASSERT_TRUE(screened) << screened.error().describe();
  EXPECT_EQ(screened->at(1).instructions, 0.0009);
  EXPECT_FALSE(read(plain + "," + gvn, "hone-members/2"));
}

TEST(GeneralPolicy, IsAllowedAndNeverSawWhatItIsMeasuredOn) {
  const std::string file =
      std::string(HONE_SOURCE_DIR) + "/common/policy/policies/general-llvm-19.json";
  const Result<ParsedPolicy> parsed = parse_policy(*read_file(file, std::size_t{16} << 20U));
  ASSERT_TRUE(parsed) << parsed.error().describe();
  EXPECT_TRUE(parsed->warnings.empty());
  EXPECT_TRUE(compile_index(parsed->policy));
  for (const Rule& rule : parsed->policy.rules) {
    EXPECT_LT(model_of(rule).nodes.size(), 64U);
    EXPECT_EQ(model_of(rule).members.at(0).pipeline, "default<" + rule.levels.at(0) + ">");
    const Json card = card_of(parsed->policy, rule.levels.at(0));
    for (const Json& uri : card.at("programs")) {
      for (const char* held_out : {"/libdeflate/", "/pugixml/"}) {
        EXPECT_EQ(uri.get<std::string>().find(held_out), std::string::npos) << uri;
      }
    }
  }
}

}  // namespace
}  // namespace hone
