#include "common/base/error.h"

#include <cerrno>
#include <set>

#include <gtest/gtest.h>

#include "common/base/result.h"

namespace hone {
namespace {

TEST(Error, DescribeListsEveryField) {
  const Error error{
      ErrorCode::invalid_argument, "bad target", {{"/name", "is missing"}, {"", "is empty"}}};
  EXPECT_EQ(error.describe(), "bad target\n  /name: is missing\n  (document): is empty");
}

TEST(Error, WithinKeepsCodeAndFields) {
  const Error inner{ErrorCode::not_found, "no file x", {{"/a", "b"}}};
  const Error outer = inner.within("policy");
  EXPECT_EQ(outer.code, ErrorCode::not_found);
  EXPECT_EQ(outer.message, "policy: no file x");
  EXPECT_EQ(outer.fields, inner.fields);
}

TEST(Error, SystemErrorNamesTheReason) {
  EXPECT_EQ(system_error("cannot open x", ENOENT).message,
            "cannot open x: No such file or directory");
}

TEST(Error, ExitCodesTellWhoCanAct) {
  EXPECT_EQ(exit_code(ErrorCode::invalid_argument), 2);
  EXPECT_EQ(exit_code(ErrorCode::unauthenticated), 3);
  EXPECT_EQ(exit_code(ErrorCode::not_found), 4);
  EXPECT_EQ(exit_code(ErrorCode::conflict), 5);
  EXPECT_EQ(exit_code(ErrorCode::unavailable), 6);
  EXPECT_EQ(exit_code(ErrorCode::cancelled), 130);
  EXPECT_EQ(exit_code(ErrorCode::internal), 1);
}

Result<int> halve(int number) {
  if (number % 2 != 0) {
    return fail(ErrorCode::invalid_argument, std::to_string(number) + " is odd");
  }
  return number / 2;
}

Result<int> quarter(int number) {
  HONE_TRY(const int half, halve(number));
  return halve(half);
}

TEST(Result, TryPassesTheValueOn) {
  EXPECT_EQ(*quarter(12), 3);
}

TEST(Result, TryReturnsTheFirstError) {
  const Result<int> result = quarter(6);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "3 is odd");
}

TEST(Result, ValueOfAnErrorIsABug) {
  EXPECT_THROW(quarter(1).value(), std::logic_error);
}

}  // namespace
}  // namespace hone
