// What one token may use: requests a second (a token bucket of one second's worth), requests under
// way, streams among those, and connections. So no client takes all of a server. Not thread safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hone {

struct TokenLimitOptions {
  double requests_per_second = 20'000;  // 0: without limit
  std::size_t requests = 3'072;         // under way; long polls and streams among them
  std::size_t streams = 256;            // of events and lines, and WebSockets
  std::size_t connections = 3'072;
};

class TokenLimits {
  struct Use {
    double tokens = 0;
    std::chrono::steady_clock::time_point filled;  // when `tokens` was right
    std::size_t requests = 0;
    std::size_t streams = 0;
    std::size_t connections = 0;
  };

 public:
  explicit TokenLimits(TokenLimitOptions options = {}) : options_(options) {}

  // Of a share that is held, and given back at the end. Must not outlive the limits.
  class Hold {
   public:
    Hold() = default;
    ~Hold() { release(); }
    Hold(Hold&& other) noexcept : count_(other.count_) { other.count_ = nullptr; }
    Hold& operator=(Hold&& other) noexcept {
      release();
      count_ = other.count_;
      other.count_ = nullptr;
      return *this;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    explicit operator bool() const { return count_ != nullptr; }

   private:
    friend class TokenLimits;
    explicit Hold(std::size_t& count) : count_(&count) { ++count; }
    void release() {
      if (count_ != nullptr) {
        --*count_;
        count_ = nullptr;
      }
    }
    std::size_t* count_ = nullptr;
  };

  // Counts a request; false when the token has none left at this time (one will be within a
  // second).
  bool spend(const std::string& token, std::chrono::steady_clock::time_point now);
  // Share in what may be under way; an empty Hold when the token has none left.
  Hold hold_request(const std::string& token);
  Hold hold_stream(const std::string& token);
  Hold hold_connection(const std::string& token);

  const TokenLimitOptions& options() const { return options_; }

 private:
  Use& use_of(const std::string& token);
  void forget_unused(std::chrono::steady_clock::time_point now);

  TokenLimitOptions options_;
  std::unordered_map<std::string, Use> uses_;  // by token's id; references stay valid
  std::size_t forget_at_ = 1024;
};

}  // namespace hone
