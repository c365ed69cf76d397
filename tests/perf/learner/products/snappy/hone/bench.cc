// bench FILE TIMES: compresses and decompresses the file so often, then prints what came out.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "snappy.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::string packed;
  std::string back;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    snappy::Compress(data.data(), data.size(), &packed);
    for (int j = 0; j < 3; ++j) {
      if (!snappy::Uncompress(packed.data(), packed.size(), &back) || back != data) {
        return 1;
      }
    }
  }
  std::uint64_t hash = 14695981039346656037U;
  for (const unsigned char byte : packed) {
    hash = (hash ^ byte) * 1099511628211U;
  }
  std::printf("%zu %016llx\n", packed.size(), static_cast<unsigned long long>(hash));
}
