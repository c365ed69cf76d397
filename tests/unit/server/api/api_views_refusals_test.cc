// The dashboard's views: who may see them, and what they refuse.
#include "tests/unit/server/api/viewed_campaign.h"

namespace hone {
namespace {

TEST_F(ApiViews, WhoIsToldWhatHeMayDo) {
  const auto may = [](Role role) {
    return ApiServer::instance().client(role).get("/v1/whoami")->at("may");
  };
  EXPECT_EQ(may(Role::admin),
            (Json{{"read", true}, {"submit", true}, {"step", true}, {"administer", true}}));
  EXPECT_EQ(may(Role::viewer),
            (Json{{"read", true}, {"submit", false}, {"step", false}, {"administer", false}}));
  EXPECT_EQ(may(Role::submitter),
            (Json{{"read", true}, {"submit", true}, {"step", true}, {"administer", false}}));
  EXPECT_EQ(may(Role::learner),
            (Json{{"read", true}, {"submit", false}, {"step", true}, {"administer", false}}));
  EXPECT_EQ(may(Role::worker),
            (Json{{"read", false}, {"submit", false}, {"step", false}, {"administer", false}}));
}

TEST_F(ApiViews, RolesAreHeldToWhatTheyMay) {
  ApiServer& server = ApiServer::instance();
  for (const char* path : {"overview", "fleet", "policies", "policies/viewed", "explorer",
                           "targets/viewed/history", "targets/viewed/samples"}) {
    const std::string target = std::string("/v1/views/") + path;
    EXPECT_EQ(server.ask("GET", target, "", "", Role::worker).status, 403) << path;
    EXPECT_EQ(server.ask_as("x", "GET", target, "").status, 401) << path;
    for (const Role role : {Role::viewer, Role::submitter, Role::learner, Role::admin}) {
      EXPECT_EQ(server.ask("GET", target, "", "", role).status, 200) << path << to_string(role);
    }
  }
  for (const char* action : {"drain", "resume", "free"}) {
    for (const Role role : {Role::viewer, Role::submitter, Role::learner, Role::worker}) {
      EXPECT_EQ(
          server.ask("POST", "/v1/workers/viewed/" + std::string(action), "", "", role).status,
          403);
    }
  }
}

TEST_F(ApiViews, BadParametersAreNamed) {
  struct Case {
    std::string path;
    std::vector<std::string> pointers;
  };
  const std::string none = "00000000-0000-4000-8000-000000000000";
  const std::vector<Case> cases = {
      {"overview?format=xml", {"/format"}},
      {"overview?format=csv&table=secrets", {"/table"}},
      {"overview?limit=1", {"/limit"}},
      {"campaigns/x", {"/id"}},
      {"campaigns/" + none + "?since=-1", {"/since"}},
      {"candidates/" + none + "?stage=final", {"/stage"}},
      {"targets/viewed/history?points=99&metric=speed&baseline=O2",
       {"/points", "/metric", "/baseline"}},
      {"targets/viewed/history?points=100001", {"/points"}},
      {"targets/viewed/history?from=9&to=8", {"/to"}},
      {"targets/viewed/history?worker=No", {"/worker"}},
      {"targets/viewed/samples?format=json", {"/format"}},
      {"policies/viewed?from=1", {"/to"}},
      {"policies/viewed?from=0&to=1", {"/from"}},
      {"explorer?program=abc", {"/program"}},
  };
  for (const Case& c : cases) {
    const RawResponse answer =
        ApiServer::instance().ask("GET", "/v1/views/" + c.path, "", "", Role::viewer);
    EXPECT_EQ(answer.status, 400) << c.path;
    EXPECT_EQ(pointers_of(problem_of(answer)), c.pointers) << c.path;
  }
  for (const std::string& path :
       {"campaigns/" + none, "candidates/" + none, "jobs/" + none,
        std::string("targets/nothing/history"), std::string("targets/nothing/samples"),
        std::string("policies/nothing"), std::string("policies/viewed?from=1&to=77"),
        "explorer?program=" + std::string(64, 'e')}) {
    EXPECT_EQ(ApiServer::instance().ask("GET", "/v1/views/" + path, "", "", Role::viewer).status,
              404)
        << path;
  }
}

}  // namespace
}  // namespace hone
