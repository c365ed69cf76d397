// Fuzzes the reader of the index and of decision files, which are small indexes. Input: a byte that
// says whether magic number, sizes and checksum are made right, so that what lies behind them is
// reached, a source, an output, and the file.
#include <cstring>
#include <string>

#include "common/policy/index.h"
#include "common/policy/index_format.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input_bytes.h"

namespace {

void make_header_right(std::string& bytes) {
  hone::index_format::Header header;
  if (bytes.size() < sizeof header) {
    bytes.resize(sizeof header);
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = hone::index_format::kMagic;
  header.version = hone::index_format::kVersion;
  header.header_size = sizeof header;
  header.file_size = bytes.size();
  const std::uint64_t sections = sizeof header +
                                 sizeof(hone::index_format::RuleRecord) * header.rule_count +
                                 sizeof(hone::index_format::KnobRecord) * header.knob_count +
                                 4ULL * header.bucket_count + 4ULL * header.glob_count;
  if (sections <= bytes.size()) {
    header.strings_size = static_cast<std::uint32_t>(bytes.size() - sections);
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  const hone::Hash128 checksum =
      hone::hash128(std::string_view(bytes).substr(hone::index_format::kChecksumEnd));
  header.checksum_low = checksum.low;
  header.checksum_high = checksum.high;
  std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hone::InputBytes input(data, size);
  const bool repair = input.next() % 8 != 0;
  const std::string source = input.text();
  const std::string output = input.text();
  std::string bytes = input.rest();
  if (repair) {
    make_header_right(bytes);
  }
  const hone::Result<hone::PolicyIndex> index = hone::PolicyIndex::from_bytes(std::move(bytes));
  if (!index.has_value()) {
    return 0;
  }
  for (const std::string_view level : {"O1", "O2", "O3", "Os", "Oz", "O9", ""}) {
    for (const std::string_view family : {"clang", "gcc"}) {
      const auto found =
          index->find({source, output, "0123456789abcdef0123456789abcdef", level, family, 19});
      if (found.has_value() && found->has_value()) {
        FUZZ_CHECK((*found)->rule < index->rule_count());
      }
    }
  }
  return 0;
}
