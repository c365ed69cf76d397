// The dashboard's views, and the lists, as CSV.
#include <algorithm>

#include "tests/unit/server/api/viewed_campaign.h"

namespace hone {
namespace {

TEST_F(ApiViews, EveryTableIsACsvFile) {
  EXPECT_NE(csv("/v1/views/overview?format=csv").body.find(",best.reward.value"),
            std::string::npos);
  EXPECT_NE(csv("/v1/views/overview?format=csv&table=attention").body.find(kScript),
            std::string::npos);
  EXPECT_TRUE(csv("/v1/views/overview?format=csv&table=fleet").body.starts_with("alive,busy,"));
  const RawResponse candidates = csv("/v1/views/campaigns/" + campaign_ + "?format=csv");
  EXPECT_EQ(candidates.header("Content-Disposition"), "attachment; filename=\"candidates.csv\"");
  EXPECT_EQ(std::ranges::count(candidates.body, '\n'), 5);
  EXPECT_NE(candidates.body.find("\"'=" + std::string(kScript) + "\""), std::string::npos)
      << "a note that begins like a formula";
  EXPECT_EQ(std::ranges::count(csv("/v1/views/targets/viewed/history?format=csv").body, '\n'),
            view("targets/viewed/history")["total"].get<int>() + 1);
  EXPECT_TRUE(csv("/v1/views/fleet?format=csv&table=checks").body.starts_with("at,"));
  csv("/v1/views/policies?format=csv");
  csv("/v1/views/policies/viewed?format=csv");
  csv("/v1/views/policies/viewed?format=csv&table=diff");
  csv("/v1/views/explorer?format=csv&table=actions");
  for (const char* list : {"/v1/targets", "/v1/campaigns", "/v1/jobs", "/v1/workers",
                           "/v1/policies/viewed/versions"}) {
    EXPECT_GE(std::ranges::count(csv(std::string(list) + "?format=csv").body, '\n'), 2) << list;
  }
  csv("/v1/campaigns/" + campaign_ + "/candidates?format=csv");
  EXPECT_NE(csv("/v1/targets?limit=1&format=csv").header("Hone-Next-Cursor"), "");
}

TEST_F(ApiViews, SamplesAreWholeAndInOrder) {
  const RawResponse samples = csv("/v1/views/targets/viewed/samples?format=csv");
  EXPECT_TRUE(samples.complete);
  EXPECT_TRUE(samples.body.starts_with(
      "at,job,worker,stage,baseline,version,metric,input,pair,position,block,layout,role,value"));
  const auto results = view("targets/viewed/history")["total"].get<std::int64_t>();
  EXPECT_EQ(std::ranges::count(samples.body, '\n'), 24 * results + 1);
  const RawResponse none = csv("/v1/views/targets/viewed/samples?from=1&to=2");
  EXPECT_EQ(std::ranges::count(none.body, '\n'), 1);
}

}  // namespace
}  // namespace hone
