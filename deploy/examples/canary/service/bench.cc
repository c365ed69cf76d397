// zstd_bench FILE LEVEL TIMES [back]: what the service does to a text, TIMES times over: pieces of
// 64 KiB are fingerprinted and compressed; with "back" they are decompressed and compared as well.
// Prints a checksum of what came out: the same for every correct build.
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "fingerprint.h"

namespace {

constexpr std::size_t kPiece = 65536;

// FNV-1a's step, with a word at a time.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return (hash ^ word) * 1099511628211U;
}

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) {
    hash = mix(hash, static_cast<unsigned char>(byte));
  }
  return hash;
}

// Compresses `piece` into `packed`; whether that went well. With `back` it must come out again.
bool compress(std::string_view piece, int level, bool back, std::string& packed) {
  packed.resize(ZSTD_compressBound(kPiece));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), piece.data(), piece.size(), level);
  if (ZSTD_isError(size) != 0) {
    std::fprintf(stderr, "zstd_bench: %s\n", ZSTD_getErrorName(size));
    return false;
  }
  packed.resize(size);
  if (!back) {
    return true;
  }
  std::string plain(kPiece, '\0');
  const std::size_t length = ZSTD_decompress(plain.data(), plain.size(), packed.data(), size);
  if (ZSTD_isError(length) != 0 || std::string_view(plain.data(), length) != piece) {
    std::fprintf(stderr, "zstd_bench: what was decompressed is not what was compressed\n");
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool back = argc == 5 && std::string_view(argv[4]) == "back";
  if (argc != 4 && !back) {
    std::fprintf(stderr, "usage: zstd_bench FILE LEVEL TIMES [back]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) {
    std::fprintf(stderr, "zstd_bench: cannot read %s\n", argv[1]);
    return 1;
  }
  const int level = std::atoi(argv[2]);
  const int times = std::atoi(argv[3]);
  std::string packed;
  std::uint64_t hash = 14695981039346656037U;
  for (int i = 0; i < times; ++i) {
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      const std::string_view piece = std::string_view(text).substr(at, kPiece);
      if (!compress(piece, level, back, packed)) {
        return 1;
      }
      const auto* const bytes = reinterpret_cast<const unsigned char*>(piece.data());
      hash = mix(hash, words_fingerprint(bytes, piece.size()));
      hash = mix(hash, slopes_fingerprint(bytes, piece.size()));
      hash = i == 0 ? mix(hash, packed) : mix(hash, packed.size());
    }
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return 0;
}
