#include "common/protocol/problem.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

TEST(Problem, EveryCodeHasItsStatusAndComesBack) {
  const std::vector<std::pair<ErrorCode, int>> table = {
      {ErrorCode::invalid_argument, 400},  {ErrorCode::unauthenticated, 401},
      {ErrorCode::permission_denied, 403}, {ErrorCode::not_found, 404},
      {ErrorCode::conflict, 409},          {ErrorCode::expired, 410},
      {ErrorCode::too_large, 413},         {ErrorCode::unsupported, 415},
      {ErrorCode::timed_out, 504},         {ErrorCode::unavailable, 503},
      {ErrorCode::cancelled, 409},         {ErrorCode::io_failed, 500},
      {ErrorCode::disk_full, 507},         {ErrorCode::internal, 500}};
  for (const auto& [code, status] : table) {
    EXPECT_EQ(http_status(code), status);
    const Error error{code, "what happened", {{"/a/0", "is bad"}, {"", "is worse"}}};
    const Json document = problem_document(error);
    EXPECT_EQ(document["status"], status);
    EXPECT_FALSE(document["title"].get<std::string>().empty());
    const Error back = error_from_problem(status, dump_json(document));
    EXPECT_EQ(back.code, code);
    EXPECT_EQ(back.message, error.message);
    EXPECT_EQ(back.fields, error.fields);
  }
}

TEST(Problem, AnswersThatAreNoDocumentKeepTheirStatus) {
  EXPECT_EQ(error_from_problem(502, "<html>bad gateway</html>").code, ErrorCode::unavailable);
  EXPECT_EQ(error_from_problem(429, "").code, ErrorCode::resource_exhausted);
  EXPECT_EQ(error_from_problem(404, "[]").code, ErrorCode::not_found);
  EXPECT_EQ(error_from_problem(418, "{}").code, ErrorCode::invalid_argument);
  const Error odd = error_from_problem(400, R"({"detail": 7, "code": "new_code"})");
  EXPECT_EQ(odd.code, ErrorCode::invalid_argument);
  EXPECT_NE(odd.message.find("400"), std::string::npos);
}

TEST(Problem, AFinerStatusStandsInTheDocument) {
  const Json document = problem_document(Error{ErrorCode::unsupported, "no PATCH", {}}, 405);
  EXPECT_EQ(document["status"], 405);
  EXPECT_EQ(document["title"], "Method Not Allowed");
  EXPECT_FALSE(document.contains("errors"));
}

}  // namespace
}  // namespace hone
