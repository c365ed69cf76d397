// Characters that std::regex reads, by which its work is kept within limits.
//
// std::regex has no limit of its own, cannot be interrupted, and recurses: a few calls for each
// character and each part of the pattern that repeats. It goes through the text by iterators,
// though, which it reads, compares and assigns wherever a pattern repeats something or fails. So
// these count, look at the stack and at times at the clock, and throw what ends the search. Between
// two such looks lie no more calls than the automaton has states, of which libstdc++ allows
// 100,000.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace hone {

// What a search may use. Of the thread that made it, which is not deeper in its stack later.
class MatchLimits {
 public:
  enum class Exceeded : std::uint8_t { steps, depth, time };

  MatchLimits(std::uint64_t steps, std::size_t depth, std::chrono::nanoseconds time)
      : left_(steps),
        depth_(depth),
        stack_(here()),
        end_(std::chrono::steady_clock::now() + time) {}

  void step() {
    if (left_ == 0) {
      throw Exceeded::steps;
    }
    if (--left_ % kStepsPerLook == 0 && std::chrono::steady_clock::now() > end_) {
      throw Exceeded::time;
    }
    look_down();
  }
  // Stacks grow downwards on all machines that there are workers for.
  void look_down() const {
    if (stack_ - here() > depth_) {
      throw Exceeded::depth;
    }
  }

 private:
  static constexpr std::uint64_t kStepsPerLook = 256;
  static std::uintptr_t here() {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }

  std::uint64_t left_;
  std::size_t depth_;
  std::uintptr_t stack_;
  std::chrono::steady_clock::time_point end_;
};

class WatchedCharacters {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedCharacters() = default;
  WatchedCharacters(const char* at, MatchLimits* limits) : at_(at), limits_(limits) {}
  WatchedCharacters(const WatchedCharacters&) = default;
  WatchedCharacters& operator=(const WatchedCharacters& other) {
    at_ = other.at_;
    limits_ = other.limits_;
    if (limits_ != nullptr) {
      limits_->look_down();
    }
    return *this;
  }
  ~WatchedCharacters() = default;

  reference operator*() const {
    limits_->step();
    return *at_;
  }
  WatchedCharacters& operator++() {
    ++at_;
    return *this;
  }
  WatchedCharacters& operator--() {
    --at_;
    return *this;
  }
  WatchedCharacters operator++(int) { return {at_++, limits_}; }
  WatchedCharacters operator--(int) { return {at_--, limits_}; }
  bool operator==(const WatchedCharacters& other) const {
    if (limits_ != nullptr) {
      limits_->step();
    }
    return at_ == other.at_;
  }
  const char* address() const { return at_; }

 private:
  const char* at_ = nullptr;
  MatchLimits* limits_ = nullptr;
};

}  // namespace hone
