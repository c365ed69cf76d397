#include "common/pipelines/o3_pipeline.h"

namespace hone {
namespace {

constexpr std::string_view kO3For19 =
    "annotation2metadata,forceattrs,inferattrs,function<eager-inv>(ee-instrument,lower-expect,"
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;no-switch-range-to-icmp;"
    "no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,sroa<modify-cfg>,"
    "early-cse,callsite-splitting),openmp-opt,ipsccp,called-value-propagation,globalopt,"
    "function<eager-inv>(mem2reg,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>,simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;"
    "switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;"
    "no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>),"
    "always-inline,require<globals-aa>,function(invalidate<aa>),require<profile-summary>,"
    "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,argpromotion,"
    "openmp-opt-cgscc,function<eager-inv;no-rerun>(sroa<modify-cfg>,early-cse<memssa>,"
    "speculative-execution<only-if-divergent-target>,jump-threading,correlated-propagation,"
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;"
    "no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,aggressive-instcombine,"
    "libcalls-shrinkwrap,tailcallelim,simplifycfg<bonus-inst-threshold=1;"
    "no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;"
    "no-speculate-unpredictables>,reassociate,constraint-elimination,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
    "loop-rotate<header-duplication;no-prepare-for-lto>,licm<allowspeculation>,"
    "simple-loop-unswitch<nontrivial;trivial>),simplifycfg<bonus-inst-threshold=1;"
    "no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;"
    "no-speculate-unpredictables>,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>,loop(loop-idiom,indvars,simple-loop-unswitch<nontrivial;trivial>,"
    "loop-deletion,loop-unroll-full),sroa<modify-cfg>,vector-combine,"
    "mldst-motion<no-split-footer-bb>,gvn,sccp,bdce,instcombine<max-iterations=1;"
    "no-use-loop-info;no-verify-fixpoint>,jump-threading,correlated-propagation,adce,memcpyopt,"
    "dse,move-auto-init,loop-mssa(licm<allowspeculation>),simplifycfg<bonus-inst-threshold=1;"
    "no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"
    "hoist-common-insts;sink-common-insts;speculate-blocks;simplify-cond-branch;"
    "no-speculate-unpredictables>,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>),function-attrs,function(require<should-not-run-function-passes>))),"
    "deadargelim,globalopt,globaldce,elim-avail-extern,rpo-function-attrs,recompute-globalsaa,"
    "function<eager-inv>(float2int,lower-constant-intrinsics,chr,"
    "loop(loop-rotate<header-duplication;no-prepare-for-lto>,loop-deletion),loop-distribute,"
    "inject-tli-mappings,loop-vectorize<no-interleave-forced-only;no-vectorize-forced-only>,"
    "infer-alignment,loop-load-elim,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>,simplifycfg<bonus-inst-threshold=1;forward-switch-cond;"
    "switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,slp-vectorizer,"
    "vector-combine,instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,"
    "loop-unroll<O3>,transform-warning,sroa<preserve-cfg>,infer-alignment,"
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,"
    "loop-mssa(licm<allowspeculation>),alignment-from-assumptions,loop-sink,instsimplify,"
    "div-rem-pairs,tailcallelim,simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;"
    "switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;"
    "no-sink-common-insts;speculate-blocks;simplify-cond-branch;speculate-unpredictables>),"
    "globaldce,constmerge,cg-profile,rel-lookup-table-converter";

constexpr std::string_view kOzFor19 =
    "annotation2metadata,forceattrs,inferattrs,function<eager-inv>(ee-instrument,lower-expect,"
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;no-switch-range-to-icmp;"
    "no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,sroa<modify-cfg>,"
    "early-cse),openmp-opt,ipsccp,called-value-propagation,globalopt,"
    "function<eager-inv>(mem2reg,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>,simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;"
    "switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;"
    "no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>),"
    "always-inline,require<globals-aa>,function(invalidate<aa>),require<profile-summary>,"
    "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,"
    "function<eager-inv;no-rerun>(sroa<modify-cfg>,early-cse<memssa>,"
    "speculative-execution<only-if-divergent-target>,jump-threading,correlated-propagation,"
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;"
    "no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,aggressive-instcombine,"
    "tailcallelim,simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;"
    "switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;"
    "no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"
    "reassociate,constraint-elimination,loop-mssa(loop-instsimplify,loop-simplifycfg,"
    "licm<no-allowspeculation>,loop-rotate<no-header-duplication;no-prepare-for-lto>,"
    "licm<allowspeculation>,simple-loop-unswitch<no-nontrivial;trivial>),"
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;"
    "no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,loop(loop-idiom,indvars,"
    "simple-loop-unswitch<no-nontrivial;trivial>,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,vector-combine,mldst-motion<no-split-footer-bb>,gvn,sccp,bdce,"
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,jump-threading,"
    "correlated-propagation,adce,memcpyopt,dse,move-auto-init,"
    "loop-mssa(licm<allowspeculation>),simplifycfg<bonus-inst-threshold=1;"
    "no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"
    "hoist-common-insts;sink-common-insts;speculate-blocks;simplify-cond-branch;"
    "no-speculate-unpredictables>,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>),function-attrs,function(require<should-not-run-function-passes>))),"
    "deadargelim,globalopt,globaldce,elim-avail-extern,rpo-function-attrs,recompute-globalsaa,"
    "function<eager-inv>(float2int,lower-constant-intrinsics,"
    "loop(loop-rotate<no-header-duplication;no-prepare-for-lto>,loop-deletion),loop-distribute,"
    "inject-tli-mappings,loop-vectorize<no-interleave-forced-only;vectorize-forced-only>,"
    "infer-alignment,loop-load-elim,instcombine<max-iterations=1;no-use-loop-info;"
    "no-verify-fixpoint>,simplifycfg<bonus-inst-threshold=1;forward-switch-cond;"
    "switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,vector-combine,"
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,loop-unroll<O2>,"
    "transform-warning,sroa<preserve-cfg>,infer-alignment,instcombine<max-iterations=1;"
    "no-use-loop-info;no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),"
    "alignment-from-assumptions,loop-sink,instsimplify,div-rem-pairs,tailcallelim,"
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;"
    "no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;speculate-unpredictables>),globaldce,constmerge,"
    "cg-profile,rel-lookup-table-converter";

// 250 and 525 are the budgets of -O3; a given inline-threshold would apply to cold calls as well,
// so their 45 is given, too. 300 is what loop-unroll-full uses at -O3, 150 what its bare name
// means.
constexpr KnobValue kRestoringFor19[] = {{"inline-threshold", "250"},
                                         {"inlinecold-threshold", "45"},
                                         {"locally-hot-callsite-threshold", "525"},
                                         {"unroll-threshold-default", "300"}};

}  // namespace

std::string_view o3_pipeline(int llvm_major) {
  return llvm_major == 19 ? kO3For19 : std::string_view();
}

std::span<const KnobValue> restoring_knobs(int llvm_major) {
  return llvm_major == 19 ? std::span<const KnobValue>(kRestoringFor19)
                          : std::span<const KnobValue>();
}

std::string_view oz_pipeline(int llvm_major) {
  return llvm_major == 19 ? kOzFor19 : std::string_view();
}

}  // namespace hone
