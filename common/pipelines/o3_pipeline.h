// The compiler's own pipelines as text, to start a search from.
//
// What opt -passes='default<O3>' -print-pipeline-passes prints, without what does nothing for
// optimised code (verify, annotation-remarks, coroutine passes: modules with coroutines are not
// tuned). The printer loses parameters that have no spelling: the inliner's budgets and the level
// of loop-unroll-full. restoring_knobs() gives them back: with these, 14 of 15 files of lz4, bzip2
// and double-conversion compile to exactly the IR of default<O3>, 11 without. What stays lost is
// that the first vector-combine folds less in default<O3>. check_pipeline accepts the printed text,
// too. Constant data. Thread safe.
#pragma once

#include <span>
#include <string_view>

namespace hone {

// The flattened default<O3> of a major (19); empty if there is none for it.
std::string_view o3_pipeline(int llvm_major);

struct KnobValue {
  std::string_view name;
  std::string_view value;
};

// The knobs to set beside o3_pipeline() so that it starts from where default<O3> stands.
std::span<const KnobValue> restoring_knobs(int llvm_major);

// The flattened default<Oz> of a major (19); empty if there is none for it.
std::string_view oz_pipeline(int llvm_major);

}  // namespace hone
