// The compiler's own pipelines as text, to start a search from.
//
// What opt -passes='default<O3>' -print-pipeline-passes prints, without what does nothing for
// optimised code (verify, annotation-remarks, coroutine passes: modules with coroutines are not
// tuned). The text is a starting point, not a synonym: the printer loses the inliner's parameters,
// so that it compiles to slightly other code than default<O3>. check_pipeline accepts both texts.
// Constant data. Thread safe.
#pragma once

#include <string_view>

namespace hone {

// The flattened default<O3> of a major (19); empty if there is none for it.
std::string_view o3_pipeline(int llvm_major);

// The flattened default<Oz> of a major (19); empty if there is none for it.
std::string_view oz_pipeline(int llvm_major);

}  // namespace hone
