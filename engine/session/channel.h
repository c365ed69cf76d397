// Messages between the session server and a session's process: a length, the text, and sometimes
// open files. One side writes, the other reads; not thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 30U;

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

struct Message {
  std::string text;
  std::vector<Descriptor> files;
};

// Blocks until all is written. unavailable if the other side is gone.
Result<void> send_message(int channel, std::string_view text, const std::vector<int>& files = {});

// The reading end of a channel: keeps what came behind a message. A message and its size are one
// system call each way as long as it is short.
class MessageReader {
 public:
  // Blocks until a whole message is there. unavailable if the other side is gone, too_large past
  // kMaxMessageBytes. Files must be sent when all that was sent before has been received.
  Result<Message> receive(int channel);

 private:
  std::string buffer_;
};

// Both ends of a new channel, closed in programs that are started. io_failed.
struct ChannelEnds {
  Descriptor ours;
  Descriptor theirs;
};
Result<ChannelEnds> make_channel();

}  // namespace hone
