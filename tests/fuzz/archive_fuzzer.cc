// Fuzzes the unpacking of archives that somebody else made. Input: a byte that chooses between the
// bytes as they are, a tar whose checksums are made right, and a script of entries (tar_script.h).
//
// Whatever comes, taken or refused: nothing beside the folder is made or changed, every link in it
// leads to a place in it, nothing else than folders, files and links is there, no file has a
// special bit, and the limits hold.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/archive/unpack.h"
#include "common/base/file.h"
#include "common/base/remove_tree.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/tar_script.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr UnpackLimits kLimits{.entries = 50,
                               .total_bytes = std::uint64_t{300} << 10U,
                               .file_bytes = std::uint64_t{200} << 10U};

class World {
 public:
  World()
      : folder_(make_folder()),
        archive_(::memfd_create("archive", MFD_CLOEXEC)),
        canary_(folder_.path() / "canary"),
        root_(folder_.path() / "root") {
    FUZZ_CHECK(archive_ >= 0);
    FUZZ_CHECK(write_file_atomically(canary_, "untouched", 0640).has_value());
    FUZZ_CHECK(::lstat(canary_.c_str(), &canary_before_) == 0);
  }

  void unpack(const std::string& bytes) {
    fs::create_directory(root_);
    FUZZ_CHECK(::ftruncate(archive_, 0) == 0);
    FUZZ_CHECK(::pwrite(archive_, bytes.data(), bytes.size(), 0) ==
               static_cast<ssize_t>(bytes.size()));
    const Result<UnpackReport> report =
        unpack_archive("/proc/self/fd/" + std::to_string(archive_), root_, kLimits);
    if (report.has_value()) {
      FUZZ_CHECK(report->entries <= kLimits.entries && report->bytes <= kLimits.total_bytes);
    } else {
      FUZZ_CHECK(!report.error().message.empty());
      FUZZ_CHECK(report.error().code != ErrorCode::internal);
    }
    look_outside();
    look_inside();
    FUZZ_CHECK(remove_tree(root_).has_value());
  }

 private:
  static TemporaryFolder make_folder() {
    Result<TemporaryFolder> folder = TemporaryFolder::create(
        "unpack", fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::path());
    FUZZ_CHECK(folder.has_value());
    return *std::move(folder);
  }

  void look_outside() const {
    std::size_t count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
      FUZZ_CHECK(entry.path() == canary_ || entry.path() == root_);
      ++count;
    }
    FUZZ_CHECK(count == 2);
    struct stat now{};
    FUZZ_CHECK(::lstat(canary_.c_str(), &now) == 0);
    FUZZ_CHECK(now.st_ino == canary_before_.st_ino && now.st_nlink == 1);
    FUZZ_CHECK(now.st_mode == canary_before_.st_mode && now.st_size == canary_before_.st_size);
    FUZZ_CHECK(now.st_mtim.tv_sec == canary_before_.st_mtim.tv_sec &&
               now.st_ctim.tv_nsec == canary_before_.st_ctim.tv_nsec);
  }

  void look_inside() const {
    std::uint64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_)) {
      struct stat about{};
      FUZZ_CHECK(::lstat(entry.path().c_str(), &about) == 0);
      FUZZ_CHECK(S_ISDIR(about.st_mode) || S_ISREG(about.st_mode) || S_ISLNK(about.st_mode));
      FUZZ_CHECK(S_ISLNK(about.st_mode) || (about.st_mode & 07000U) == 0);
      if (S_ISREG(about.st_mode)) {
        const auto size = static_cast<std::uint64_t>(about.st_size);
        FUZZ_CHECK(size <= kLimits.file_bytes);
        bytes += size / about.st_nlink;
      } else if (S_ISLNK(about.st_mode)) {
        std::error_code error;
        const fs::path target = fs::weakly_canonical(entry.path(), error);
        const fs::path relative = target.lexically_relative(fs::canonical(root_));
        FUZZ_CHECK(error || (!relative.empty() && *relative.begin() != ".."));
      }
    }
    FUZZ_CHECK(bytes <= kLimits.total_bytes);
  }

  TemporaryFolder folder_;
  int archive_;
  fs::path canary_;
  fs::path root_;
  struct stat canary_before_{};
};

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hone::World world;
  hone::InputBytes input(data, size);
  switch (input.next() % 4) {
    case 0:
      world.unpack(input.rest());
      break;
    case 1:
      world.unpack(hone::tar_with_checksums(input.rest()));
      break;
    default:
      world.unpack(hone::tar_of_script(input));
      break;
  }
  return 0;
}
