// The reading end of a channel, on which a message is its length, its text and sometimes open
// files. Keeps what came behind a message. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "engine/session/channel.h"

namespace hone {

struct Message {
  std::string text;
  std::vector<Descriptor> files;
};

// Of a sender who is not trusted, files would fill the table of ours; refused ones are closed by
// the kernel.
enum class Files : std::uint8_t { refused, taken };

// A message and its size are one system call as long as it is short.
class MessageReader {
 public:
  explicit MessageReader(std::size_t max_bytes = kMaxMessageBytes) : max_bytes_(max_bytes) {}

  // Blocks until a whole message is there, so for a sender who is trusted. unavailable if the other
  // side is gone, too_large past `max_bytes`. Files must be sent when all that was sent before has
  // been received.
  Result<Message> receive(int channel);

  // Never waits: nothing as long as the message is not whole. Of a long one reads a part at a time,
  // so that whoever polls comes to its other channels. Errors as above.
  Result<std::optional<Message>> receive_ready(int channel, Files files);

  // Whether more came than was returned: a part of a message, or another one.
  bool holds_more() const { return length_.has_value() || !buffer_.empty(); }
  std::size_t held_bytes() const { return buffer_.size(); }

 private:
  Result<std::optional<Message>> take_whole();
  Result<bool> read_some(int channel, Files files, int flags);

  std::size_t max_bytes_;
  std::optional<std::uint64_t> length_;  // of the message whose text the buffer begins with
  std::string buffer_;
  std::vector<Descriptor> files_;
};

}  // namespace hone
