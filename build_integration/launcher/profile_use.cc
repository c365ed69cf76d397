#include "build_integration/launcher/profile_use.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "common/base/file.h"

namespace hone {
namespace {

constexpr std::string_view kDefaultFile = "default.profdata";
constexpr std::string_view kMagic = "\xfflprofi\x81";
constexpr std::uint64_t kVariantBits = std::uint64_t{0xff} << 56U;
constexpr std::uint64_t kIrBit = std::uint64_t{1} << 56U;
// Instrumentation of function entries: says where counters stood, and changes nothing here.
constexpr std::uint64_t kEntryBit = std::uint64_t{1} << 58U;

}  // namespace

bool is_profile_use(std::string_view option) {
  for (const std::string_view name : {"-fprofile-use", "-fprofile-instr-use"}) {
    if (option == name || (option.starts_with(name) && option[name.size()] == '=')) {
      return true;
    }
  }
  return false;
}

std::string profile_of(std::string_view option) {
  const std::size_t equals = option.find('=');
  std::string file(equals == std::string_view::npos ? kDefaultFile : option.substr(equals + 1));
  struct stat status{};
  if (::stat(file.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    file += '/';
    file += kDefaultFile;
  }
  return file;
}

ProfileKind kind_of_profile(const std::string& file) {
  struct stat status{};
  const UniqueFd descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor || ::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return ProfileKind::other;
  }
  std::array<char, 16> header{};
  if (::read(descriptor.get(), header.data(), header.size()) !=
          static_cast<ssize_t>(header.size()) ||
      std::string_view(header.data(), kMagic.size()) != kMagic) {
    return ProfileKind::other;
  }
  std::uint64_t version = 0;
  for (std::size_t i = header.size(); i > kMagic.size(); --i) {
    version = version << 8U | static_cast<unsigned char>(header[i - 1]);
  }
  switch (version & kVariantBits & ~kEntryBit) {
    case 0:
      return ProfileKind::front_end;
    case kIrBit:
      return ProfileKind::ir;
    default:
      return ProfileKind::other;
  }
}

}  // namespace hone
