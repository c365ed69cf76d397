#include "engine/session/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace hone {
namespace {

constexpr std::size_t kMaxFiles = 4;
constexpr std::size_t kReadBytes = 65536;

Error gone() {
  return fail(ErrorCode::unavailable, "the session's process is gone");
}

union ControlBuffer {
  std::array<char, CMSG_SPACE(kMaxFiles * sizeof(int))> bytes;
  cmsghdr alignment;
};

Result<void> send_all(int channel, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t sent = send(channel, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) {
      continue;
    }
    if (sent <= 0) {
      return gone();
    }
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

void take_files(msghdr& header, std::vector<Descriptor>& files) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);
      files.emplace_back(number);
    }
  }
}

// What is there, at least a byte, behind `bytes`.
Result<void> receive_some(int channel, std::string& bytes, std::vector<Descriptor>& files) {
  std::array<char, kReadBytes> some;  // not initialised: it is large
  iovec part{some.data(), some.size()};
  ControlBuffer control;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  ssize_t got = 0;
  do {
    got = recvmsg(channel, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    return gone();
  }
  take_files(header, files);
  bytes.append(some.data(), static_cast<std::size_t>(got));
  return {};
}

}  // namespace

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

Result<void> send_message(int channel, std::string_view text, const std::vector<int>& files) {
  std::uint64_t size = text.size();
  // The text is only read.
  iovec parts[] = {{&size, sizeof size}, {const_cast<char*>(text.data()), text.size()}};
  msghdr header{};
  header.msg_iov = parts;
  header.msg_iovlen = std::size(parts);
  ControlBuffer control{};
  if (!files.empty()) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), files.data(), files.size() * sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(channel, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  // Eight bytes go at once or not at all.
  if (sent < static_cast<ssize_t>(sizeof size)) {
    return gone();
  }
  return send_all(channel, text.substr(static_cast<std::size_t>(sent) - sizeof size));
}

Result<Message> MessageReader::receive(int channel) {
  Message message;
  std::uint64_t size = 0;
  while (buffer_.size() < sizeof size) {
    HONE_CHECK(receive_some(channel, buffer_, message.files));
  }
  std::memcpy(&size, buffer_.data(), sizeof size);
  if (size > kMaxMessageBytes) {
    return fail(ErrorCode::too_large, "a message of " + std::to_string(size) + " bytes");
  }
  while (buffer_.size() < sizeof size + size) {
    HONE_CHECK(receive_some(channel, buffer_, message.files));
  }
  message.text.assign(buffer_, sizeof size, size);
  buffer_.erase(0, sizeof size + size);
  return message;
}

Result<ChannelEnds> make_channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("a session's channel", errno);
  }
  return ChannelEnds{Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace hone
