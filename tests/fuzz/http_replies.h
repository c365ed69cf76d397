// What a server may send over one connection, read strictly: whole replies that say what they are,
// then nothing. A violation ends the process (check.h). Not thread safe.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "server/http/http_server.h"
#include "tests/fuzz/check.h"

namespace hone {

// One request as the server's hook told of it.
struct Told {
  std::string method;
  int status = 0;
  std::string route{};
};

// Takes the bytes of a connection apart. `told` holds its requests in order; `cut`: the client left
// at once, so that replies may be missing or broken off.
class HttpReplies {
 public:
  HttpReplies(std::string_view bytes, const std::vector<Told>& told, bool cut)
      : left_(bytes), told_(told), cut_(cut) {}

  void check() {
    while (!left_.empty() && !ended_) {
      reply();
    }
    FUZZ_CHECK(left_.empty());
    FUZZ_CHECK(cut_ || answered_ == told_.size());
  }

 private:
  // A piece that must be there, unless the client left; then the rest is given up.
  bool missing() {
    FUZZ_CHECK(cut_ || may_be_cut_);
    left_ = {};
    ended_ = true;
    return true;
  }
  bool take_line(std::string_view& line) {
    const std::size_t end = left_.find("\r\n");
    if (end == std::string_view::npos) {
      return !missing();
    }
    line = left_.substr(0, end);
    left_.remove_prefix(end + 2);
    return true;
  }

  struct Head {
    int status = 0;
    bool chunked = false;
    bool close = false;
    bool json_problem = false;
    std::size_t length = 0;
    bool has_length = false;
    int known_headers = 0;
  };

  void header(std::string_view line, Head& head) {
    const std::size_t colon = line.find(": ");
    FUZZ_CHECK(colon != std::string_view::npos && colon > 0);
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 2);
    FUZZ_CHECK(std::ranges::all_of(
        name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-'; }));
    FUZZ_CHECK(std::ranges::all_of(
        value, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }));
    if (name == "Content-Length") {
      FUZZ_CHECK(!head.has_length);
      head.has_length = true;
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), head.length);
      FUZZ_CHECK(error == std::errc() && end == value.data() + value.size());
    } else if (name == "Transfer-Encoding") {
      FUZZ_CHECK(value == "chunked" && !head.chunked);
      head.chunked = true;
    } else if (name == "Connection") {
      FUZZ_CHECK(head.status == 101 || head.status == 426 || value == "close" ||
                 value == "keep-alive");
      head.close |= value == "close";
    } else if (name == "Content-Type") {
      head.json_problem = value == "application/problem+json";
    }
    for (const std::string_view wanted : {"X-Content-Type-Options", "Cache-Control",
                                          "Content-Security-Policy", "Referrer-Policy"}) {
      head.known_headers += name == wanted ? 1 : 0;
    }
  }

  void reply() {
    Head head;
    std::string_view line;
    if (!take_line(line)) {
      return;
    }
    FUZZ_CHECK(line.size() > 13 && line.starts_with("HTTP/1.1 ") && line[12] == ' ');
    head.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    FUZZ_CHECK(head.status >= 100 && head.status <= 599);
    for (;;) {
      if (!take_line(line)) {
        return;
      }
      if (line.empty()) {
        break;
      }
      header(line, head);
    }
    if (head.status == 100) {
      FUZZ_CHECK(head.known_headers == 0 && !head.has_length && !head.chunked);
      return;  // the reply itself follows
    }
    FUZZ_CHECK(head.known_headers == 4);
    FUZZ_CHECK(head.status < 500);
    if (cut_ && answered_ >= told_.size()) {
      missing();
      return;
    }
    FUZZ_CHECK(answered_ < told_.size());
    const Told& told = told_[answered_++];
    FUZZ_CHECK(told.status == head.status);
    if (head.status == 101) {
      frames();
      ended_ = true;
      return;
    }
    const bool no_body = head.status == 204 || head.status == 304;
    FUZZ_CHECK(no_body ? !head.has_length && !head.chunked : head.has_length != head.chunked);
    std::string body;
    if (!no_body && told.method != "HEAD" && !take_body(head, body)) {
      return;
    }
    FUZZ_CHECK((head.status >= 400) == head.json_problem);
    if (head.json_problem && told.method != "HEAD") {
      const Json document = Json::parse(body, nullptr, false);
      FUZZ_CHECK(document.is_object() && document.at("status") == head.status);
      FUZZ_CHECK(!document.at("detail").get<std::string>().empty());
    }
    ended_ = head.close;
  }

  bool take_body(const Head& head, std::string& body) {
    if (!head.chunked) {
      if (left_.size() < head.length) {
        return !missing();
      }
      body = left_.substr(0, head.length);
      left_.remove_prefix(head.length);
      return true;
    }
    may_be_cut_ = true;  // a stream ends where its client does
    for (;;) {
      std::string_view line;
      if (!take_line(line)) {
        return false;
      }
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
      FUZZ_CHECK(error == std::errc() && end == line.data() + line.size());
      if (left_.size() < size + 2) {
        return !missing();
      }
      FUZZ_CHECK(left_.substr(size, 2) == "\r\n");
      body += left_.substr(0, size);
      left_.remove_prefix(size + 2);
      if (size == 0) {
        may_be_cut_ = false;
        return true;
      }
    }
  }

  // Frames of a WebSocket: from a server they are never masked (RFC 6455).
  void frames() {
    while (!left_.empty()) {
      const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(left_[i]); };
      FUZZ_CHECK(left_.size() >= 2 || cut_);
      if (left_.size() < 2) {
        left_ = {};
        return;
      }
      FUZZ_CHECK((byte(0) & 0x70U) == 0 && (byte(1) & 0x80U) == 0);
      const unsigned code = byte(0) & 0x0fU;
      FUZZ_CHECK(code <= 2 || (code >= 8 && code <= 10));
      std::size_t head = 2;
      std::uint64_t size = byte(1);
      if (size >= 126) {
        FUZZ_CHECK(code < 8);  // control frames are short
        const std::size_t more = size == 126 ? 2 : 8;
        FUZZ_CHECK(left_.size() >= head + more || cut_);
        size = 0;
        for (std::size_t i = 0; i < more && head + i < left_.size(); ++i) {
          size = size << 8U | byte(head + i);
        }
        head += more;
      }
      FUZZ_CHECK(left_.size() >= head + size || cut_);
      if (left_.size() < head + size) {
        left_ = {};
        return;
      }
      FUZZ_CHECK(code != 1 || is_utf8(left_.substr(head, size)));
      left_.remove_prefix(head + size);
    }
  }

  std::string_view left_;
  const std::vector<Told>& told_;
  bool cut_;
  bool may_be_cut_ = false;
  bool ended_ = false;
  std::size_t answered_ = 0;
};

}  // namespace hone
