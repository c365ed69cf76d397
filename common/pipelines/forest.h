// A pass pipeline as a forest: the text of LLVM's new pass manager, taken apart.
//
//   pipeline := [ node { ',' node } ]
//   node     := name [ '<' parameters '>' ] [ '(' pipeline ')' ]
//   name     := one or more of A-Z a-z 0-9 . _ -
//   parameters := any printable ASCII but '(' ')' ','; '<' and '>' nest and balance
//
// This is the grammar that opt -passes= accepts, and spaces, tabs and line ends around tokens,
// which LLVM refuses and canonical() removes. Which names exist and where they may stand is not the
// grammar's business: see action_table.h. Plain values, no LLVM needed. Thread safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/hash.h"
#include "common/base/result.h"

namespace hone {

inline constexpr std::size_t kMaxPipelineBytes = 64U << 10U;
inline constexpr std::size_t kMaxPipelineDepth = 16;  // "function(loop(licm))" has depth 3
inline constexpr std::size_t kMaxPipelineNodes = 4096;

struct PipelineNode {
  std::string name;
  std::optional<std::string> parameters;  // what stands between '<' and '>': "" is not absent
  std::vector<PipelineNode> children;
  bool nested = false;  // whether '(' ')' were written: "function()" is nested without children
  bool operator==(const PipelineNode&) const = default;
};

struct Forest {
  std::vector<PipelineNode> nodes;
  bool operator==(const Forest&) const = default;
};

// The forest of a text; an empty or blank text is an empty forest. too_large past a limit above;
// invalid_argument names the position (1-based byte) and what was expected there.
Result<Forest> parse_pipeline(std::string_view text);

// The text of a forest, without spaces. parse_pipeline(print(f)) == f for every parsed f.
std::string print(const Forest& forest);
std::string print(const PipelineNode& node);

// The number of nodes that are no pass managers (nothing nested), over all depths.
std::size_t count_passes(const Forest& forest);

// One spelling for forests that LLVM turns into the same pass managers:
//  - "early-cse<>" is "early-cse", and "a;b;" is "a;b": LLVM reads options up to the last ';';
//  - "function(function(a),b)" is "function(a,b)", and the same for module and cgscc, if the inner
//    manager has no parameters: PassManager::addPass moves the passes of an equal manager over;
//  - a nested node that is left without children ("function()") does nothing and is dropped.
// Adjacent adaptors are NOT merged. "function(a),function(b)" runs a on every function before b on
// the first, "function(a,b)" both on one function before the next: what a does to one function is
// seen (attributes of callees, uses of globals) by b on another, so the results may differ. The
// same holds for cgscc(...) over the components of the call graph, and for loop(...) over the
// loops. Parameters keep their order, since of two that contradict each other the last holds.
Forest canonical(Forest forest);

// XXH3 of the printed canonical form: equal for texts that differ in spelling only.
Hash128 pipeline_hash(const Forest& forest);
// The same for a text. Errors of parse_pipeline.
Result<Hash128> pipeline_hash(std::string_view text);

// The level "O1", "O2", "O3", "Os" or "Oz" if the text is exactly default<that> (blanks around it
// allowed): the compiler's own pipeline, which is run by not replacing it. Otherwise empty.
std::string_view default_level(std::string_view text);
// Whether default_level() finds one.
bool is_default(std::string_view text);

}  // namespace hone
