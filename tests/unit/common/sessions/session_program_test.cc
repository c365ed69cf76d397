#include "common/sessions/session_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace hone {
namespace {

// What the program writes until it ends.
std::string written_by(const SessionProgram& program) {
  std::string text;
  char some[4096];
  for (ssize_t got = 0; (got = read(program.socket, some, sizeof some)) > 0;) {
    text.append(some, static_cast<std::size_t>(got));
  }
  close(program.socket);
  waitpid(program.process, nullptr, 0);
  return text;
}

TEST(SessionProgram, HasNoSecretsOfOursInItsEnvironment) {
  setenv("HONE_DATABASE", "postgresql://hone:password@db/hone", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  setenv("HONE_IR2VEC", "/vocabulary.json", 1);
  setenv("LC_ALL", "C", 1);
  const Result<SessionProgram> program = start_session_program("/usr/bin/env", {});
  ASSERT_TRUE(program) << program.error().describe();
  const std::string text = written_by(*program);
  EXPECT_EQ(text.find("HONE_DATABASE"), std::string::npos) << text;
  EXPECT_EQ(text.find("AWS_"), std::string::npos) << text;
  EXPECT_NE(text.find("HONE_IR2VEC=/vocabulary.json\n"), std::string::npos) << text;
  EXPECT_NE(text.find("LC_ALL=C\n"), std::string::npos) << text;
  for (const char* const name : {"HONE_DATABASE", "AWS_SECRET_ACCESS_KEY", "HONE_IR2VEC"}) {
    unsetenv(name);
  }
}

TEST(SessionProgram, HasNoneOfOurOpenFiles) {
  constexpr int kAbove = 700;
  const int high = fcntl(STDERR_FILENO, F_DUPFD, kAbove);  // not closed by exec
  ASSERT_GE(high, kAbove);
  const Result<SessionProgram> program = start_session_program("/bin/ls", {"/proc/self/fd"});
  ASSERT_TRUE(program) << program.error().describe();
  EXPECT_EQ(written_by(*program).find("\n7"), std::string::npos);
  close(high);
}

}  // namespace
}  // namespace hone
