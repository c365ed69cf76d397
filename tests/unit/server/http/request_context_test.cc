#include "server/http/request_context.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Request with(std::string name, std::string value) {
  Request request;
  request.headers.emplace_back(std::move(name), std::move(value));
  identify(request);
  return request;
}

TEST(RequestContext, AWellFormedIdIsTaken) {
  for (const char* id : {"a", "7f3a-12", "Root=1-67891233-abcdef", "a.b_c~d+e/f:g@h"}) {
    EXPECT_EQ(with("x-request-id", id).context.request, id);
  }
}

TEST(RequestContext, AnotherOneIsReplaced) {
  const std::string token = "hone_" + std::string(64, '0');
  for (const std::string& bad : {std::string(), std::string(129, 'a'), std::string("a b"),
                                 std::string("a\"b"), std::string("a\tb"), token}) {
    const std::string id = with("x-request-id", bad).context.request;
    EXPECT_NE(id, bad);
    EXPECT_TRUE(is_request_id(id)) << id;
  }
}

TEST(RequestContext, OursDiffer) {
  EXPECT_NE(make_request_id(), make_request_id());
}

TEST(RequestContext, ATraceIsGoneOnWith) {
  const Request request =
      with("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  ASSERT_TRUE(request.trace);
  EXPECT_EQ(request.context.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(request.context.span_id, request.trace->span_id);
  EXPECT_NE(request.context.span_id, "00f067aa0ba902b7");
  EXPECT_FALSE(with("traceparent", "00-bad").trace);
  EXPECT_EQ(with("traceparent", "00-bad").context.trace_id, "");
}

}  // namespace
}  // namespace hone
