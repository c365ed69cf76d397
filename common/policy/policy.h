// A policy: versioned rules that say which pipeline and knobs which source file is compiled with.
//
// Plain values, free of JSON and of LLVM: the launcher uses them too. Not thread safe, copied
// freely.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// One setting of the compiler. For clang an option of LLVM, set by -mllvm -name=value
// (unroll-count, 4); for GCC an option or parameter (funroll-loops, true; max-unroll-times, 4), see
// common/pipelines/gcc_option_table.h.
struct Knob {
  std::string name;   // without dashes
  std::string value;  // as written after '='; true or false for a switch
  bool operator==(const Knob&) const = default;
};

// What happens to one compile.
struct Decision {
  // New-pass-manager text that replaces the middle end. "default<O3>" (any level) keeps the
  // compiler's own pipeline; with no knobs that means exactly the plain command.
  std::string pipeline = "default<O3>";
  std::vector<Knob> knobs;
  // A choice (common/choice/choice_model.h) in place of one pipeline, made inside the compile; ""
  // for none. With one, `pipeline` is default<...> and there are no knobs.
  std::string choice{};
  bool operator==(const Decision&) const = default;
};

// Whether a decision changes nothing: the compiler's own pipeline (default<...>), no knobs and no
// choice.
bool is_plain(const Decision& decision);

enum class OnSourceChange { keep, plain };

// Where a decision holds. The first rule that matches a compile governs it.
struct Rule {
  std::string source = "*";                  // glob over the source path relative to HONE_ROOT
  std::string output;                        // optional glob over the output path; empty: any
  std::string option_fingerprint;            // optional, 32 hexadecimal digits; empty: any
  std::vector<std::string> levels = {"O3"};  // optimisation levels it tunes: O1 O2 O3 Os Oz
  OnSourceChange on_source_change = OnSourceChange::keep;
  // XXH3-128 of the bytes of the source file the rule was validated on, 32 hexadecimal digits, as
  // `xxhsum -H2` prints. Needed for OnSourceChange::plain, otherwise informative.
  std::string source_hash;
  Decision decision;
  bool operator==(const Rule&) const = default;
};

struct CompilerScope {
  std::string family = "clang";
  int major = 19;
  std::string version;  // exact version it was validated on, informative
  bool operator==(const CompilerScope&) const = default;
};

struct Policy {
  std::string target;
  std::uint64_t sequence = 0;  // a launcher refuses one older than the last it saw
  CompilerScope compiler;
  std::string commit;           // the product's commit it was validated on, informative
  std::int64_t created_at = 0;  // seconds since 1970, UTC
  std::int64_t expires_at = 0;  // 0: never
  // CPU seconds one tuned compile may use in each of its processes; 0: the launcher's default.
  std::int64_t cpu_limit_seconds = 0;
  std::string provenance;  // campaign and candidate it came from, free text
  // What it was learnt from, for people: a JSON object as text, "" for none. Kept as it is.
  std::string card{};
  std::vector<Rule> rules;
  bool operator==(const Policy&) const = default;
};

}  // namespace hone
