#include "engine/session/message_writer.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/session/channel.h"

namespace hone {
namespace {

void add_files(msghdr& header, ControlBuffer& control, const std::vector<int>& files) {
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
  cmsghdr* const rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
  std::memcpy(CMSG_DATA(rights), files.data(), files.size() * sizeof(int));
}

std::size_t bytes_of(std::string_view text) {
  return sizeof(std::uint64_t) + text.size();
}

// Of a message of which `sent` bytes are gone, some more, and how many; files go with the first.
// With MSG_DONTWAIT, 0 if there is no room.
Result<std::size_t> send_some(int channel, std::string_view text, std::size_t sent,
                              const std::vector<int>& files, int flags) {
  std::uint64_t size = text.size();
  const std::size_t of_size = std::min(sent, sizeof size);
  const std::string_view rest = text.substr(sent - of_size);
  // Both are only read.
  iovec parts[] = {{reinterpret_cast<char*>(&size) + of_size, sizeof size - of_size},
                   {const_cast<char*>(rest.data()), rest.size()}};
  msghdr header{};
  header.msg_iov = parts;
  header.msg_iovlen = std::size(parts);
  ControlBuffer control{};
  if (sent == 0 && !files.empty()) {
    add_files(header, control, files);
  }
  ssize_t got = 0;
  do {
    got = sendmsg(channel, &header, MSG_NOSIGNAL | flags);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return std::size_t{0};
  }
  if (got <= 0) {
    return channel_closed();
  }
  return static_cast<std::size_t>(got);
}

}  // namespace

Result<void> send_message(int channel, std::string_view text, const std::vector<int>& files) {
  for (std::size_t sent = 0; sent < bytes_of(text);) {
    HONE_TRY(const std::size_t more, send_some(channel, text, sent, files, 0));
    sent += more;
  }
  return {};
}

Result<void> MessageWriter::start(int channel, std::string text, const std::vector<int>& files) {
  text_ = std::move(text);
  HONE_TRY(sent_, send_some(channel, text_, 0, files, MSG_DONTWAIT));
  if (sent_ == 0 && !files.empty()) {
    return channel_closed();
  }
  sending_ = true;
  return send_ready(channel);
}

Result<void> MessageWriter::send_ready(int channel) {
  while (sending_) {
    if (sent_ == bytes_of(text_)) {
      sending_ = false;
      text_ = {};
      break;
    }
    HONE_TRY(const std::size_t more, send_some(channel, text_, sent_, {}, MSG_DONTWAIT));
    if (more == 0) {
      break;
    }
    sent_ += more;
  }
  return {};
}

}  // namespace hone
