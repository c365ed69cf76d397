#include "common/pipelines/knob_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "common/base/text.h"

namespace hone {
namespace {

// As the pass table's: a row holds for all of them unless since() says otherwise.
constexpr MajorRange kAllMajors = {14, 19};

// Values to try. Named after the knob that they belong to.
constexpr std::string_view kTrue[] = {"true"};
constexpr std::string_view kFalse[] = {"false"};
constexpr std::string_view kBoth[] = {"false", "true"};
constexpr std::string_view kAlignAllBlocks[] = {"4"};
constexpr std::string_view kAlignAllFunctions[] = {"5", "6"};
constexpr std::string_view kAlignAllNofallthruBlocks[] = {"4", "5"};
constexpr std::string_view kAvailableLoadScanLimit[] = {"30"};
constexpr std::string_view kBonusInstThreshold[] = {"2", "4"};
constexpr std::string_view kDseMemoryssaScanlimit[] = {"500"};
constexpr std::string_view kForceVectorInterleave[] = {"1", "2", "4"};
constexpr std::string_view kFuncspecMaxClones[] = {"8"};
constexpr std::string_view kFuncspecMinFunctionSize[] = {"100"};
constexpr std::string_view kInlineCallPenalty[] = {"10", "50"};
constexpr std::string_view kInlineInstrCost[] = {"3", "8"};
constexpr std::string_view kInlineMemaccessCost[] = {"5"};
constexpr std::string_view kInlineThreshold[] = {"0", "50", "100", "400", "600", "1000", "2000"};
constexpr std::string_view kInlinecoldThreshold[] = {"0", "225"};
constexpr std::string_view kInlinehintThreshold[] = {"100", "1000"};
constexpr std::string_view kJumpTableDensity[] = {"25", "40"};
constexpr std::string_view kJumpThreadingThreshold[] = {"12", "20"};
constexpr std::string_view kLicmMssaOptimizationCap[] = {"500"};
constexpr std::string_view kLocallyHotCallsiteThreshold[] = {"225", "1000"};
constexpr std::string_view kMaxJumpTableSize[] = {"0", "64"};
constexpr std::string_view kMaxLoadsPerMemcmp[] = {"4", "16"};
constexpr std::string_view kMaxNestedScalarReductionInterleave[] = {"1", "4"};
constexpr std::string_view kMemcmpNumLoadsPerBlock[] = {"2", "4"};
constexpr std::string_view kMemdepBlockScanLimit[] = {"300"};
constexpr std::string_view kMinJumpTableEntries[] = {"2", "8", "16"};
constexpr std::string_view kPhiNodeFoldingThreshold[] = {"4", "8"};
constexpr std::string_view kRotationMaxHeaderSize[] = {"32", "64"};
constexpr std::string_view kRuntimeMemoryCheckThreshold[] = {"16", "32"};
constexpr std::string_view kSlpMaxVf[] = {"2", "4", "8"};
constexpr std::string_view kSlpMinTreeSize[] = {"2", "5"};
constexpr std::string_view kSlpThreshold[] = {"-4", "2", "5", "10"};
constexpr std::string_view kSmallLoopCost[] = {"10", "40"};
constexpr std::string_view kTailDupPlacementThreshold[] = {"1", "4"};
constexpr std::string_view kTailDupSize[] = {"1", "4", "6"};
constexpr std::string_view kTailMergeThreshold[] = {"0"};
constexpr std::string_view kTwoEntryPhiNodeFoldingThreshold[] = {"2", "8", "16"};
constexpr std::string_view kUnrollCount[] = {"1", "2", "3", "4", "6", "8", "16"};
constexpr std::string_view kUnrollFullMaxCount[] = {"4", "32"};
constexpr std::string_view kUnrollMaxCount[] = {"2", "4"};
constexpr std::string_view kUnrollMaxPercentThresholdBoost[] = {"100", "800"};
constexpr std::string_view kUnrollMaxUpperbound[] = {"0"};
constexpr std::string_view kUnrollPartialThreshold[] = {"75", "300"};
constexpr std::string_view kUnrollPeelMaxCount[] = {"2"};
constexpr std::string_view kUnrollThreshold[] = {"0", "75", "150", "600", "1000"};
constexpr std::string_view kUnswitchThreshold[] = {"0", "100", "200"};
constexpr std::string_view kVectorizerMinTripCount[] = {"4", "32"};

using Values = std::span<const std::string_view>;

constexpr KnobEntry number(std::string_view name, std::int64_t low, std::int64_t high,
                           std::string_view meaning, Values candidates = {}) {
  return {name, KnobKind::integer, low, high, kAllMajors, meaning, candidates};
}

constexpr KnobEntry flag(std::string_view name, std::string_view meaning, Values candidates) {
  return {name, KnobKind::flag, 0, 0, kAllMajors, meaning, candidates};
}

// Left out on purpose: force-vector-width and epilogue-vectorization-force-VF (a width lets the
// vectoriser reassociate strict floating-point reductions; an interleave count does not), switches
// of passes that action_exclusions.cc refuses (enable-newgvn, enable-loopinterchange,
// enable-gvn-hoist, enable-gvn-sink, enable-unroll-and-jam), experiments
// (licm-control-flow-hoisting, x86-early-ifcvt).
constexpr KnobEntry since(int major, KnobEntry entry) {
  entry.majors.first = major;
  return entry;
}

constexpr auto kKnobs = std::to_array<KnobEntry>({
    number("align-all-blocks", 0, 5, "log2 of the alignment of every block", kAlignAllBlocks),
    number("align-all-functions", 0, 6, "log2 of the alignment of functions", kAlignAllFunctions),
    number("align-all-nofallthru-blocks", 0, 6,
           "log2 of the alignment of blocks that nothing falls into", kAlignAllNofallthruBlocks),
    number("available-load-scan-limit", 0, 1000, "instructions looked back for an available load",
           kAvailableLoadScanLimit),
    number("bonus-inst-threshold", 0, 16,
           "instructions duplicated to fold a branch into its predecessors", kBonusInstThreshold),
    flag("branch-fold-placement", "branch folding during block placement", kFalse),
    number("cgp-freq-ratio-to-skip-merge", 0, 1000,
           "frequency ratio from which empty blocks are kept"),
    flag("disable-cgp-select2branch", "no unpredictable selects turned into branches", kTrue),
    flag("disable-licm-promotion", "no promotion of memory to registers in loops", kTrue),
    number("dse-memoryssa-scanlimit", 0, 2000, "memory accesses scanned by dead store elimination",
           kDseMemoryssaScanlimit),
    number("earlycse-mssa-optimization-cap", 0, 5000, "clobber walks of early-cse"),
    flag("enable-dfa-jump-thread", "threading of state machines", kTrue),
    flag("enable-epilogue-vectorization", "vectorised remainder loops", kFalse),
    flag("enable-ext-tsp-block-placement", "block placement by the extended TSP model", kTrue),
    flag("enable-interleaved-mem-accesses", "vectorised strided accesses", kTrue),
    flag("enable-load-pre", "partial redundancy elimination of loads", kFalse),
    flag("enable-loadstore-runtime-interleave", "interleaving to saturate load and store ports",
         kFalse),
    flag("enable-loop-distribute", "splitting loops so that a part vectorises", kTrue),
    flag("enable-loop-flatten", "two nested loops made one", kTrue),
    since(19, flag("enable-loop-versioning-licm", "loop copies for hoisting behind alias checks",
                   kTrue)),
    flag("enable-masked-interleaved-mem-accesses", "vectorised strided accesses under a mask",
         kTrue),
    flag("enable-misched", "the machine scheduler", kFalse),
    flag("enable-partial-inlining", "inlining of early exits", kTrue),
    flag("enable-pre", "partial redundancy elimination of scalars", kFalse),
    flag("enable-shrink-wrap", "prologues moved off the hot path", kFalse),
    flag("enable-split-backedge-in-load-pre", "load elimination that splits back edges", kTrue),
    flag("enable-unswitch-cost-multiplier", "brake on unswitching many loops", kFalse),
    flag("extra-vectorizer-passes", "clean-up passes around the vectoriser", kTrue),
    number("force-vector-interleave", 1, 16, "interleave count of vectorised loops",
           kForceVectorInterleave),
    since(19, flag("funcspec-for-literal-constant", "copies of functions for literal arguments too",
                   kTrue)),
    since(19, number("funcspec-max-clones", 0, 16, "copies of a function for constant arguments",
                     kFuncspecMaxClones)),
    since(19, number("funcspec-min-function-size", 0, 10000, "smallest function worth a copy",
                     kFuncspecMinFunctionSize)),
    number("gvn-max-num-deps", 0, 5000, "dependences of a load that value numbering looks at"),
    number("hot-callsite-threshold", 0, 20000, "inlining budget of hot calls (with a profile)"),
    flag("hot-cold-split", "cold code moved into functions of its own", kTrue),
    number("inline-call-penalty", 0, 500, "cost of a call left in an inlined body",
           kInlineCallPenalty),
    flag("inline-deferral", "waiting with a call that its caller may inline better", kTrue),
    since(16, number("inline-instr-cost", 1, 50, "cost of an instruction to the inliner",
                     kInlineInstrCost)),
    since(16, number("inline-memaccess-cost", 0, 50, "cost of a memory access to the inliner",
                     kInlineMemaccessCost)),
    number("inline-threshold", 0, 5000, "inlining budget of a call", kInlineThreshold),
    number("inlinecold-threshold", 0, 5000, "inlining budget of cold calls", kInlinecoldThreshold),
    number("inlinehint-threshold", 0, 5000, "inlining budget of functions declared inline",
           kInlinehintThreshold),
    number("jump-table-density", 1, 100, "percentage of used entries that a jump table needs",
           kJumpTableDensity),
    number("jump-threading-threshold", 0, 100, "instructions duplicated to thread a jump",
           kJumpThreadingThreshold),
    number("licm-max-num-uses-traversed", 0, 1000, "uses followed by loop-invariant code motion"),
    number("licm-mssa-optimization-cap", 0, 5000, "clobber walks of loop-invariant code motion",
           kLicmMssaOptimizationCap),
    number("locally-hot-callsite-threshold", 0, 5000,
           "inlining budget of calls hot within their function", kLocallyHotCallsiteThreshold),
    number("loop-flatten-cost-threshold", 0, 50, "instructions repeated by loop flattening"),
    since(16, flag("lsr-drop-solution",
                   "keeping the loop as it is where strength reduction costs more", kTrue)),
    flag("lsr-insns-cost", "instruction counts in loop strength reduction", kFalse),
    number("max-jump-table-size", 0, 4096, "entries of one jump table", kMaxJumpTableSize),
    number("max-loads-per-memcmp", 0, 64, "loads that replace a memcmp", kMaxLoadsPerMemcmp),
    number("max-nested-scalar-reduction-interleave", 0, 16,
           "interleaving of nested scalar reductions", kMaxNestedScalarReductionInterleave),
    number("memcmp-num-loads-per-block", 1, 16, "loads per block of an expanded memcmp",
           kMemcmpNumLoadsPerBlock),
    number("memdep-block-scan-limit", 0, 2000, "instructions scanned per block for dependences",
           kMemdepBlockScanLimit),
    number("min-jump-table-entries", 2, 64, "cases from which a switch becomes a table",
           kMinJumpTableEntries),
    flag("misched-postra", "the machine scheduler again after register allocation", kTrue),
    number("phi-node-folding-threshold", 0, 32, "instructions speculated to fold a phi",
           kPhiNodeFoldingThreshold),
    number("rotation-max-header-size", 0, 512, "instructions duplicated to rotate a loop",
           kRotationMaxHeaderSize),
    number("runtime-memory-check-threshold", 0, 512, "overlap checks before a vectorised loop",
           kRuntimeMemoryCheckThreshold),
    since(16, number("simplifycfg-hoist-common-skip-limit", 0, 1000,
                     "instructions skipped to hoist equal ones")),
    number("slp-max-vf", 0, 64, "lanes of straight-line vectors", kSlpMaxVf),
    number("slp-min-tree-size", 1, 32, "smallest tree of straight-line vectorisation",
           kSlpMinTreeSize),
    number("slp-recursion-max-depth", 1, 64, "depth of trees of straight-line vectorisation"),
    number("slp-threshold", -100, 100, "gain that straight-line vectorisation must promise",
           kSlpThreshold),
    flag("slp-vectorize-hor", "vectorised horizontal reductions", kFalse),
    flag("slp-vectorize-hor-store", "vectorised reductions that end in a store", kTrue),
    number("small-loop-cost", 0, 500, "cost below which a loop is interleaved", kSmallLoopCost),
    number("spec-exec-max-speculation-cost", 0, 100, "cost of speculated instructions"),
    number("tail-dup-placement-threshold", 0, 32, "instructions duplicated while placing blocks",
           kTailDupPlacementThreshold),
    number("tail-dup-size", 0, 32, "instructions of a tail worth duplicating", kTailDupSize),
    number("tail-merge-threshold", 0, 1000, "predecessors compared for tail merging",
           kTailMergeThreshold),
    number("two-entry-phi-node-folding-threshold", 0, 64, "cost of if-conversion of a two-way phi",
           kTwoEntryPhiNodeFoldingThreshold),
    flag("unroll-allow-partial", "partial unrolling of loops with a known count", kTrue),
    flag("unroll-allow-peeling", "peeling of first iterations", kFalse),
    flag("unroll-allow-remainder", "remainder loops after unrolling", kFalse),
    number("unroll-count", 1, 64, "iterations per unrolled loop body, for all loops", kUnrollCount),
    number("unroll-full-max-count", 0, 1024, "largest count of a loop unrolled away",
           kUnrollFullMaxCount),
    number("unroll-max-count", 0, 64, "largest count of partial and run-time unrolling",
           kUnrollMaxCount),
    number("unroll-max-iteration-count-to-analyze", 0, 1000,
           "iterations simulated to see what unrolling saves"),
    number("unroll-max-percent-threshold-boost", 100, 2000,
           "budget boost for loops that unrolling simplifies", kUnrollMaxPercentThresholdBoost),
    number("unroll-max-upperbound", 0, 64, "unrolling by an upper bound of the count",
           kUnrollMaxUpperbound),
    number("unroll-partial-threshold", 0, 5000, "size of a partially unrolled loop",
           kUnrollPartialThreshold),
    number("unroll-peel-max-count", 0, 32, "iterations peeled off", kUnrollPeelMaxCount),
    flag("unroll-runtime", "unrolling of loops with an unknown count", kBoth),
    flag("unroll-runtime-epilog", "the remainder after the unrolled loop", kTrue),
    flag("unroll-runtime-multi-exit", "run-time unrolling of loops with several exits", kTrue),
    number("unroll-threshold", 0, 5000, "size of an unrolled loop", kUnrollThreshold),
    number("unroll-threshold-aggressive", 0, 5000, "size of an unrolled loop at -O3"),
    number("unroll-threshold-default", 0, 5000, "size of an unrolled loop at -O2"),
    number("unswitch-threshold", 0, 2000, "size of the loop copy that unswitching may make",
           kUnswitchThreshold),
    flag("vectorize-loops", "loop vectorisation", kFalse),
    since(15, number("vectorize-memory-check-threshold", 0, 1024, "overlap checks allowed at all")),
    flag("vectorize-slp", "straight-line vectorisation", kFalse),
    flag("vectorizer-maximize-bandwidth", "wider vectors for mixed element sizes", kTrue),
    number("vectorizer-min-trip-count", 0, 1024, "iterations from which a loop is vectorised",
           kVectorizerMinTripCount),
    flag("x86-cmov-converter", "conditional moves turned into branches", kFalse),
    number("x86-cmov-converter-threshold", 0, 100,
           "cycles a branch must save over a conditional move"),
});

static_assert(std::ranges::is_sorted(kKnobs, {}, &KnobEntry::name),
              "find_knob() searches by halves");

bool is_integer_within(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.begin(), text.end(), value);
  // "007" and "-0" are refused: one value has one spelling, since decisions are compared as text.
  return parsed.ec == std::errc() && text == std::to_string(value) && low <= value && value <= high;
}

}  // namespace

