#include "server/http/problem_reply.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/inside_text.h"
#include "server/store/pg/pg_error.h"

namespace hone {
namespace {

TEST(ProblemReply, TellsNothingOfWhatTheDatabaseSaid) {
  PgError lost;
  lost.message = "connection to server at \"10.0.0.7\", port 5432 failed: Connection refused";
  lost.connection_lost = true;
  PgError wrong;
  wrong.sqlstate = "42P01";
  wrong.message = "relation \"secrets\" does not exist at 10.0.0.7";
  PgError slow;
  slow.sqlstate = "57014";
  slow.message = "canceling statement at 10.0.0.7";
  PgError twice;
  twice.sqlstate = "23505";
  twice.message = "duplicate key at 10.0.0.7";
  PgError disk;
  disk.sqlstate = "58030";
  disk.message = "could not read 10.0.0.7";
  for (const PgError& said : {lost, wrong, slow, twice, disk}) {
    const Error error = said.to_error().within("the token");
    EXPECT_NE(error.message.find("10.0.0.7"), std::string::npos) << "the log has it";
    const Reply reply = problem_reply(error);
    EXPECT_EQ(reply.body.find("10.0.0.7"), std::string::npos) << reply.body;
    EXPECT_EQ(reply.body.find("secrets"), std::string::npos) << reply.body;
    EXPECT_NE(reply.body.find("the token: "), std::string::npos) << reply.body;
  }
  EXPECT_EQ(problem_reply(lost.to_error()).status, 503);
}

}  // namespace
}  // namespace hone
