#include "server/http/body_memory.h"

namespace hone {

BodyMemory::Hold BodyMemory::hold(const std::string& token) {
  Entry& entry = *uses_.try_emplace(token).first;
  ++entry.second.holds;
  return {*this, entry};
}

BodyMemory::Hold& BodyMemory::Hold::operator=(Hold&& other) noexcept {
  if (this != &other) {
    release();
    memory_ = std::exchange(other.memory_, nullptr);
    entry_ = std::exchange(other.entry_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

BodyMemory::Room BodyMemory::Hold::add(std::uint64_t bytes) {
  Use& use = entry_->second;
  if (bytes > memory_->options_.token - use.bytes) {
    return Room::token_has_its_share;
  }
  if (bytes > memory_->options_.all - memory_->bytes_) {
    return Room::all_is_used;
  }
  use.bytes += bytes;
  memory_->bytes_ += bytes;
  bytes_ += bytes;
  return Room::given;
}

void BodyMemory::Hold::release() {
  if (memory_ == nullptr) {
    return;
  }
  Use& use = entry_->second;
  use.bytes -= bytes_;
  memory_->bytes_ -= bytes_;
  bytes_ = 0;
  if (--use.holds == 0) {
    memory_->uses_.erase(memory_->uses_.find(entry_->first));
  }
  memory_ = nullptr;
  entry_ = nullptr;
}

}  // namespace hone