std::span<const KnobEntry> knob_table() {
  return kKnobs;
}

const KnobEntry* find_knob(std::string_view name, int llvm_major) {
  if (!has_pass_table(llvm_major)) {
    return nullptr;
  }
  for (const KnobEntry& entry :
       std::ranges::equal_range(kKnobs, name, std::ranges::less(), &KnobEntry::name)) {
    if (entry.majors.holds(llvm_major)) {
      return &entry;
    }
  }
  return nullptr;
}

Result<void> check_knob(std::string_view name, std::string_view value, int llvm_major) {
  const KnobEntry* const entry = find_knob(name, llvm_major);
  if (entry == nullptr) {
    return fail(ErrorCode::invalid_argument, "knob " + std::string(name) +
                                                 ": it is not among those allowed for LLVM " +
                                                 std::to_string(llvm_major));
  }
  const bool allowed = entry->kind == KnobKind::flag
                           ? value == "true" || value == "false"
                           : is_integer_within(value, entry->low, entry->high);
  if (!allowed) {
    const std::string range = entry->kind == KnobKind::flag
                                  ? "true or false"
                                  : "a whole number from " + std::to_string(entry->low) + " to " +
                                        std::to_string(entry->high);
    return fail(
        ErrorCode::invalid_argument,
        "knob " + std::string(name) + "=" + std::string(value) + ": the value must be " + range);
  }
  return {};
}

}  // namespace hone
