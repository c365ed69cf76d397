#include "server/http/router.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace hone {
namespace {

Router three_routes() {
  Router router;
  router.add({.path = "/v1/things/{id}"});
  router.add({.path = "/v1/things/special"});
  router.add({.method = HttpMethod::put, .path = "/v1/things/{id}"});
  return router;
}

TEST(Router, FillsNamesOfTheTemplate) {
  const Router router = three_routes();
  const RouteMatch match = router.find(HttpMethod::put, {"v1", "things", "a b"});
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.path_values, (std::vector<NamedValue>{{"id", "a b"}}));
}

TEST(Router, FixedSegmentBeatsName) {
  const Router router = three_routes();
  EXPECT_EQ(router.find(HttpMethod::get, {"v1", "things", "special"}).route->path,
            "/v1/things/special");
  EXPECT_EQ(router.find(HttpMethod::get, {"v1", "things", "other"}).route->path, "/v1/things/{id}");
}

TEST(Router, HeadIsAnsweredByGet) {
  const Router router = three_routes();
  const RouteMatch match = router.find(HttpMethod::head, {"v1", "things", "special"});
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->method, HttpMethod::get);
}

TEST(Router, WrongMethodTellsTheRightOnes) {
  const Router router = three_routes();
  const RouteMatch match = router.find(HttpMethod::remove, {"v1", "things", "x"});
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(match.allowed, "GET, HEAD, PUT");
}

TEST(Router, UnknownPathHasNothing) {
  const Router router = three_routes();
  for (const std::vector<std::string>& path :
       {std::vector<std::string>{}, {"v1"}, {"v1", "things"}, {"v1", "things", "x", "y"}}) {
    const RouteMatch match = router.find(HttpMethod::get, path);
    EXPECT_EQ(match.route, nullptr);
    EXPECT_EQ(match.allowed, "");
  }
}

TEST(Router, TheRootIsAPathOfItsOwn) {
  Router router = three_routes();
  router.add({.path = "/"});
  EXPECT_EQ(router.find(HttpMethod::get, {}).route->path, "/");
  EXPECT_EQ(router.find(HttpMethod::get, {"v1"}).route, nullptr);
}

TEST(Router, TheSameRouteTwiceIsABug) {
  Router router = three_routes();
  EXPECT_THROW(router.add({.path = "/v1/things/{id}"}), std::logic_error);
}

TEST(Roles, AdminMayDoEverything) {
  const Roles readers{Role::viewer, Role::submitter};
  EXPECT_TRUE(readers.contains(Role::viewer));
  EXPECT_FALSE(readers.contains(Role::worker));
  EXPECT_TRUE(readers.contains(Role::admin));
  EXPECT_TRUE(Roles{}.contains(Role::admin));
}

}  // namespace
}  // namespace hone
