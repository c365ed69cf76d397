// The allow-list itself, one row below the other, and how a row is found.
#include "common/pipelines/action_table.h"

#include <algorithm>
#include <array>
#include <functional>

namespace hone {
namespace {

// The majors that were tried, each against its own opt. A row holds for all of them unless since()
// or until() says otherwise.
constexpr auto kMajors = std::to_array<int>({14, 15, 16, 19});
constexpr MajorRange kAllMajors = {kMajors.front(), kMajors.back()};

// Why a pass stays where it is.
constexpr std::string_view kAlwaysInline =
    "functions marked always_inline must be inlined whatever the search thinks";
constexpr std::string_view kPipelineFrame =
    "acts on what the front end asked for (attributes, OpenMP, matrices, profiles), not a choice";
constexpr std::string_view kNoEffect = "checks or reports and changes no code";
constexpr std::string_view kCoroutines =
    "acts on coroutines only, which the plugin splits whatever the pipeline says";
constexpr std::string_view kAnalyses = "computes or drops analyses that its neighbours expect";

// Whole parameter texts.
constexpr std::string_view kBareTexts[] = {""};
constexpr std::string_view kEarlyCseTexts[] = {"", "memssa"};
constexpr std::string_view kEntryExitTexts[] = {"", "post-inline"};
constexpr std::string_view kFunctionAttrsTexts[] = {"", "skip-non-recursive-function-attrs"};
constexpr std::string_view kInlineTexts[] = {"", "only-mandatory"};
constexpr std::string_view kInvalidateAllTexts[] = {"all"};
constexpr std::string_view kInvalidateFunctionTexts[] = {"aa", "all"};
constexpr std::string_view kIpsccpTexts[] = {"", "func-spec", "no-func-spec"};
constexpr std::string_view kLicmTexts[] = {"", "allowspeculation", "no-allowspeculation"};
constexpr std::string_view kMatrixTexts[] = {"", "minimal"};
constexpr std::string_view kMldstTexts[] = {"", "no-split-footer-bb", "split-footer-bb"};
constexpr std::string_view kRequireFunctionTexts[] = {"should-not-run-function-passes"};
constexpr std::string_view kRequireModuleTexts[] = {"globals-aa", "profile-summary"};
constexpr std::string_view kSeparateTexts[] = {"", "lower-gep"};
constexpr std::string_view kSpeculativeTexts[] = {"", "only-if-divergent-target"};
constexpr std::string_view kSroaTexts[] = {"", "modify-cfg", "preserve-cfg"};
// Both "no-" at once would be a pass that does nothing, and trips over itself in some releases.
constexpr std::string_view kUnswitchTexts[] = {"", "nontrivial", "nontrivial;trivial",
                                               "no-nontrivial;trivial"};

// Options that combine.
constexpr PassOption kGvnOptions[] = {{OptionKind::flag, "pre"},
                                      {OptionKind::flag, "load-pre"},
                                      {OptionKind::flag, "split-backedge-load-pre"},
                                      {OptionKind::text, "memdep"}};
// The fixpoint check aborts the compiler when it fails: a debugging aid that is on by default.
constexpr PassOption kInstcombineOptions[] = {{OptionKind::number, "max-iterations", 1, 16},
                                              {OptionKind::flag, "use-loop-info"},
                                              {OptionKind::text, "no-verify-fixpoint"}};
constexpr PassOption kLoopRotateOptions[] = {{OptionKind::flag, "header-duplication"},
                                             {OptionKind::flag, "prepare-for-lto"}};
constexpr PassOption kLoopUnrollOptions[] = {{OptionKind::text, "O1"},
                                             {OptionKind::text, "O2"},
                                             {OptionKind::text, "O3"},
                                             {OptionKind::flag, "partial"},
                                             {OptionKind::flag, "peeling"},
                                             {OptionKind::flag, "profile-peeling"},
                                             {OptionKind::flag, "runtime"},
                                             {OptionKind::flag, "upperbound"},
                                             {OptionKind::number, "full-unroll-max", 0, 1024}};
constexpr PassOption kLoopVectorizeOptions[] = {{OptionKind::flag, "interleave-forced-only"},
                                                {OptionKind::flag, "vectorize-forced-only"}};
constexpr PassOption kSimplifycfgOptions[] = {{OptionKind::number, "bonus-inst-threshold", 0, 16},
                                              {OptionKind::flag, "forward-switch-cond"},
                                              {OptionKind::flag, "switch-range-to-icmp"},
                                              {OptionKind::flag, "switch-to-lookup"},
                                              {OptionKind::flag, "keep-loops"},
                                              {OptionKind::flag, "hoist-common-insts"},
                                              {OptionKind::flag, "sink-common-insts"},
                                              {OptionKind::flag, "speculate-blocks"},
                                              {OptionKind::flag, "simplify-cond-branch"},
                                              {OptionKind::flag, "speculate-unpredictables"}};
// Those that LLVM 14 to 16 know.
constexpr std::span<const PassOption> kOlderSimplifycfgOptions =
    std::span(kSimplifycfgOptions).first<7>();

constexpr PassEntry searchable(std::string_view name, PassLevel level,
                               std::span<const std::string_view> texts = {},
                               std::span<const PassOption> options = {}) {
  return {name, level, PassSafety::searchable, kAllMajors, {}, texts, options, {}, false, false};
}

constexpr PassEntry fixed(std::string_view name, PassLevel level, std::string_view reason,
                          std::span<const std::string_view> texts = {}) {
  return {name, level, PassSafety::fixed, kAllMajors, reason, texts, {}, {}, false, false};
}

constexpr PassEntry with_required(PassEntry entry, std::string_view option) {
  entry.required_option = option;
  return entry;
}

// Not before, or not after a major: the pass or its spelling is new or old, or it crashes there.
constexpr PassEntry since(int major, PassEntry entry) {
  entry.majors.first = major;
  return entry;
}
constexpr PassEntry until(int major, PassEntry entry) {
  entry.majors.last = major;
  return entry;
}

constexpr PassEntry either_loop_level(PassEntry entry) {
  entry.either_loop_level = true;
  return entry;
}

constexpr PassEntry whole_pipeline(PassEntry entry) {
  entry.whole_pipeline = true;
  return entry;
}

constexpr auto kPasses = std::to_array<PassEntry>({
    searchable("adce", PassLevel::function),
    searchable("aggressive-instcombine", PassLevel::function),
    searchable("alignment-from-assumptions", PassLevel::function),
    fixed("always-inline", PassLevel::module, kAlwaysInline),
    fixed("annotation-remarks", PassLevel::function, kNoEffect),
    fixed("annotation2metadata", PassLevel::module, kPipelineFrame),
    searchable("argpromotion", PassLevel::cgscc),
    searchable("assume-simplify", PassLevel::function),
    searchable("bdce", PassLevel::function),
    searchable("break-crit-edges", PassLevel::function),
    searchable("called-value-propagation", PassLevel::module),
    searchable("callsite-splitting", PassLevel::function),
    searchable("canon-freeze", PassLevel::loop),
    fixed("cg-profile", PassLevel::module, kPipelineFrame, kBareTexts),
    since(19, searchable("chr", PassLevel::function)),
    searchable("consthoist", PassLevel::function),
    searchable("constmerge", PassLevel::module),
    searchable("constraint-elimination", PassLevel::function),
    fixed("coro-cleanup", PassLevel::module, kCoroutines),
    fixed("coro-early", PassLevel::module, kCoroutines),
    fixed("coro-elide", PassLevel::function, kCoroutines),
    fixed("coro-split", PassLevel::cgscc, kCoroutines, kBareTexts),
    searchable("correlated-propagation", PassLevel::function),
    searchable("dce", PassLevel::function),
    searchable("deadargelim", PassLevel::module),
    searchable("dfa-jump-threading", PassLevel::function),
    searchable("div-rem-pairs", PassLevel::function),
    searchable("dse", PassLevel::function),
    searchable("early-cse", PassLevel::function, kEarlyCseTexts),
    fixed("ee-instrument", PassLevel::function, kPipelineFrame, kEntryExitTexts),
    searchable("elim-avail-extern", PassLevel::module),
    since(19, searchable("expand-memcmp", PassLevel::function)),
    since(19, searchable("flatten-cfg", PassLevel::function)),
    searchable("float2int", PassLevel::function),
    fixed("forceattrs", PassLevel::module, kPipelineFrame),
    until(16, searchable("function-attrs", PassLevel::cgscc)),
    since(19, searchable("function-attrs", PassLevel::cgscc, kFunctionAttrsTexts)),
    searchable("globaldce", PassLevel::module, kBareTexts),
    searchable("globalopt", PassLevel::module),
    searchable("globalsplit", PassLevel::module),
    searchable("gvn", PassLevel::function, {}, kGvnOptions),
    searchable("hotcoldsplit", PassLevel::module),
    searchable("indvars", PassLevel::loop),
    since(19, searchable("infer-alignment", PassLevel::function)),
    searchable("inferattrs", PassLevel::module),
    fixed("inject-tli-mappings", PassLevel::function, kPipelineFrame),
    searchable("inline", PassLevel::cgscc, kInlineTexts),
    searchable("inliner-wrapper", PassLevel::module),
    searchable("inliner-wrapper-no-mandatory-first", PassLevel::module),
    until(16, searchable("instcombine", PassLevel::function)),
    since(19, with_required(searchable("instcombine", PassLevel::function, {}, kInstcombineOptions),
                            "no-verify-fixpoint")),
    searchable("instsimplify", PassLevel::function),
    fixed("invalidate", PassLevel::module, kAnalyses, kInvalidateAllTexts),
    fixed("invalidate", PassLevel::cgscc, kAnalyses, kInvalidateAllTexts),
    fixed("invalidate", PassLevel::function, kAnalyses, kInvalidateFunctionTexts),
    fixed("invalidate", PassLevel::loop, kAnalyses, kInvalidateAllTexts),
    until(15, searchable("ipsccp", PassLevel::module)),
    since(16, searchable("ipsccp", PassLevel::module, kIpsccpTexts)),
    searchable("irce", PassLevel::function),
    since(19, searchable("jump-table-to-switch", PassLevel::function)),
    searchable("jump-threading", PassLevel::function),
    searchable("lcssa", PassLevel::function),
    searchable("libcalls-shrinkwrap", PassLevel::function),
    until(14, searchable("licm", PassLevel::loop_mssa)),
    since(15, searchable("licm", PassLevel::loop_mssa, kLicmTexts)),
    searchable("load-store-vectorizer", PassLevel::function),
    searchable("loop-data-prefetch", PassLevel::function),
    searchable("loop-deletion", PassLevel::loop),
    searchable("loop-distribute", PassLevel::function),
    searchable("loop-flatten", PassLevel::loop),
    searchable("loop-idiom", PassLevel::loop),
    since(19, searchable("loop-idiom-vectorize", PassLevel::loop)),
    either_loop_level(searchable("loop-instsimplify", PassLevel::loop)),
    searchable("loop-load-elim", PassLevel::function),
    searchable("loop-reduce", PassLevel::loop),
    until(16, either_loop_level(searchable("loop-rotate", PassLevel::loop))),
    since(19,
          either_loop_level(searchable("loop-rotate", PassLevel::loop, {}, kLoopRotateOptions))),
    searchable("loop-simplify", PassLevel::function),
    either_loop_level(searchable("loop-simplifycfg", PassLevel::loop)),
    searchable("loop-sink", PassLevel::function),
    searchable("loop-unroll", PassLevel::function, {}, kLoopUnrollOptions),
    searchable("loop-unroll-full", PassLevel::loop),
    searchable("loop-vectorize", PassLevel::function, {}, kLoopVectorizeOptions),
    searchable("loop-versioning", PassLevel::function),
    searchable("loop-versioning-licm", PassLevel::loop),
    searchable("lower-constant-intrinsics", PassLevel::function),
    searchable("lower-expect", PassLevel::function),
    fixed("lower-matrix-intrinsics", PassLevel::function, kPipelineFrame, kMatrixTexts),
    since(19, searchable("lower-switch", PassLevel::function)),
    searchable("mem2reg", PassLevel::function),
    searchable("memcpyopt", PassLevel::function),
    searchable("mergefunc", PassLevel::module),
    searchable("mergeicmps", PassLevel::function),
    searchable("mergereturn", PassLevel::function),
    searchable("mldst-motion", PassLevel::function, kMldstTexts),
    searchable("module-inline", PassLevel::module),
    since(19, searchable("move-auto-init", PassLevel::function)),
    searchable("nary-reassociate", PassLevel::function),
    fixed("openmp-opt", PassLevel::module, kPipelineFrame),
    fixed("openmp-opt-cgscc", PassLevel::cgscc, kPipelineFrame),
    searchable("partial-inliner", PassLevel::module),
    searchable("partially-inline-libcalls", PassLevel::function),
    searchable("reassociate", PassLevel::function),
    since(15, searchable("recompute-globalsaa", PassLevel::module)),
    searchable("reg2mem", PassLevel::function),
    searchable("rel-lookup-table-converter", PassLevel::module),
    fixed("require", PassLevel::module, kAnalyses, kRequireModuleTexts),
    fixed("require", PassLevel::function, kAnalyses, kRequireFunctionTexts),
    searchable("rpo-function-attrs", PassLevel::module),
    whole_pipeline(searchable("scc-oz-module-inliner", PassLevel::module)),
    searchable("sccp", PassLevel::function),
    until(16, searchable("separate-const-offset-from-gep", PassLevel::function)),
    since(19, searchable("separate-const-offset-from-gep", PassLevel::function, kSeparateTexts)),
    either_loop_level(searchable("simple-loop-unswitch", PassLevel::loop, kUnswitchTexts)),
    until(16, searchable("simplifycfg", PassLevel::function, {}, kOlderSimplifycfgOptions)),
    since(19, searchable("simplifycfg", PassLevel::function, {}, kSimplifycfgOptions)),
    searchable("sink", PassLevel::function),
    searchable("slp-vectorizer", PassLevel::function),
    searchable("slsr", PassLevel::function),
    until(16, searchable("speculative-execution", PassLevel::function)),
    since(19, searchable("speculative-execution", PassLevel::function, kSpeculativeTexts)),
    until(15, searchable("sroa", PassLevel::function)),
    since(16, searchable("sroa", PassLevel::function, kSroaTexts)),
    searchable("strip-dead-prototypes", PassLevel::module),
    searchable("tailcallelim", PassLevel::function),
    fixed("transform-warning", PassLevel::function, kNoEffect),
    searchable("vector-combine", PassLevel::function),
    fixed("verify", PassLevel::module, kNoEffect),
    fixed("verify", PassLevel::function, kNoEffect),
});

constexpr bool comes_before(const PassEntry& a, const PassEntry& b) {
  return a.name != b.name ? a.name < b.name : a.level < b.level;
}
static_assert(std::ranges::is_sorted(kPasses, comes_before), "find_pass() searches by halves");

}  // namespace

std::string_view to_string(PassLevel level) {
  switch (level) {
    case PassLevel::module:
      return "module";
    case PassLevel::cgscc:
      return "cgscc";
    case PassLevel::function:
      return "function";
    case PassLevel::loop:
      return "loop";
    case PassLevel::loop_mssa:
      return "loop-mssa";
  }
  return "unknown";
}

std::string_view to_string(PassSafety safety) {
  return safety == PassSafety::searchable ? "searchable" : "fixed";
}

std::string_view to_string(OptionKind kind) {
  switch (kind) {
    case OptionKind::text:
      return "text";
    case OptionKind::flag:
      return "flag";
    case OptionKind::number:
      return "number";
  }
  return "";
}

std::span<const PassEntry> pass_table() {
  return kPasses;
}

const PassEntry* find_pass(std::string_view name, PassLevel level, int llvm_major) {
  if (!has_pass_table(llvm_major)) {
    return nullptr;
  }
  for (const PassEntry& entry :
       std::ranges::equal_range(kPasses, name, std::ranges::less(), &PassEntry::name)) {
    const bool stands_there =
        entry.level == level || (entry.either_loop_level && level == PassLevel::loop_mssa);
    if (stands_there && entry.majors.holds(llvm_major)) {
      return &entry;
    }
  }
  return nullptr;
}

bool has_pass_table(int llvm_major) {
  return std::ranges::find(kMajors, llvm_major) != kMajors.end();
}

}  // namespace hone
