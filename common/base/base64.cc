#include "common/base/base64.h"

#include <openssl/evp.h>

#include <limits>

namespace hone {
namespace {

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* unsigned_bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  // With the zero that OpenSSL writes behind it.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(unsigned_bytes(text), unsigned_bytes(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > std::numeric_limits<int>::max()) {
    return fail(ErrorCode::invalid_argument, "not base64: " + std::to_string(text.size()) +
                                                 " letters, which must be a multiple of four");
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(unsigned_bytes(bytes), unsigned_bytes(text), static_cast<int>(text.size()));
  if (size < 0 || static_cast<std::size_t>(size) != bytes.size()) {
    return fail(ErrorCode::invalid_argument, "not base64: it holds other letters than those");
  }
  // OpenSSL counts the padding's zero bytes.
  const std::size_t end = text.find_last_not_of('=');
  const std::size_t padding = end == std::string_view::npos ? text.size() : text.size() - end - 1;
  if (padding > 2) {
    return fail(ErrorCode::invalid_argument, "not base64: more than two letters of padding");
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace hone
