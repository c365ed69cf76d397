#include "engine/session/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace hone {

Descriptor::~Descriptor() {
  if (number_ >= 0) {
    close(number_);
  }
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) {
      close(number_);
    }
    number_ = other.release();
  }
  return *this;
}

Result<ChannelEnds> make_channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("a session's channel", errno);
  }
  return ChannelEnds{Descriptor(ends[0]), Descriptor(ends[1])};
}

Error channel_closed() {
  return fail(ErrorCode::unavailable, "the session's process is gone");
}

}  // namespace hone
