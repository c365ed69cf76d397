#include "common/protocol/candidate.h"

#include "tests/unit/common/protocol/refusals.h"

namespace hone {
namespace {

CandidateSet two_candidates() {
  Rule rule;
  rule.source = "lib/*.c";
  rule.decision.knobs = {{"unroll-count", "4"}};
  CandidateSet set;
  set.generator = "hone 0.1";
  set.scheme = "uniform without replacement";
  set.seed = 7;
  set.candidates = {{"", 0, "knob", "-unroll-count=4", -1.5, {rule}},
                    {"", 1, "o3-mutation", "", std::nullopt, {}}};
  return set;
}

Pointers strictly(const Json& document) {
  return refused(parse_candidate_set(document, UnknownKeys::refuse));
}

TEST(CandidateSet, RoundTrips) {
  const Json sent = to_json(two_candidates());
  const Result<CandidateSet> back = parse_candidate_set(sent, UnknownKeys::refuse);
  ASSERT_TRUE(back.has_value()) << back.error().describe();
  EXPECT_EQ(to_json(*back), sent);
  EXPECT_EQ(back->candidates[0].rules, two_candidates().candidates[0].rules);
  EXPECT_EQ(back->candidates[0].log_propensity, -1.5);
}

TEST(CandidateSet, IndexIsThePlaceInTheList) {
  Json sent = with(to_json(two_candidates()), "/candidates/1/index", nullptr);
  const Result<CandidateSet> back = parse_candidate_set(sent, UnknownKeys::refuse);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->candidates[1].index, 1);
  sent["candidates"][1]["index"] = 0;
  EXPECT_EQ(strictly(sent), Pointers{"/candidates/1/index"});
}

TEST(Finalists, AreOneToThreeCandidates) {
  EXPECT_EQ(*parse_finalists(Json{{"candidates", {"a", "b"}}}),
            (std::vector<std::string>{"a", "b"}));
  for (const Json& wrong :
       {Json::object(), Json{{"candidates", Json::array()}}, Json{{"candidates", "a"}},
        Json{{"candidates", {"a", "b", "c", "d"}}}}) {
    EXPECT_EQ(refused(parse_finalists(wrong)), Pointers{"/candidates"}) << wrong;
  }
  EXPECT_EQ(refused(parse_finalists(Json{{"candidates", {"a"}}, {"winner", "a"}})),
            Pointers{"/winner"});
}

TEST(CandidateSet, InvariantsAreRefusedByPointer) {
  const Json good = to_json(two_candidates());
  const std::vector<std::pair<Json, std::string>> cases = {
      {with(good, "/generator", nullptr), "/generator"},
      {with(good, "/candidates", nullptr), "/candidates"},
      {with(good, "/candidates", Json::array()), "/candidates"},
      {with(good, "/candidates/0/log_propensity", 0.01), "/candidates/0/log_propensity"},
      {with(good, "/candidates/0/rules/0/source", nullptr), "/candidates/0/rules/0/source"},
      {with(good, "/candidates/0/rules/0/plugin", "x.so"), "/candidates/0/rules/0/plugin"},
      {with(good, "/candidates/0/odds", 1), "/candidates/0/odds"},
  };
  for (const auto& [document, pointer] : cases) {
    EXPECT_EQ(strictly(document), Pointers{pointer}) << dump_json(document);
  }
}

}  // namespace
}  // namespace hone
