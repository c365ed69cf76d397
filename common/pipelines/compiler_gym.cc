#include "common/pipelines/compiler_gym.h"

#include <algorithm>
#include <array>

#include "common/pipelines/action_space.h"
#include "common/pipelines/forest.h"

namespace hone {
namespace {

// Levels are those at which LLVM 19 has the pass, a loop nest's being loop.
constexpr auto kActions = std::to_array<CompilerGymAction>({
    {"add-discriminators", "add-discriminators", PassLevel::function, ""},
    {"adce", "adce", PassLevel::function, ""},
    {"aggressive-instcombine", "aggressive-instcombine", PassLevel::function, ""},
    {"alignment-from-assumptions", "alignment-from-assumptions", PassLevel::function, ""},
    {"always-inline", "always-inline", PassLevel::module, ""},
    {"argpromotion", "argpromotion", PassLevel::cgscc, ""},
    {"attributor", "attributor", PassLevel::module, ""},
    {"barrier", "", PassLevel::function,
     "LLVM 19 has no such pass: it kept the legacy pass manager from merging neighbours"},
    {"bdce", "bdce", PassLevel::function, ""},
    {"break-crit-edges", "break-crit-edges", PassLevel::function, ""},
    {"simplifycfg", "simplifycfg", PassLevel::function, ""},
    {"callsite-splitting", "callsite-splitting", PassLevel::function, ""},
    {"called-value-propagation", "called-value-propagation", PassLevel::module, ""},
    {"canonicalize-aliases", "canonicalize-aliases", PassLevel::module, ""},
    {"consthoist", "consthoist", PassLevel::function, ""},
    {"constmerge", "constmerge", PassLevel::module, ""},
    {"constprop", "instsimplify", PassLevel::function,
     "instsimplify is the closest that LLVM 19 has"},
    {"coro-cleanup", "coro-cleanup", PassLevel::module, ""},
    {"coro-early", "coro-early", PassLevel::module, ""},
    {"coro-elide", "coro-elide", PassLevel::function, ""},
    {"coro-split", "coro-split", PassLevel::cgscc, ""},
    {"correlated-propagation", "correlated-propagation", PassLevel::function, ""},
    {"cross-dso-cfi", "cross-dso-cfi", PassLevel::module, ""},
    {"deadargelim", "deadargelim", PassLevel::module, ""},
    {"dce", "dce", PassLevel::function, ""},
    {"die", "dce", PassLevel::function, "dce is the closest that LLVM 19 has"},
    {"dse", "dse", PassLevel::function, ""},
    {"reg2mem", "reg2mem", PassLevel::function, ""},
    {"div-rem-pairs", "div-rem-pairs", PassLevel::function, ""},
    {"early-cse-memssa", "early-cse<memssa>", PassLevel::function, "renamed"},
    {"early-cse", "early-cse", PassLevel::function, ""},
    {"elim-avail-extern", "elim-avail-extern", PassLevel::module, ""},
    {"ee-instrument", "ee-instrument", PassLevel::function, ""},
    {"flattencfg", "flatten-cfg", PassLevel::function, "renamed"},
    {"float2int", "float2int", PassLevel::function, ""},
    {"forceattrs", "forceattrs", PassLevel::module, ""},
    {"inline", "inline", PassLevel::cgscc, ""},
    {"insert-gcov-profiling", "insert-gcov-profiling", PassLevel::module, ""},
    {"gvn-hoist", "gvn-hoist", PassLevel::function, ""},
    {"gvn", "gvn", PassLevel::function, ""},
    {"globaldce", "globaldce", PassLevel::module, ""},
    {"globalopt", "globalopt", PassLevel::module, ""},
    {"globalsplit", "globalsplit", PassLevel::module, ""},
    {"guard-widening", "guard-widening", PassLevel::function, ""},
    {"hotcoldsplit", "hotcoldsplit", PassLevel::module, ""},
    {"ipconstprop", "ipsccp", PassLevel::module, "ipsccp does this and more"},
    {"ipsccp", "ipsccp", PassLevel::module, ""},
    {"indvars", "indvars", PassLevel::loop, ""},
    {"irce", "irce", PassLevel::function, ""},
    {"infer-address-spaces", "infer-address-spaces", PassLevel::function, ""},
    {"inferattrs", "inferattrs", PassLevel::module, ""},
    {"inject-tli-mappings", "inject-tli-mappings", PassLevel::function, ""},
    {"instsimplify", "instsimplify", PassLevel::function, ""},
    {"instcombine", "instcombine<no-verify-fixpoint>", PassLevel::function, ""},
    {"instnamer", "instnamer", PassLevel::function, ""},
    {"jump-threading", "jump-threading", PassLevel::function, ""},
    {"lcssa", "lcssa", PassLevel::function, ""},
    {"licm", "licm", PassLevel::loop_mssa, ""},
    {"libcalls-shrinkwrap", "libcalls-shrinkwrap", PassLevel::function, ""},
    {"load-store-vectorizer", "load-store-vectorizer", PassLevel::function, ""},
    {"loop-data-prefetch", "loop-data-prefetch", PassLevel::function, ""},
    {"loop-deletion", "loop-deletion", PassLevel::loop, ""},
    {"loop-distribute", "loop-distribute", PassLevel::function, ""},
    {"loop-fusion", "loop-fusion", PassLevel::function, ""},
    {"loop-guard-widening", "", PassLevel::function,
     "LLVM 19 has it under the name of guard-widening only"},
    {"loop-idiom", "loop-idiom", PassLevel::loop, ""},
    {"loop-instsimplify", "loop-instsimplify", PassLevel::loop, ""},
    {"loop-interchange", "loop-interchange", PassLevel::loop, ""},
    {"loop-load-elim", "loop-load-elim", PassLevel::function, ""},
    {"loop-predication", "loop-predication", PassLevel::loop, ""},
    {"loop-reroll", "", PassLevel::function, "LLVM 19 has no such pass"},
    {"loop-rotate", "loop-rotate", PassLevel::loop, ""},
    {"loop-simplifycfg", "loop-simplifycfg", PassLevel::loop, ""},
    {"loop-simplify", "loop-simplify", PassLevel::function, ""},
    {"loop-sink", "loop-sink", PassLevel::function, ""},
    {"loop-reduce", "loop-reduce", PassLevel::loop, ""},
    {"loop-unroll-and-jam", "loop-unroll-and-jam", PassLevel::loop, ""},
    {"loop-unroll", "loop-unroll", PassLevel::function, ""},
    {"loop-unswitch", "simple-loop-unswitch<nontrivial>", PassLevel::loop,
     "simple-loop-unswitch is the closest that LLVM 19 has"},
    {"loop-vectorize", "loop-vectorize", PassLevel::function, ""},
    {"loop-versioning-licm", "loop-versioning-licm", PassLevel::loop, ""},
    {"loop-versioning", "loop-versioning", PassLevel::function, ""},
    {"loweratomic", "lower-atomic", PassLevel::function, "renamed"},
    {"lower-constant-intrinsics", "lower-constant-intrinsics", PassLevel::function, ""},
    {"lower-expect", "lower-expect", PassLevel::function, ""},
    {"lower-guard-intrinsic", "lower-guard-intrinsic", PassLevel::function, ""},
    {"lowerinvoke", "lower-invoke", PassLevel::function, "renamed"},
    {"lower-matrix-intrinsics", "lower-matrix-intrinsics", PassLevel::function, ""},
    {"lowerswitch", "lower-switch", PassLevel::function, "renamed"},
    {"lower-widenable-condition", "lower-widenable-condition", PassLevel::function, ""},
    {"memcpyopt", "memcpyopt", PassLevel::function, ""},
    {"mergefunc", "mergefunc", PassLevel::module, ""},
    {"mergeicmps", "mergeicmps", PassLevel::function, ""},
    {"mldst-motion", "mldst-motion", PassLevel::function, ""},
    {"sancov", "sancov-module", PassLevel::module, "renamed"},
    {"name-anon-globals", "name-anon-globals", PassLevel::module, ""},
    {"nary-reassociate", "nary-reassociate", PassLevel::function, ""},
    {"newgvn", "newgvn", PassLevel::function, ""},
    {"pgo-memop-opt", "pgo-memop-opt", PassLevel::function, ""},
    {"partial-inliner", "partial-inliner", PassLevel::module, ""},
    {"partially-inline-libcalls", "partially-inline-libcalls", PassLevel::function, ""},
    {"post-inline-ee-instrument", "ee-instrument<post-inline>", PassLevel::function, "renamed"},
    {"functionattrs", "function-attrs", PassLevel::cgscc, "renamed"},
    {"mem2reg", "mem2reg", PassLevel::function, ""},
    {"prune-eh", "", PassLevel::function,
     "LLVM 19 has no such pass: function-attrs and simplifycfg do its work"},
    {"reassociate", "reassociate", PassLevel::function, ""},
    {"redundant-dbg-inst-elim", "redundant-dbg-inst-elim", PassLevel::function, ""},
    {"rpo-functionattrs", "rpo-function-attrs", PassLevel::module, "renamed"},
    {"rewrite-statepoints-for-gc", "rewrite-statepoints-for-gc", PassLevel::module, ""},
    {"sccp", "sccp", PassLevel::function, ""},
    {"slp-vectorizer", "slp-vectorizer", PassLevel::function, ""},
    {"sroa", "sroa", PassLevel::function, ""},
    {"scalarizer", "scalarizer", PassLevel::function, ""},
    {"separate-const-offset-from-gep", "separate-const-offset-from-gep", PassLevel::function, ""},
    {"simple-loop-unswitch", "simple-loop-unswitch", PassLevel::loop, ""},
    {"sink", "sink", PassLevel::function, ""},
    {"speculative-execution", "speculative-execution", PassLevel::function, ""},
    {"slsr", "slsr", PassLevel::function, ""},
    {"strip-dead-prototypes", "strip-dead-prototypes", PassLevel::module, ""},
    {"strip-debug-declare", "strip-debug-declare", PassLevel::module, ""},
    {"strip-nondebug", "strip-nondebug", PassLevel::module, ""},
    {"strip", "strip", PassLevel::module, ""},
    {"tailcallelim", "tailcallelim", PassLevel::function, ""},
    {"mergereturn", "mergereturn", PassLevel::function, ""},
});
static_assert(kActions.size() == kCompilerGymActions);

constexpr int kLlvmMajor = 19;

}  // namespace

std::span<const CompilerGymAction> compiler_gym_actions() {
  return kActions;
}

Result<CompilerGymPipeline> compiler_gym_pipeline(std::string_view flag) {
  if (flag.starts_with('-')) {
    flag.remove_prefix(1);
  }
  const auto action = std::ranges::find(kActions, flag, &CompilerGymAction::flag);
  if (action == kActions.end()) {
    return fail(ErrorCode::not_found, "'" + std::string(flag) + "' is none of CompilerGym's " +
                                          std::to_string(kCompilerGymActions) + " actions");
  }
  if (action->pass.empty()) {
    return CompilerGymPipeline{"", std::string(action->remark)};
  }
  std::string pipeline = in_adaptors(action->level, action->pass);
  HONE_TRY(const Forest forest, parse_pipeline(pipeline));
  const Result<void> allowed = check_pipeline(forest, kLlvmMajor);
  if (!allowed) {
    return fail(ErrorCode::unsupported,
                "CompilerGym's action '" + std::string(flag) + "': " + allowed.error().message);
  }
  return CompilerGymPipeline{std::move(pipeline), std::string(action->remark)};
}

}  // namespace hone
