#include "server/api/request_values.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Request request_with(std::vector<NamedValue> query, std::vector<NamedValue> path = {}) {
  Request request;
  request.query = std::move(query);
  request.path_values = std::move(path);
  return request;
}

TEST(RequestValues, ReadsWhatIsRight) {
  const Request request = request_with({{"limit", "7"},
                                        {"cursor", "abc"},
                                        {"samples", "1"},
                                        {"state", "queued"},
                                        {"job", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"}},
                                       {{"n", "12"}});
  RequestValues values(request);
  const PageRequest page = values.page();
  EXPECT_EQ(page.limit, 7);
  EXPECT_EQ(page.cursor, "abc");
  EXPECT_TRUE(values.flag("samples"));
  EXPECT_EQ(values.one_of("state", parse_job_state, kJobStateChoices), JobState::queued);
  EXPECT_TRUE(values.uuid("job"));
  EXPECT_EQ(values.path_version("n"), 12);
  EXPECT_FALSE(values.name("target"));
  EXPECT_FALSE(values.error());
}

TEST(RequestValues, NamesEverythingThatIsWrong) {
  const Request request = request_with({{"limit", "1001"},
                                        {"samples", "yes"},
                                        {"state", "lost"},
                                        {"job", "7"},
                                        {"target", "../x"},
                                        {"version", "1x"}},
                                       {{"id", "nonsense"}, {"sha256", "ABC"}, {"n", "0"}});
  RequestValues values(request);
  values.page();
  values.flag("samples");
  values.one_of("state", parse_job_state, kJobStateChoices);
  values.uuid("job");
  values.name("target");
  values.number("version", 1, 10);
  values.path_uuid("id");
  values.path_sha256("sha256");
  values.path_version("n");
  const std::optional<Error> error = values.error();
  ASSERT_TRUE(error);
  std::vector<std::string> pointers;
  for (const FieldProblem& field : error->fields) {
    pointers.push_back(field.pointer);
  }
  EXPECT_EQ(pointers, (std::vector<std::string>{"/limit", "/samples", "/state", "/job", "/target",
                                                "/version", "/id", "/sha256", "/n"}));
}

TEST(RequestValues, AVersionBeyondWhatTheStoreCountsIsRefused) {
  const Request request = request_with({}, {{"n", "1000000001"}, {"m", "1000000000"}});
  RequestValues values(request);
  EXPECT_EQ(values.path_version("m"), kMaxVersion);
  EXPECT_FALSE(values.error());
  values.path_version("n");
  EXPECT_TRUE(values.error());
}

TEST(IdempotencyKeyHeader, IsCheckedAndMayBeRequired) {
  Request request;
  EXPECT_FALSE(idempotency_key(request, "sha", KeyNeed::optional)->has_value());
  EXPECT_EQ(idempotency_key(request, "sha", KeyNeed::required).error().fields[0].pointer,
            "/Idempotency-Key");
  for (const std::string& bad : {std::string(256, 'k'), std::string("a b"), std::string("\xff")}) {
    request.headers = {{"idempotency-key", bad}};
    EXPECT_FALSE(idempotency_key(request, "sha", KeyNeed::optional).has_value()) << bad;
  }
  request.headers = {{"idempotency-key", "k-1"}};
  const auto key = idempotency_key(request, "sha", KeyNeed::required);
  ASSERT_TRUE(key.has_value() && key->has_value());
  EXPECT_EQ((*key)->key, "k-1");
  EXPECT_EQ((*key)->body_sha256, "sha");
}

}  // namespace
}  // namespace hone
