#include "worker/artifacts/artifact_cache.h"

#include <future>
#include <map>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"

namespace hone {
namespace {

class MapSource final : public ArtifactSource {
 public:
  Result<void> download(const std::string& sha256, const std::filesystem::path& path,
                        std::uint64_t limit, const std::stop_token&) override {
    ++downloads;
    if (content.contains(sha256) && content[sha256].size() > limit) {
      return fail(ErrorCode::too_large, "larger than " + std::to_string(limit) + " bytes");
    }
    if (!content.contains(sha256)) {
      return fail(ErrorCode::not_found, "no artifact " + sha256);
    }
    return write_file_atomically(path, content[sha256]);
  }
  std::string add(const std::string& text) {
    content[sha256_hex(text)] = text;
    return sha256_hex(text);
  }
  std::map<std::string, std::string> content;
  int downloads = 0;
};

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::create("cache-test");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
  }
  std::string get(ArtifactCache& cache, const std::string& sha256) {
    std::string text = "(none)";
    const Result<void> got =
        cache.with(sha256, {}, [&](const std::filesystem::path& file) -> Result<void> {
          text = *read_file(file, 1000);
          return {};
        });
    return got ? text : "error: " + got.error().message;
  }
  std::optional<TemporaryFolder> folder_;
  MapSource source_;
};

TEST_F(Cache, DownloadsOnce) {
  ArtifactCache cache(folder_->path(), 1000, source_);
  const std::string a = source_.add("aaa");
  EXPECT_EQ(get(cache, a), "aaa");
  EXPECT_EQ(get(cache, a), "aaa");
  EXPECT_EQ(source_.downloads, 1);
}

TEST_F(Cache, ReplacesAFileThatWasDamaged) {
  ArtifactCache cache(folder_->path(), 1000, source_);
  const std::string a = source_.add("aaa");
  get(cache, a);
  ASSERT_TRUE(write_file_atomically(folder_->path() / a, "bad").has_value());
  EXPECT_EQ(get(cache, a), "aaa");
  EXPECT_EQ(source_.downloads, 2);
}

TEST_F(Cache, EvictsTheLongestUnused) {
  ArtifactCache cache(folder_->path(), 250, source_);
  const std::string a = source_.add(std::string(100, 'a'));
  const std::string b = source_.add(std::string(100, 'b'));
  const std::string c = source_.add(std::string(100, 'c'));
  for (const std::string& name : {a, b, a, c}) {
    get(cache, name);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(std::filesystem::exists(folder_->path() / a));
  EXPECT_FALSE(std::filesystem::exists(folder_->path() / b));
  EXPECT_TRUE(std::filesystem::exists(folder_->path() / c));
}

TEST_F(Cache, PassesErrorsOn) {
  ArtifactCache cache(folder_->path(), 250, source_);
  EXPECT_EQ(get(cache, "../../etc/passwd"), "error: '../../etc/passwd' is no SHA-256");
  EXPECT_EQ(get(cache, sha256_hex("x")), "error: no artifact " + sha256_hex("x"));
}

TEST_F(Cache, IsItselfToBlameForWhatItIsTooSmallFor) {
  ArtifactCache cache(folder_->path(), 5, source_);
  const Result<void> got = cache.with(source_.add("aaaaaa"), {},
                                      [](const std::filesystem::path&) { return Result<void>(); });
  ASSERT_TRUE(got.has_error());
  EXPECT_EQ(got.error().code, ErrorCode::unavailable);
  EXPECT_EQ(got.error().message,
            "larger than 5 bytes, all that this worker keeps (--artifact-cache-mib)");
}

TEST_F(Cache, AStopWhileTheFileIsReadLosesNothing) {
  ArtifactCache cache(folder_->path(), 1000, source_);
  const std::string a = source_.add("aaa");
  EXPECT_EQ(get(cache, a), "aaa");
  std::stop_source stop;
  stop.request_stop();
  const Result<void> stopped =
      cache.with(a, stop.get_token(), [](const std::filesystem::path&) { return Result<void>(); });
  ASSERT_TRUE(stopped.has_error());
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(get(cache, a), "aaa");
  EXPECT_EQ(source_.downloads, 1);
}

TEST_F(Cache, AWaitForAnothersUseEndsWithAStop) {
  ArtifactCache cache(folder_->path(), 1000, source_);
  const std::string a = source_.add("aaa");
  std::promise<void> begun;
  std::promise<void> end;
  std::jthread other([&] {
    EXPECT_TRUE(cache
                    .with(a, {},
                          [&](const std::filesystem::path&) -> Result<void> {
                            begun.set_value();
                            end.get_future().wait();
                            return {};
                          })
                    .has_value());
  });
  begun.get_future().wait();
  std::stop_source stop;
  std::future<Result<void>> waits = std::async(std::launch::async, [&] {
    return cache.with(a, stop.get_token(),
                      [](const std::filesystem::path&) { return Result<void>(); });
  });
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  stop.request_stop();
  // The other's use lasts until this one has ended.
  EXPECT_EQ(waits.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  end.set_value();
  const Result<void> ended = waits.get();
  ASSERT_TRUE(ended.has_error());
  EXPECT_EQ(ended.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace hone
