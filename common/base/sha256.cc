#include "common/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>

namespace hone {

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> evp{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (!context_->evp || EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL offers no SHA-256");
  }
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_->evp.get(), digest.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (unsigned int i = 0; i < size; ++i) {
    text.push_back(kDigits[digest[i] >> 4U]);
    text.push_back(kDigits[digest[i] & 15U]);
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Result<std::string> sha256_file(const std::filesystem::path& path, const std::stop_token& stop) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return system_error("cannot read " + path.string(), errno);
  }
  Sha256 hash;
  std::string piece(std::size_t{1} << 16U, '\0');
  while (file) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "stopped on request while reading " + path.string());
    }
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash.update({piece.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) {
    return system_error("cannot read " + path.string(), errno);
  }
  return hash.finish();
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace hone
