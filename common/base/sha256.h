// SHA-256: names of artifacts, policies and states; stored form of tokens. Not thread safe per
// object, free functions are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // 64 lower-case hexadecimal digits. Call once.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);

// Hash of a file's content, read in pieces. io_failed if it cannot be read, cancelled after a stop.
Result<std::string> sha256_file(const std::filesystem::path& path,
                                const std::stop_token& stop = {});

// Whether text is 64 lower-case hexadecimal digits.
bool is_sha256_hex(std::string_view text);

}  // namespace hone
