#include "server/store/artifacts/upload_spool.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <array>
#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/token.h"
#include "server/store/artifacts/disk_space.h"
#include "tests/support/database.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;

class UploadSpoolTest : public ::testing::Test {
 protected:
  void SetUp() override { open(1 << 20); }
  void TearDown() override {
    spool.reset();
    context.restart();
    context.poll();
  }
  void open(std::int64_t limit, const std::string& owner = "honed") {
    spool.reset();
    SpoolOptions options;
    options.folder = place();
    options.max_bytes = limit;
    options.owner = owner;
    options.silence = silence;
    options.reserve_bytes = reserve;
    auto opened = UploadSpool::open(std::move(options));
    ASSERT_TRUE(opened) << opened.error().describe();
    spool = *std::move(opened);
  }
  fs::path place() const { return temporary.path() / "uploads"; }
  Result<void> append(ArtifactUpload& upload, std::string_view content) {
    for (std::size_t at = 0; at < content.size(); at += 100'000) {
      const Result<void> appended = run_on(context, upload.append(content.substr(at, 100'000)));
      if (!appended) {
        return appended;
      }
    }
    return {};
  }
  // Takes `content` in under `name`; gives its file, which stays.
  Result<fs::path> take(const std::string& content, const std::string& name) {
    HONE_TRY(ArtifactUpload upload, spool->begin(name, 0));
    HONE_CHECK(append(upload, content));
    HONE_CHECK(run_on(context, upload.verify()));
    upload.release();
    return upload.file();
  }
  Result<ArtifactUpload> resume(const std::string& id, const std::string& content) {
    return run_on(
        context, spool->resume(id, sha256_hex(content), static_cast<std::int64_t>(content.size())));
  }
  fs::path partial(const std::string& id) const { return place() / (id + ".partial"); }
  // Another coordinator's, over the same folder.
  std::unique_ptr<UploadSpool> another() const {
    SpoolOptions options;
    options.folder = place();
    options.owner = "other";
    options.silence = silence;
    return *UploadSpool::open(std::move(options));
  }
  Result<ArtifactUpload> resume_at(UploadSpool& at, const std::string& id,
                                   const std::string& content) {
    return run_on(context,
                  at.resume(id, sha256_hex(content), static_cast<std::int64_t>(content.size())));
  }
  // Sends the bytes from `from` to `to` in one piece to that coordinator.
  void send_piece(UploadSpool& at, const std::string& id, const std::string& content,
                  std::size_t from, std::size_t to) {
    auto upload = resume_at(at, id, content);
    ASSERT_TRUE(upload) << upload.error().describe();
    EXPECT_EQ(upload->size(), static_cast<std::int64_t>(from));
    ASSERT_TRUE(append(*upload, std::string_view(content).substr(from, to - from)));
    ASSERT_TRUE(run_on(context, upload->rest()));
  }
  static std::size_t open_descriptors() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }
  // Files in the folder, once the threads have done what they were given.
  std::size_t files() {
    spool.reset();
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(place()), fs::directory_iterator()));
  }

  TemporaryFolder temporary = passable_folder();
  std::chrono::milliseconds silence{0};
  std::int64_t reserve = 0;
  boost::asio::io_context context;
  std::unique_ptr<UploadSpool> spool;
};

