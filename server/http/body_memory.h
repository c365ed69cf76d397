// What bodies hold of the memory: those of requests that are read whole, and those of answers that
// their clients have not taken yet. Bounded for all together and for each token: many clients that
// are slow, by accident or on purpose, cannot fill it. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace hone {

struct BodyMemoryOptions {
  std::uint64_t all = std::uint64_t{512} << 20U;
  std::uint64_t token = std::uint64_t{256} << 20U;  // of one token
};

class BodyMemory {
  struct Use {
    std::uint64_t bytes = 0;
    std::size_t holds = 0;
  };
  using Entry = std::pair<const std::string, Use>;

 public:
  enum class Room {
    given,
    token_has_its_share,
    all_is_used,
  };

  explicit BodyMemory(BodyMemoryOptions options = {}) : options_(options) {}

  // What one request holds, given back at its end. Must not outlive the memory.
  class Hold {
   public:
    Hold() = default;
    ~Hold() { release(); }
    Hold(Hold&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)),
          entry_(std::exchange(other.entry_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Hold& operator=(Hold&& other) noexcept;
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    explicit operator bool() const { return memory_ != nullptr; }

    // So many bytes more; they are counted only if there is room for them.
    Room add(std::uint64_t bytes);

   private:
    friend class BodyMemory;
    Hold(BodyMemory& memory, Entry& entry) : memory_(&memory), entry_(&entry) {}
    void release();

    BodyMemory* memory_ = nullptr;
    Entry* entry_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  // Of nothing yet. `token` is its id.
  Hold hold(const std::string& token);

  std::uint64_t bytes() const { return bytes_; }
  const BodyMemoryOptions& options() const { return options_; }

 private:
  BodyMemoryOptions options_;
  std::unordered_map<std::string, Use> uses_;  // of tokens that hold some; references stay valid
  std::uint64_t bytes_ = 0;
};

}  // namespace hone
