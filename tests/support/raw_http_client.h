// A TCP client that sends exactly the bytes a test wants, HTTP or not, each piece at once, and
// reads what comes back.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/file.h"

namespace hone {

struct RawResponse {
  int status = 0;         // 0: the connection ended before a whole response
  std::string head;       // status line and headers, each ended by "\r\n"
  std::string body;       // as framed: chunks joined, or Content-Length bytes
  bool complete = false;  // false: cut off within the body

  // The value of a header (name as the server writes it), or "".
  std::string header(std::string_view name) const {
    const std::string key = "\r\n" + std::string(name) + ": ";
    const std::size_t at = head.find(key);
    if (at == std::string::npos) {
      return "";
    }
    const std::size_t begin = at + key.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class RawHttpClient {
 public:
  explicit RawHttpClient(std::uint16_t port,
                         std::chrono::milliseconds patience = std::chrono::seconds(20))
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), patience_(patience) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const int at_once = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  }

  bool connected() const { return connected_; }

  // False if the peer closed before all was sent.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void finish_sending() { shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_.reset(); }

  // One response. `no_body` for answers to HEAD.
  RawResponse receive(bool no_body = false) {
    RawResponse response;
    const std::optional<std::string> head = read_through("\r\n\r\n");
    if (!head || !head->starts_with("HTTP/1.1 ")) {
      return response;
    }
    response.head = *head;
    response.status = std::stoi(head->substr(9, 3));
    if (no_body || response.status == 204 || response.status == 304 || response.status == 100) {
      response.complete = true;
    } else if (response.header("Transfer-Encoding") == "chunked") {
      response.complete = read_chunks(response.body);
    } else {
      const std::string length = response.header("Content-Length");
      const std::size_t size = length.empty() ? 0 : std::stoul(length);
      while (buffer_.size() < size && fill()) {
      }
      response.complete = buffer_.size() >= size;
      response.body = take(std::min(size, buffer_.size()));
    }
    return response;
  }

  // The next `text`-ended piece of the stream as it comes, or nothing if the connection ends first.
  std::optional<std::string> read_through(std::string_view text) {
    for (;;) {
      const std::size_t at = buffer_.find(text);
      if (at != std::string::npos) {
        return take(at + text.size());
      }
      if (!fill()) {
        return std::nullopt;
      }
    }
  }

  // Whether the server closes (rather than sends or stays silent) within the patience.
  bool closed_by_server() { return buffer_.empty() && !fill() && ended_; }

 private:
  bool fill() {
    pollfd waiting{socket_.get(), POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(patience_.count())) <= 0) {
      return false;
    }
    char piece[65536];
    const ssize_t got = recv(socket_.get(), piece, sizeof piece, 0);
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    buffer_.append(piece, static_cast<std::size_t>(got));
    return true;
  }

  std::string take(std::size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }

  bool read_chunks(std::string& body) {
    for (;;) {
      const std::optional<std::string> line = read_through("\r\n");
      if (!line) {
        return false;
      }
      const std::size_t size = std::stoul(*line, nullptr, 16);
      while (buffer_.size() < size + 2) {
        if (!fill()) {
          return false;
        }
      }
      body += take(size);
      take(2);
      if (size == 0) {
        return true;
      }
    }
  }

  UniqueFd socket_;
  std::chrono::milliseconds patience_;
  std::string buffer_;
  bool connected_ = false;
  bool ended_ = false;
};

}  // namespace hone