TEST_F(UploadSpoolTest, KeepsWhatWasVerified) {
  const std::string content(300'000, 'x');
  const Result<fs::path> file = take(content, sha256_hex(content));
  ASSERT_TRUE(file);
  EXPECT_EQ(*read_file(*file, 1 << 20), content);
  EXPECT_TRUE(take("", sha256_hex("")));
}

TEST_F(UploadSpoolTest, RefusesAnotherContentThanAnnounced) {
  const auto taken = take("something else", sha256_hex("announced"));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(files(), 0U);
}

TEST_F(UploadSpoolTest, RefusesOneThatIsTooLarge) {
  open(1000);
  const std::string content(1001, 'x');
  EXPECT_EQ(take(content, sha256_hex(content)).error().code, ErrorCode::too_large);
  EXPECT_EQ(spool->begin(sha256_hex(content), 1001).error().code, ErrorCode::too_large);
  const std::string fits(1000, 'x');
  EXPECT_TRUE(take(fits, sha256_hex(fits)));
  EXPECT_EQ(files(), 1U);
}

TEST_F(UploadSpoolTest, RefusesNamesThatAreNoHash) {
  for (const std::string name : {"", "../../etc/passwd", "abc"}) {
    EXPECT_EQ(spool->begin(name, 0).error().code, ErrorCode::invalid_argument);
  }
  EXPECT_FALSE(spool->begin(std::string(64, 'A'), 0));
}

TEST_F(UploadSpoolTest, AnAbandonedUploadLeavesNothing) {
  {
    auto upload = spool->begin(sha256_hex("x"), 0);
    ASSERT_TRUE(upload);
    ASSERT_TRUE(run_on(context, upload->append("half of")));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(UploadSpoolTest, OpeningRemovesOurLeftoversAndOldOnesOfOthers) {
  const auto leave = [&](const std::string& name, bool old) {
    std::ofstream(place() / name) << "half of";
    if (old) {
      const utimbuf time{1'000'000, 1'000'000};
      ASSERT_EQ(::utime((place() / name).c_str(), &time), 0);
    }
  };
  leave("honed.left", false);
  leave("other.fresh", false);
  leave("other.old", true);
  const std::string partial = random_uuid() + ".partial";
  leave(partial, true);  // its row says how long it stays
  leave("none.partial", true);
  open(1000);
  EXPECT_FALSE(fs::exists(place() / "honed.left"));
  EXPECT_TRUE(fs::exists(place() / "other.fresh"));
  EXPECT_FALSE(fs::exists(place() / "other.old"));
  EXPECT_TRUE(fs::exists(place() / partial));
  EXPECT_FALSE(fs::exists(place() / "none.partial"));
}

TEST_F(UploadSpoolTest, ManyUploadsGoOnAtOnce) {
  const std::string first(200'000, 'a');
  const std::string second(200'000, 'b');
  auto one = spool->begin(sha256_hex(first), 0);
  auto two = spool->begin(sha256_hex(second), 0);
  auto same = spool->begin(sha256_hex(first), 0);
  for (std::size_t at = 0; at < first.size(); at += 50'000) {
    ASSERT_TRUE(run_on(context, one->append(std::string_view(first).substr(at, 50'000))));
    ASSERT_TRUE(run_on(context, two->append(std::string_view(second).substr(at, 50'000))));
    ASSERT_TRUE(run_on(context, same->append(std::string_view(first).substr(at, 50'000))));
  }
  EXPECT_TRUE(run_on(context, one->verify()));
  EXPECT_TRUE(run_on(context, two->verify()));
  EXPECT_TRUE(run_on(context, same->verify()));
}

TEST_F(UploadSpoolTest, APartialUploadGoesOnWhereItWas) {
  const std::string content(500'000, 'p');
  const std::string id = random_uuid();
  {
    auto upload = resume(id, content);
    ASSERT_TRUE(upload);
    EXPECT_EQ(upload->size(), 0);
    ASSERT_TRUE(append(*upload, content.substr(0, 123'456)));
  }
  EXPECT_EQ(spool->offset(id), 123'456);
  {
    auto upload = resume(id, content);
    ASSERT_TRUE(upload) << upload.error().describe();
    EXPECT_EQ(upload->size(), 123'456);
    ASSERT_TRUE(append(*upload, content.substr(123'456, 100'000)));
  }
  open(1 << 20);  // as after a restart
  EXPECT_EQ(spool->offset(id), 223'456);
  auto upload = resume(id, content);
  ASSERT_TRUE(upload) << upload.error().describe();
  EXPECT_EQ(upload->size(), 223'456);
  ASSERT_TRUE(append(*upload, content.substr(223'456)));
  ASSERT_TRUE(run_on(context, upload->verify()));
  EXPECT_EQ(*read_file(upload->file(), 1 << 20), content);
}

TEST_F(UploadSpoolTest, APartialUploadTakesNoMoreThanAnnounced) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  {
    auto upload = resume(id, content);
    ASSERT_TRUE(append(*upload, content.substr(0, 900)));
    EXPECT_EQ(append(*upload, std::string(101, 'p')).error().code, ErrorCode::too_large);
  }
  auto upload = resume(id, content);
  ASSERT_TRUE(upload) << upload.error().describe();
  EXPECT_EQ(upload->size(), 900);
}

TEST_F(UploadSpoolTest, OneConnectionSendsAndASilentOneIsCutOff) {
  silence = std::chrono::hours(1);
  open(1 << 20);
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  {
    auto first = resume(id, content);
    ASSERT_TRUE(append(*first, content.substr(0, 100)));
    EXPECT_EQ(resume(id, content).error().code, ErrorCode::conflict);
    ASSERT_TRUE(append(*first, content.substr(100, 100)));
  }
  silence = std::chrono::milliseconds(0);
  open(1 << 20);
  auto silent = resume(id, content);
  ASSERT_TRUE(append(*silent, content.substr(200, 100)));
  auto second = resume(id, content);
  ASSERT_TRUE(second) << second.error().describe();
  EXPECT_EQ(second->size(), 300);
  EXPECT_EQ(append(*silent, content.substr(300, 100)).error().code, ErrorCode::conflict);
  ASSERT_TRUE(append(*second, content.substr(300)));
  EXPECT_TRUE(run_on(context, second->verify()));
}

TEST_F(UploadSpoolTest, AnotherCoordinatorLeavesAnUploadAloneThatIsBeingSentHere) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  auto first = resume(id, content);
  ASSERT_TRUE(append(*first, content.substr(0, 100)));
  const auto other = another();
  EXPECT_EQ(resume_at(*other, id, content).error().code, ErrorCode::conflict);
  EXPECT_EQ(other->offset(id), 100);
  // Nor does it remove the bytes under the writer's hands.
  EXPECT_FALSE(*run_on(context, other->drop(id)));
  ASSERT_TRUE(append(*first, content.substr(100)));
  ASSERT_TRUE(run_on(context, first->verify()));
  EXPECT_EQ(*read_file(first->file(), 1 << 20), content);
  ASSERT_TRUE(run_on(context, first->discard()));
  EXPECT_FALSE(fs::exists(partial(id)));
}

TEST_F(UploadSpoolTest, PiecesOfOneUploadGoToSeveralCoordinators) {
  const std::string content = random_hex(500);
  const std::string id = random_uuid();
  const auto other = another();
  send_piece(*spool, id, content, 0, 100);
  send_piece(*other, id, content, 100, 300);
  EXPECT_EQ(spool->offset(id), 300);
  send_piece(*spool, id, content, 300, 400);
  send_piece(*other, id, content, 400, 900);
  auto last = resume(id, content);
  ASSERT_TRUE(last) << last.error().describe();
  ASSERT_EQ(last->size(), 900);
  ASSERT_TRUE(append(*last, content.substr(900)));
  ASSERT_TRUE(run_on(context, last->verify()));
  EXPECT_EQ(*read_file(last->file(), 1 << 20), content);
}

TEST_F(UploadSpoolTest, AnUploadThatBrokeOffGoesOnAtAnotherCoordinator) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  const auto other = another();
  {
    auto upload = resume(id, content);
    ASSERT_TRUE(append(*upload, content.substr(0, 100)));
  }
  // A thread of the first one closes its file.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::int64_t there = -1;
  while (there < 0 && std::chrono::steady_clock::now() < deadline) {
    const auto taken = resume_at(*other, id, content);
    if (taken) {
      there = taken->size();
    } else {
      ASSERT_EQ(taken.error().code, ErrorCode::conflict);
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(there, 100);
}

TEST_F(UploadSpoolTest, BytesAreHashedAgainOnlyIfTheyWereWrittenSince) {
  const std::string content(1'000, 'p');
  for (const bool looks_unchanged : {true, false}) {
    const std::string id = random_uuid();
    send_piece(*spool, id, content, 0, 500);
    struct stat before{};
    ASSERT_EQ(::stat(partial(id).c_str(), &before), 0);
    std::fstream(partial(id), std::ios::in | std::ios::out) << "another";
    const timespec hour_ago{before.st_mtim.tv_sec - 3'600, 0};
    const timespec written = looks_unchanged ? before.st_mtim : hour_ago;
    const std::array<timespec, 2> times{before.st_atim, written};
    ASSERT_EQ(::utimensat(AT_FDCWD, partial(id).c_str(), times.data(), 0), 0);
    auto upload = resume(id, content);
    ASSERT_TRUE(append(*upload, content.substr(500)));
    EXPECT_EQ(run_on(context, upload->verify()).has_value(), looks_unchanged);
  }
}

TEST_F(UploadSpoolTest, UploadsThatNobodySendsToHoldNoFileOpen) {
  const std::string content(1'000, 'p');
  send_piece(*spool, random_uuid(), content, 0, 100);
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    send_piece(*spool, random_uuid(), content, 0, 100);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(UploadSpoolTest, OfManySendersEachIsFoundByWhoGoesOn) {
  const std::string content(1'000, 'p');
  std::vector<std::string> ids;
  std::vector<ArtifactUpload> uploads;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(random_uuid());
    auto upload = resume(ids.back(), content);
    ASSERT_TRUE(upload) << upload.error().describe();
    uploads.push_back(*std::move(upload));
    ASSERT_TRUE(append(uploads.back(), content.substr(0, 100)));
  }
  const auto again = resume(ids.front(), content);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_EQ(again->size(), 100);
}

TEST_F(UploadSpoolTest, WhatIsBeingMadeAnArtifactIsLeftToWhoDoesIt) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  auto upload = resume(id, content);
  ASSERT_TRUE(append(*upload, content));
  ASSERT_TRUE(run_on(context, upload->verify()));
  EXPECT_EQ(resume(id, content).error().code, ErrorCode::conflict);  // however silent
  EXPECT_FALSE(*run_on(context, spool->drop(id)));
  EXPECT_EQ(*read_file(partial(id), 1 << 20), content);
}

TEST_F(UploadSpoolTest, WhatWasMadeAnArtifactIsNotWrittenTo) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  const fs::path kept = temporary.path() / "kept";
  {
    auto upload = resume(id, content);
    ASSERT_TRUE(append(*upload, content));
    ASSERT_TRUE(run_on(context, upload->verify()));
    fs::rename(upload->file(), kept);
    ASSERT_TRUE(run_on(context, upload->discard()));
  }
  EXPECT_EQ(*read_file(kept, 1 << 20), content);
  auto anew = resume(id, content);
  ASSERT_TRUE(anew) << anew.error().describe();
  EXPECT_EQ(anew->size(), 0);
  ASSERT_TRUE(append(*anew, "other"));
  EXPECT_EQ(*read_file(kept, 1 << 20), content);
}

TEST_F(UploadSpoolTest, PartialUploadsAreListed) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  send_piece(*spool, id, content, 0, 100);
  std::ofstream(place() / "none.partial") << "not ours";
  std::ofstream(place() / "honed.abc.def") << "not partial";
  EXPECT_EQ(*run_on(context, spool->partial_ids()), std::vector<std::string>{id});
  EXPECT_TRUE(*run_on(context, spool->drop(id)));
  EXPECT_FALSE(*run_on(context, spool->drop(id)));
  EXPECT_TRUE(run_on(context, spool->partial_ids())->empty());
}

TEST_F(UploadSpoolTest, ADroppedPartialUploadIsGone) {
  const std::string content(1'000, 'p');
  const std::string id = random_uuid();
  {
    auto upload = resume(id, content);
    ASSERT_TRUE(append(*upload, content.substr(0, 100)));
    ASSERT_TRUE(run_on(context, spool->drop(id)));
    EXPECT_EQ(append(*upload, content.substr(100)).error().code, ErrorCode::conflict);
  }
  EXPECT_EQ(spool->offset(id), 0);
  EXPECT_EQ(files(), 0U);
}

TEST_F(UploadSpoolTest, TheReserveStaysFree) {
  const Result<DiskSpace> space = disk_space(temporary.path());
  ASSERT_TRUE(space);
  reserve = space->total_bytes;
  open(1 << 20);
  const Error error = spool->begin(sha256_hex("x"), 1).error();
  EXPECT_EQ(error.code, ErrorCode::disk_full);
  EXPECT_NE(error.message.find("no room"), std::string::npos) << error.message;
  EXPECT_EQ(resume(random_uuid(), "x").error().code, ErrorCode::disk_full);
  EXPECT_EQ(spool->check_room(1).error().code, ErrorCode::disk_full);
}

TEST_F(UploadSpoolTest, AFullDiskIsSaidAndLeavesNothing) {
  const std::string content(800'000, 'x');
  const bool mounted =
      ::geteuid() == 0 && ::mount("hone-test", place().c_str(), "tmpfs", 0, "size=256k") == 0;
  rlimit before{};
  if (mounted) {
    open(1 << 20);
  } else {
    // No small disk to be had: a limit on the size of files ends the write the same way.
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{256 * 1024, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  const auto taken = take(content, sha256_hex(content));
  EXPECT_FALSE(taken);
  if (!taken) {
    EXPECT_EQ(taken.error().code, ErrorCode::disk_full);
    EXPECT_NE(taken.error().message.find("full"), std::string::npos) << taken.error().message;
  }
  // A partial upload keeps what fitted, and goes on when there is room.
  const std::string id = random_uuid();
  std::int64_t there = 0;
  {
    auto upload = resume(id, content);
    if (!mounted) {
      ASSERT_TRUE(upload);
      EXPECT_EQ(append(*upload, content).error().code, ErrorCode::disk_full);
      there = upload->size();
    } else {
      EXPECT_EQ(upload.error().code, ErrorCode::disk_full);
    }
  }
  spool.reset();
  if (!mounted) {
    ::setrlimit(RLIMIT_FSIZE, &before);
  } else {
    EXPECT_EQ(::umount(place().c_str()), 0);
  }
  open(1 << 20);
  auto upload = resume(id, content);
  ASSERT_TRUE(upload);
  EXPECT_EQ(upload->size(), there);
  ASSERT_TRUE(append(*upload, content.substr(static_cast<std::size_t>(there))));
  EXPECT_TRUE(run_on(context, upload->verify()));
}

}  // namespace
}  // namespace hone::test
