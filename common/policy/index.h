// A policy in the form the launcher reads: one binary file, read whole, looked up in
// microseconds. compile_index() makes it, PolicyIndex reads it.
//
// A decision file is an index too, holding only the rules of one source (decision_files.h).
// The reader trusts nothing: a magic number, a version, a checksum over the whole file, and every
// offset checked before it is followed; a damaged or hostile file is an error, never a crash.
// Writers replace a file by rename; one that is overwritten in place meanwhile is a damaged one for
// whoever reads it then, and nothing to who has read it. index_format.h describes the bytes.
// PolicyIndex is immutable and thread safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/policy/policy.h"

namespace hone {

// The bytes of an index. invalid_argument holds one FieldProblem a bad rule ("/rules/3/pipeline");
// the whole policy is refused then. too_large past 2^20 rules or 256 MiB.
Result<std::string> compile_index(const Policy& policy);

// What the launcher knows about a compile when it asks.
struct CompileKey {
  std::string_view source;              // relative to HONE_ROOT, or absolute if outside of it
  std::string_view output;              // likewise
  std::string_view option_fingerprint;  // 32 hexadecimal digits
  std::string_view level;               // O1 O2 O3 Os Oz
  std::string_view compiler_family;     // clang
  int compiler_major = 0;
};

// The rule that governs a compile.
struct IndexMatch {
  std::uint32_t rule = 0;  // its position in the policy, from 0
  Decision decision;
  std::string decision_hash;  // as decision_hash() gives it
  OnSourceChange on_source_change = OnSourceChange::keep;
  std::string source_hash;
};

class PolicyIndex {
 public:
  // not_found, io_failed, or invalid_argument for a file that is no index, of another version, or
  // damaged.
  static Result<PolicyIndex> open(const std::filesystem::path& path);
  // The same from bytes, which are kept.
  static Result<PolicyIndex> from_bytes(std::string bytes);

  ~PolicyIndex();
  PolicyIndex(PolicyIndex&&) noexcept;
  PolicyIndex& operator=(PolicyIndex&&) noexcept;

  // The first rule, in the policy's order, that matches; nothing if none does. invalid_argument if
  // the file turns out to be damaged.
  Result<std::optional<IndexMatch>> find(const CompileKey& key) const;

  std::uint32_t rule_count() const;
  std::uint64_t sequence() const;          // 0 in a decision file
  std::int64_t expires_at() const;         // seconds since 1970, 0: never (and in decision files)
  std::int64_t cpu_limit_seconds() const;  // 0: the launcher's default

 private:
  class Bytes;
  explicit PolicyIndex(std::unique_ptr<Bytes> bytes);
  static Result<PolicyIndex> check(std::unique_ptr<Bytes> bytes);
  std::unique_ptr<Bytes> bytes_;
};

}  // namespace hone
