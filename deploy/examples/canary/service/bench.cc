// zstd_bench FILE LEVEL TIMES: compresses FILE in pieces of 64 KiB, TIMES times over, and
// decompresses them again. Prints a checksum of what came out: the same for every correct build.
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t kPiece = 65536;

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;  // FNV-1a
  }
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: zstd_bench FILE LEVEL TIMES\n");
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
  std::string packed(ZSTD_compressBound(kPiece), '\0');
  std::string plain(kPiece, '\0');
  std::uint64_t hash = 14695981039346656037U;
  for (int i = 0; i < times; ++i) {
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      const std::string_view piece = std::string_view(text).substr(at, kPiece);
      const std::size_t size =
          ZSTD_compress(packed.data(), packed.size(), piece.data(), piece.size(), level);
      if (ZSTD_isError(size) != 0) {
        std::fprintf(stderr, "zstd_bench: %s\n", ZSTD_getErrorName(size));
        return 1;
      }
      const std::size_t back = ZSTD_decompress(plain.data(), plain.size(), packed.data(), size);
      if (ZSTD_isError(back) != 0 || std::string_view(plain.data(), back) != piece) {
        std::fprintf(stderr, "zstd_bench: what was decompressed is not what was compressed\n");
        return 1;
      }
      hash = mix(hash, std::string_view(packed.data(), size));
    }
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return 0;
}
