// The name of a program, as CompilerGym has it (00cd50f, datasets/uri.py):
//
//   scheme://dataset/path?params#fragment      benchmark:// may be left out
//
// Parsed as Python's urlparse does and written as its urlunparse: the path and the fragment are
// taken as they stand, names and values of parameters are decoded. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxUriBytes = 8192;

struct BenchmarkUri {
  std::string scheme;   // in lower case
  std::string dataset;  // "csmith-v0"
  std::string path;     // "/42", or empty
  // In the order of their first; those without a value are dropped.
  std::vector<std::pair<std::string, std::vector<std::string>>> params;
  std::string fragment;
  bool operator==(const BenchmarkUri&) const = default;
};

// invalid_argument for control characters, too_large past kMaxUriBytes; everything else is a URI.
Result<BenchmarkUri> parse_benchmark_uri(std::string_view text);

// What CompilerGym's str() gives: two spellings of one URI give one text.
std::string to_string(const BenchmarkUri& uri);

// "csmith-v0" is csmith, 0; nothing without a version tag.
struct DatasetTag {
  std::string name;
  std::uint32_t version = 0;
  bool operator==(const DatasetTag&) const = default;
};
std::optional<DatasetTag> dataset_tag(std::string_view dataset);

}  // namespace hone
