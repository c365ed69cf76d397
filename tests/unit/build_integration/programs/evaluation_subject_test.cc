#include "build_integration/programs/evaluation_subject.h"

#include <gtest/gtest.h>

#include "common/base/file.h"

namespace hone {
namespace {

TEST(EvaluationSubject, IsOfTheProgramAsItIsNow) {
  const TemporaryFolder folder = *TemporaryFolder::create("subject");
  Program program;
  program.uri = "file:///x.c";
  program.file = folder.path() / "x.bc";
  ASSERT_TRUE(write_file_atomically(program.file, "one"));
  const Result<std::string> one = evaluation_subject("IrInstructionCount", program);
  ASSERT_TRUE(one) << one.error().describe();
  EXPECT_TRUE(one->starts_with("IrInstructionCount of file:///x.c (")) << *one;
  EXPECT_EQ(*evaluation_subject("IrInstructionCount", program), *one);
  EXPECT_NE(*evaluation_subject("ObjectTextSizeBytes", program), *one);
  ASSERT_TRUE(write_file_atomically(program.file, "two"));
  EXPECT_NE(*evaluation_subject("IrInstructionCount", program), *one) << "the program was changed";
  program.file = folder.path() / "missing.bc";
  EXPECT_FALSE(evaluation_subject("IrInstructionCount", program));
}

}  // namespace
}  // namespace hone
