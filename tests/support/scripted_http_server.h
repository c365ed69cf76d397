// A server that plays a script: for every connection, in order, what it answers to the request; or
// to several of them, one after the other.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/file.h"

namespace hone {

struct ScriptedAnswer {
  std::string text;                        // sent as it stands, then the connection is closed
  std::chrono::milliseconds delay{0};      // before it
  bool answer_at_header = false;           // without reading the request's body
  std::chrono::milliseconds keep_open{0};  // silence before closing
  bool goes_on = false;                    // the next answer is to a request on this connection
};

class ScriptedHttpServer {
 public:
  explicit ScriptedHttpServer(std::vector<ScriptedAnswer> script) : script_(std::move(script)) {
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(listener_.get(), 16);
    socklen_t size = sizeof address;
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { play(); });
  }
  ~ScriptedHttpServer() {
    done_ = true;
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  ScriptedHttpServer(const ScriptedHttpServer&) = delete;
  ScriptedHttpServer& operator=(const ScriptedHttpServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // How many connections there were.
  int connections() const { return connections_; }

  // The requests so far, header and body as they came.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void play() {
    UniqueFd peer;
    for (const ScriptedAnswer& answer : script_) {
      if (!peer) {
        peer = UniqueFd(accept(listener_.get(), nullptr, nullptr));
        ++connections_;
      }
      if (!peer || done_) {
        return;
      }
      read_request(peer.get(), answer.answer_at_header);
      pause(peer.get(), answer.delay);
      for (std::size_t sent = 0; sent < answer.text.size();) {
        const ssize_t n =
            send(peer.get(), answer.text.data() + sent, answer.text.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) {
          break;
        }
        sent += static_cast<std::size_t>(n);
      }
      pause(peer.get(), answer.keep_open);
      if (!answer.goes_on) {
        peer.reset();
      }
    }
  }

  // Until the time is over, the peer is gone or the test is done.
  void pause(int peer, std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!done_ && std::chrono::steady_clock::now() < end) {
      pollfd hangup{peer, POLLRDHUP, 0};
      if (poll(&hangup, 1, 20) > 0) {
        return;
      }
    }
  }

  void read_request(int peer, bool header_only) {
    std::string text;
    char piece[65536];
    std::size_t wanted = std::string::npos;
    while (text.size() < wanted) {
      const ssize_t got = recv(peer, piece, sizeof piece, 0);
      if (got <= 0) {
        break;
      }
      text.append(piece, static_cast<std::size_t>(got));
      const std::size_t end = text.find("\r\n\r\n");
      if (wanted == std::string::npos && end != std::string::npos) {
        const std::size_t at = text.find("Content-Length: ");
        const std::size_t length = at < end && !header_only ? std::stoul(text.substr(at + 16)) : 0;
        wanted = end + 4 + length;
      }
    }
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(text));
  }

  std::vector<ScriptedAnswer> script_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> done_{false};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

// A whole response with its length.
inline std::string http_response(const std::string& status_line, const std::string& body,
                                 const std::string& headers = "") {
  return "HTTP/1.1 " + status_line + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

}  // namespace hone
