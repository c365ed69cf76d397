// A campaign that won, for the dashboard's views to be looked at: made once, through the API like
// any other.
//
// Of target and worker "viewed". Two sets of two candidates: one failed to build; the last had a
// file that fell back, won, was confirmed and is policy version 1.
#pragma once

#include <initializer_list>
#include <string>

#include "tests/unit/server/api/api_server.h"

namespace hone {

class ApiViews : public testing::Test {
 protected:
  // A note, a reason and a log that no page may take for its own.
  static constexpr const char* kScript = "<script>alert(1)</script>";

  static void SetUpTestSuite();

  static Client submitter() { return ApiServer::instance().client(Role::submitter); }
  static Client worker() { return ApiServer::instance().client(Role::worker); }

  // A view by its path below /v1/views; an empty object, and a failed test, where it is refused.
  static Json view(const std::string& path, Role role = Role::viewer);
  // The answer to a path that gives CSV.
  static RawResponse csv(const std::string& path);
  // The columns of the campaign's candidates.
  static Json candidates() { return view("campaigns/" + campaign_)["candidates"]["columns"]; }

  // Every column as long as the table says; gives its length.
  static std::size_t rows_of(const Json& table);
  // The value has what the OpenAPI document's schema of that name requires, and nothing that it
  // does not know.
  static void expect_schema(const Json& value, const std::string& name);

  static std::string campaign_;  // its id

 private:
  static void add_set(std::initializer_list<int> knobs);
  // Leases the next job and completes it with this result.
  static void measure(const Json& result);
  // A step of every campaign that is due, as the controller would make it.
  static void advance();
};

}  // namespace hone
