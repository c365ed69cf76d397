// What the session server and a session's process talk over. Not thread safe.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <utility>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30U;

// Of a message, and the room for them beside it.
inline constexpr std::size_t kMaxFiles = 4;
union ControlBuffer {
  std::array<char, CMSG_SPACE(kMaxFiles * sizeof(int))> bytes;
  cmsghdr alignment;
};

// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Both ends of a new channel, closed in programs that are started. io_failed.
struct ChannelEnds {
  Descriptor ours;
  Descriptor theirs;
};
Result<ChannelEnds> make_channel();

// unavailable: the other side has closed its end.
Error channel_closed();

}  // namespace hone
