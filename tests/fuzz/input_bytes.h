// Small choices read off a fuzzer's input, zeros when it is used up. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

class InputBytes {
 public:
  InputBytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }
  std::uint8_t next() {
    if (size_ == 0) {
      return 0;
    }
    --size_;
    return *data_++;
  }
  // A number below `bound`, which is 1 to 256.
  std::size_t below(std::size_t bound) { return next() % bound; }
  // The bytes up to the next zero, which is taken away.
  std::string text() {
    std::string read;
    while (size_ > 0) {
      const auto byte = static_cast<char>(next());
      if (byte == '\0') {
        break;
      }
      read.push_back(byte);
    }
    return read;
  }
  std::string rest() {
    std::string read(reinterpret_cast<const char*>(data_), size_);
    size_ = 0;
    return read;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace hone
