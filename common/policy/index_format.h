// The bytes of a policy index. Used by its writer and its reader only.
//
//   file    := header rules knobs buckets globs strings
//   rules   := rule_count RuleRecord, in the policy's order
//   knobs   := knob_count KnobRecord; a rule's knobs stand together. A choice is one named
//              kChoiceName: a launcher that knows no choices finds that knob not allowed, and
//              stays plain
//   buckets := bucket_count u32: hash table of the rules whose source is no pattern. A bucket holds
//              the lowest such rule + 1 (0: none), RuleRecord::next the following one + 1
//   globs   := glob_count u32: the rules whose source is a pattern, ascending
//   strings := bytes that TextSpan points into; equal texts are stored once
//
// Numbers are little-endian as on every machine we build for; a file from another byte order fails
// by its magic number. Sections follow each other without a gap, so that their offsets are implied
// by the counts. The checksum is XXH3-128 of everything behind it.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/hash.h"

namespace hone::index_format {

inline constexpr std::uint64_t kMagic = 0x31584449454e4f48ULL;  // "HONEIDX1"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kMaxRules = 1U << 20U;
inline constexpr std::uint64_t kMaxBytes = 256U << 20U;

inline constexpr std::string_view kChoiceName = "choice!";  // no option has a '!'

struct TextSpan {
  std::uint32_t offset = 0;  // within strings
  std::uint32_t size = 0;
};

struct Header {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t header_size = 0;
  std::uint64_t checksum_low = 0;
  std::uint64_t checksum_high = 0;
  // What the checksum covers begins here.
  std::uint64_t file_size = 0;
  std::uint64_t sequence = 0;
  std::int64_t expires_at = 0;
  std::int64_t cpu_limit_seconds = 0;
  std::uint32_t rule_count = 0;
  std::uint32_t knob_count = 0;
  std::uint32_t bucket_count = 0;  // a power of two, or 0
  std::uint32_t glob_count = 0;
  std::uint32_t strings_size = 0;
  std::uint32_t reserved = 0;
};
inline constexpr std::size_t kChecksumEnd = 32;

struct RuleRecord {
  TextSpan source;
  TextSpan output;
  TextSpan option_fingerprint;
  TextSpan source_hash;
  TextSpan compiler_family;
  TextSpan pipeline;
  TextSpan decision_hash;
  std::uint32_t compiler_major = 0;
  std::uint32_t levels = 0;            // set of level_bit()
  std::uint32_t on_source_change = 0;  // 0 keep, 1 plain
  std::uint32_t first_knob = 0;
  std::uint32_t knob_count = 0;
  std::uint32_t next = 0;
};

struct KnobRecord {
  TextSpan name;
  TextSpan value;
};

static_assert(sizeof(Header) == 88 && sizeof(RuleRecord) == 80 && sizeof(KnobRecord) == 16,
              "the format has no padding");

inline bool is_pattern(std::string_view source) {
  return source.find_first_of("*?") != std::string_view::npos;
}

inline std::uint32_t bucket_of(std::string_view source, std::uint32_t bucket_count) {
  return static_cast<std::uint32_t>(hash128(source).low) & (bucket_count - 1);
}

}  // namespace hone::index_format
