// IR2Vec's symbolic embedding by hand, on a vocabulary whose vectors tell the keys apart.
// tests/integration/ir2vec.sh compares with IR2Vec itself.
#include "engine/llvm/ir2vec.h"

#include <gtest/gtest.h>

#include "engine/llvm/module_io.h"

namespace hone {
namespace {

constexpr std::string_view kVocabulary =
    "ret:[1, 0, 0, 0],\n"
    "call:[10, 0, 0, 0],\n"
    "add:[100, 0, 0, 0]\n"
    "mul:[1e3, 0, 0, 0],\n\n"
    "integerTy:[0, 1, 0, 0],\n"
    "voidTy:[0, 10, 0, 0],\n"
    "constant:[0, 0, 1, 0],\n"
    "variable:[0, 0, 10, 0],\n"
    "pointer:[0, 0, 100, 0],\n"
    "function:[0, 0, 0, 1]";

constexpr std::string_view kProgram = R"(
  define i32 @f(i32 %a) {
    %x = add i32 %a, 3
    %y = call i32 @g(i32 %x)
    %z = xor i32 %y, %y
    ret i32 %z
  dead:
    %m = mul i32 %a, %a
    ret i32 %m
  }
  declare i32 @g(i32)
)";

Ir2VecVocabulary vocabulary() {
  Result<Ir2VecVocabulary> parsed = Ir2VecVocabulary::parse(kVocabulary);
  EXPECT_TRUE(parsed) << parsed.error().describe();
  return *std::move(parsed);
}

TEST(Ir2Vec, SumsWhatIsReachableByItsWeights) {
  llvm::LLVMContext context;
  const auto module = read_module(std::string(kProgram), context);
  ASSERT_TRUE(module) << module.error().describe();
  const std::vector<double> vector = ir2vec(**module, vocabulary());
  ASSERT_EQ(vector.size(), 4U);
  EXPECT_DOUBLE_EQ(vector[0], 100 + 10 + 0 + 1) << "opcodes; xor is in no vocabulary, mul is dead";
  EXPECT_DOUBLE_EQ(vector[1], 0.5 * (1 + 1 + 1 + 10)) << "types";
  EXPECT_DOUBLE_EQ(vector[2], 0.2 * ((10 + 1) + 10 + (10 + 10) + 10)) << "operands";
  EXPECT_DOUBLE_EQ(vector[3], 0.2) << "the called function";
}

void refuse(const std::string& text, const std::string& why) {
  const Result<Ir2VecVocabulary> parsed = Ir2VecVocabulary::parse(text);
  ASSERT_FALSE(parsed) << text;
  EXPECT_NE(parsed.error().describe().find(why), std::string::npos)
      << parsed.error().describe() << "\nlacks: " << why;
}

TEST(Ir2VecVocabulary, SaysWhichLineIsWrong) {
  const std::string good(kVocabulary);
  refuse("", "'ret' is missing");
  refuse(good + "\nadd:[1, 1, 1, 1]", "line 12: 'add' stands twice");
  refuse(good + "\nsub:[1, 1, 1]", "line 12: 'sub' has 3 numbers, where the first key has 4");
  refuse(good + "\nsub:[1, x, 1, 1]", "line 12: 'x' is no finite number");
  refuse(good + "\nsub:[1, nan, 1, 1]", "line 12: 'nan' is no finite number");
  refuse(good + "\nsub=[1, 1, 1, 1]", "line 12: must be KEY:[");
  refuse(good + "\n\"Opcodes\": {", "line 12: must be KEY:[");
}

}  // namespace
}  // namespace hone
