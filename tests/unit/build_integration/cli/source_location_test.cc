#include "build_integration/cli/source_location.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/support/scripted_http_server.h"

namespace hone {
namespace {

// A coordinator that holds every artifact already.
constexpr const char* kHeld = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";

TEST(UploadFolder, FilesThatTuneWroteMakeNoOtherSource) {
  const ScriptedHttpServer server({{kHeld}, {kHeld}, {kHeld}, {kHeld}, {kHeld}});
  ClientOptions options;
  options.url = server.url();
  options.token = "t";
  const Result<Client> client = Client::create(std::move(options));
  ASSERT_TRUE(client.has_value());
  const Result<TemporaryFolder> product = TemporaryFolder::create("hone-upload-test");
  ASSERT_TRUE(product.has_value());
  TargetSpec target;
  target.name = "lz4";
  const auto hash_with = [&](const char* added) {
    EXPECT_TRUE(write_file_atomically(product->path() / added, "x").has_value());
    const Result<PackedSource> packed = upload_folder(*client, product->path(), target, {}, {});
    return packed ? packed->sha256 : packed.error().describe();
  };

  const std::string before = hash_with("a.c");
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(hash_with("lz4.policy.json"), before);
  EXPECT_EQ(hash_with("lz4.policy"), before);
  EXPECT_EQ(hash_with("hone.policy.seen"), before);
  EXPECT_NE(hash_with("other.policy"), before);
}

}  // namespace
}  // namespace hone
