// The writing end of a channel; message_reader.h has what a message is. Not thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace hone {

// Blocks until all is written, so for a reader who is trusted. unavailable if the other side is
// gone.
Result<void> send_message(int channel, std::string_view text, const std::vector<int>& files = {});

// Never waits for who reads: keeps what there is no room for yet. A message and its size are one
// system call as long as it is short.
class MessageWriter {
 public:
  // Sends what there is room for. Nothing may be left of another message. unavailable if the other
  // side is gone, or has no room for a message with files.
  Result<void> start(int channel, std::string text, const std::vector<int>& files = {});
  // Goes on, once poll() has found room.
  Result<void> send_ready(int channel);

  bool sending() const { return sending_; }

 private:
  std::string text_;
  std::size_t sent_ = 0;  // of the size and the text
  bool sending_ = false;
};

}  // namespace hone
