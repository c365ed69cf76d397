#include "engine/session/message_reader.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hone {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr int kReadsAtATime = 16;

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

}  // namespace

// What is there, behind what the buffer holds; with MSG_DONTWAIT, false if nothing is.
Result<bool> MessageReader::read_some(int channel, Files files, int flags) {
  std::array<char, kReadBytes> some;  // not initialised: it is large
  iovec part{some.data(), some.size()};
  ControlBuffer control;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (files == Files::taken && files_.size() < kMaxFiles) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
  }
  ssize_t got = 0;
  do {
    got = recvmsg(channel, &header, MSG_CMSG_CLOEXEC | flags);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return false;
  }
  if (got <= 0) {
    return channel_closed();
  }
  take_files(header, files_);
  buffer_.append(some.data(), static_cast<std::size_t>(got));
  return true;
}

// The first message of those in the buffer.
Result<std::optional<Message>> MessageReader::take_whole() {
  if (!length_) {
    std::uint64_t length = 0;
    if (buffer_.size() < sizeof length) {
      return std::nullopt;
    }
    std::memcpy(&length, buffer_.data(), sizeof length);
    if (length > max_bytes_) {
      return fail(ErrorCode::too_large, "a message of " + std::to_string(length) +
                                            " bytes, of at most " + std::to_string(max_bytes_));
    }
    buffer_.erase(0, sizeof length);
    length_ = length;
  }
  if (buffer_.size() < *length_) {
    return std::nullopt;
  }
  Message message;
  message.files = std::exchange(files_, {});
  if (buffer_.size() == *length_) {
    message.text = std::exchange(buffer_, {});
  } else {
    message.text = buffer_.substr(0, *length_);
    buffer_.erase(0, *length_);
  }
  length_.reset();
  return std::optional<Message>(std::move(message));
}

Result<Message> MessageReader::receive(int channel) {
  for (;;) {
    HONE_TRY(std::optional<Message> message, take_whole());
    if (message) {
      return *std::move(message);
    }
    HONE_CHECK(read_some(channel, Files::taken, 0));
  }
}

Result<std::optional<Message>> MessageReader::receive_ready(int channel, Files files) {
  for (int reads = 0;; ++reads) {
    HONE_TRY(std::optional<Message> message, take_whole());
    if (message || reads == kReadsAtATime) {
      return message;
    }
    HONE_TRY(const bool more, read_some(channel, files, MSG_DONTWAIT));
    if (!more) {
      return std::nullopt;
    }
  }
}

}  // namespace hone
