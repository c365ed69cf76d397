#include "build_integration/programs/benchmark_uri.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Params = std::vector<std::pair<std::string, std::vector<std::string>>>;

BenchmarkUri uri(std::string_view text) {
  const Result<BenchmarkUri> parsed = parse_benchmark_uri(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : BenchmarkUri();
}

// CompilerGym's own tests (tests/datasets/uri_test.py).
TEST(BenchmarkUri, IsWhatCompilerGymSays) {
  EXPECT_EQ(uri("benchmark://test-v0"), (BenchmarkUri{"benchmark", "test-v0", "", {}, ""}));
  EXPECT_EQ(uri("test-v0"), (BenchmarkUri{"benchmark", "test-v0", "", {}, ""}));
  EXPECT_EQ(uri("generator://csmith-v0/this path has whitespace/in/it"),
            (BenchmarkUri{"generator", "csmith-v0", "/this path has whitespace/in/it", {}, ""}));
  EXPECT_EQ(uri("generator://csmith-v0/0"), (BenchmarkUri{"generator", "csmith-v0", "/0", {}, ""}));
  EXPECT_EQ(
      uri("generator://csmith-v0?a=b&c=d#foo"),
      (BenchmarkUri{"generator", "csmith-v0", "", Params{{"a", {"b"}}, {"c", {"d"}}}, "foo"}));
  EXPECT_EQ(uri(""), (BenchmarkUri{"benchmark", "", "", {}, ""}));
  EXPECT_EQ(uri("generator:"), (BenchmarkUri{"generator", "", "", {}, ""}));
}

TEST(BenchmarkUri, IsWrittenAsCompilerGymWritesIt) {
  for (const char* text :
       {"benchmark://test-v0", "generator://csmith-v0/this path has whitespace/in/it",
        "generator://csmith-v0/0", "generator://csmith-v0?a=b&c=d#foo",
        "generator:", "benchmark://debian-v0/zstd/lib/common/xxhash.c", "file:///tmp/x.bc"}) {
    EXPECT_EQ(to_string(uri(text)), text);
  }
  EXPECT_EQ(to_string(uri("")), "benchmark:");
  EXPECT_EQ(to_string(uri("test-v0")), "benchmark://test-v0");
  EXPECT_EQ(to_string(uri("GENERATOR://csmith-v0/1")), "generator://csmith-v0/1");
}

TEST(BenchmarkUri, ParametersAreDecodedAndThoseWithoutAValueDropped) {
  const BenchmarkUri parsed = uri("cbench-v1/qsort?x=1&y=a+b%2fc&x=2&z=&w&%zz=%4");
  EXPECT_EQ(parsed.params, (Params{{"x", {"1", "2"}}, {"y", {"a b/c"}}, {"%zz", {"%4"}}}));
  EXPECT_EQ(to_string(parsed), "benchmark://cbench-v1/qsort?x=1&x=2&y=a+b%2Fc&%25zz=%254");
}

TEST(BenchmarkUri, RefusesControlCharactersAndWhatIsTooLong) {
  EXPECT_EQ(parse_benchmark_uri("a\nb").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(parse_benchmark_uri(std::string(kMaxUriBytes + 1, 'a')).error().code,
            ErrorCode::too_large);
}

TEST(DatasetTag, IsNameAndVersion) {
  EXPECT_EQ(dataset_tag("csmith-v0"), (DatasetTag{"csmith", 0}));
  EXPECT_EQ(dataset_tag("llvm-stress-v12"), (DatasetTag{"llvm-stress", 12}));
  for (const char* text : {"csmith", "-v0", "csmith-v", "csmith-v1x", "csmith-v-1", ""}) {
    EXPECT_EQ(dataset_tag(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hone
