#include "worker/build/binaries.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

TEST(Binaries, DescribesThemAndNamesTheMissingOne) {
  Result<TemporaryFolder> folder = TemporaryFolder::create("binaries-test");
  ASSERT_TRUE(folder.has_value());
  ASSERT_TRUE(write_file_atomically(folder->path() / "a", "abc").has_value());
  const Result<std::vector<BinaryInfo>> found = describe_binaries(folder->path(), {"a"});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().sha256, sha256_hex("abc"));
  EXPECT_EQ(found->front().size_bytes, 3);
  const Result<std::vector<BinaryInfo>> missing = describe_binaries(folder->path(), {"a", "lib/b"});
  ASSERT_TRUE(missing.has_error());
  EXPECT_NE(missing.error().message.find("lib/b"), std::string::npos);
}

TEST(Binaries, TheirSizeIsTheSumOfTheMetricAskedFor) {
  const auto binary = [](std::int64_t size, std::int64_t text) {
    BinaryInfo info;
    info.size_bytes = size;
    info.text_bytes = text;
    return info;
  };
  const std::vector<BinaryInfo> two = {binary(100, 30), binary(50, 0)};
  EXPECT_EQ(*total_size(two, Metric::text_bytes), 30);
  EXPECT_EQ(*total_size(two, Metric::binary_bytes), 150);
  const auto refused = [](const std::vector<BinaryInfo>& binaries, Metric metric) {
    const Result<double> size = total_size(binaries, metric);
    EXPECT_TRUE(size.has_error());
    return size ? "" : size.error().message;
  };
  EXPECT_NE(refused({}, Metric::binary_bytes).find("names none"), std::string::npos);
  EXPECT_NE(refused({binary(50, 0)}, Metric::text_bytes).find("no"), std::string::npos);
}

TEST(Binaries, TheKeyTellsContentsAndNamesApart) {
  const auto key = [](const std::string& path, const std::string& sha256) {
    BinaryInfo binary;
    binary.path = path;
    binary.sha256 = sha256;
    return binaries_key({binary});
  };
  EXPECT_EQ(key("a", "1"), key("a", "1"));
  EXPECT_NE(key("a", "1"), key("a", "2"));
  EXPECT_NE(key("a", "1"), key("b", "1"));
  EXPECT_EQ(binaries_key({}), "") << "nothing is known about a build without binaries";
}

}  // namespace
}  // namespace hone
