// Passes that LLVM 19 knows and that no pipeline may hold, by reason.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "common/pipelines/action_table.h"

namespace hone {
namespace {

using Names = std::span<const std::string_view>;

// llvm-project issues: #56149 newgvn; #116144 loop-interchange, by a wrong dependence analysis,
// which loop-fusion (#191238) and loop-unroll-and-jam share; #49410 gvn-hoist, never on by default.
constexpr std::string_view kWrongCode[] = {"gvn-hoist", "loop-fusion", "loop-interchange",
                                           "loop-unroll-and-jam", "newgvn"};

// Found by random sequences on real modules; iroutliner followed by attributor deleted live code,
// too.
constexpr std::string_view kCrashes[] = {"attributor",
                                         "attributor-cgscc",
                                         "attributor-light",
                                         "attributor-light-cgscc",
                                         "fix-irreducible",
                                         "iroutliner",
                                         "lnicm",
                                         "loop-bound-split",
                                         "scalarizer",
                                         "select-optimize",
                                         "structurizecfg",
                                         "unify-loop-exits"};

// Twelve runs of opt-19 on lz4's lz4hc.c gave two programs; CompilerGym left it out for the same
// (its issue #46).
constexpr std::string_view kVaries[] = {"gvn-sink"};

constexpr std::string_view kChangesMeaning[] = {"declare-to-assign",
                                                "dxil-upgrade",
                                                "expand-variadics",
                                                "extract-blocks",
                                                "function-import",
                                                "gc-lowering",
                                                "global-merge",
                                                "hipstdpar-interpose-alloc",
                                                "hipstdpar-select-accelerator-code",
                                                "internalize",
                                                "loop-extract",
                                                "lower-atomic",
                                                "lower-emutls",
                                                "lower-global-dtors",
                                                "lower-ifunc",
                                                "lower-invoke",
                                                "objc-arc",
                                                "objc-arc-apelim",
                                                "objc-arc-contract",
                                                "objc-arc-expand",
                                                "place-safepoints",
                                                "redundant-dbg-inst-elim",
                                                "rewrite-statepoints-for-gc",
                                                "rewrite-symbols",
                                                "shadow-stack-gc-lowering",
                                                "strip",
                                                "strip-dead-debug-info",
                                                "strip-debug-declare",
                                                "strip-gc-relocates",
                                                "strip-nondebug",
                                                "strip-nonlinetable-debuginfo",
                                                "wholeprogramdevirt"};

constexpr std::string_view kInstrumentation[] = {"add-discriminators",
                                                 "asan",
                                                 "bounds-checking",
                                                 "cfguard",
                                                 "cross-dso-cfi",
                                                 "ctx-instr-lower",
                                                 "dfsan",
                                                 "hwasan",
                                                 "insert-gcov-profiling",
                                                 "instrorderfile",
                                                 "instrprof",
                                                 "jmc-instrumenter",
                                                 "kcfi",
                                                 "lower-allow-check",
                                                 "lowertypetests",
                                                 "memprof",
                                                 "memprof-context-disambiguation",
                                                 "memprof-module",
                                                 "memprof-use",
                                                 "msan",
                                                 "nsan",
                                                 "pgo-force-function-attrs",
                                                 "pgo-icall-prom",
                                                 "pgo-instr-gen",
                                                 "pgo-instr-use",
                                                 "pgo-memop-opt",
                                                 "pseudo-probe",
                                                 "pseudo-probe-update",
                                                 "safe-stack",
                                                 "sample-profile",
                                                 "sancov-module",
                                                 "sanmd-module",
                                                 "stack-protector",
                                                 "synthetic-counts-propagation",
                                                 "tsan",
                                                 "tsan-module"};

constexpr std::string_view kWritesOrPrints[] = {"aa-eval",
                                                "count-visits",
                                                "dot-callgraph",
                                                "dot-cfg",
                                                "dot-cfg-only",
                                                "dot-ddg",
                                                "dot-dom",
                                                "dot-dom-only",
                                                "dot-post-dom",
                                                "dot-post-dom-only",
                                                "embed-bitcode",
                                                "instcount",
                                                "lint",
                                                "pa-eval",
                                                "print",
                                                "print-alias-sets",
                                                "print-callgraph",
                                                "print-callgraph-sccs",
                                                "print-cfg-sccs",
                                                "print-ir-similarity",
                                                "print-lcg",
                                                "print-lcg-dot",
                                                "print-memderefs",
                                                "print-must-be-executed-contexts",
                                                "print-mustexecute",
                                                "print-predicateinfo",
                                                "print-profile-summary",
                                                "print-stack-safety",
                                                "view-callgraph",
                                                "view-cfg",
                                                "view-cfg-only",
                                                "view-dom",
                                                "view-dom-only",
                                                "view-post-dom",
                                                "view-post-dom-only"};

constexpr std::string_view kDebugging[] = {"canonicalize-aliases",
                                           "check-debugify",
                                           "debugify",
                                           "helloworld",
                                           "instnamer",
                                           "metarenamer",
                                           "name-anon-globals",
                                           "no-op-cgscc",
                                           "no-op-function",
                                           "no-op-loop",
                                           "no-op-loopnest",
                                           "no-op-module",
                                           "poison-checking",
                                           "trigger-crash-function",
                                           "trigger-crash-module",
                                           "trigger-verifier-error"};

constexpr std::string_view kCodeGeneration[] = {"atomic-expand",
                                                "callbr-prepare",
                                                "codegenprepare",
                                                "dwarf-eh-prepare",
                                                "expand-large-div-rem",
                                                "expand-large-fp-convert",
                                                "hardware-loops",
                                                "indirectbr-expand",
                                                "infer-address-spaces",
                                                "interleaved-access",
                                                "interleaved-load-combine",
                                                "pre-isel-intrinsic-lowering",
                                                "scalarize-masked-mem-intrin",
                                                "sjlj-eh-prepare",
                                                "tlshoist",
                                                "typepromotion",
                                                "wasm-eh-prepare",
                                                "win-eh-prepare"};

constexpr std::string_view kGuards[] = {"guard-widening", "loop-predication",
                                        "lower-guard-intrinsic", "lower-widenable-condition",
                                        "make-guards-explicit"};

constexpr std::string_view kNoUse[] = {"assume-builder"};

constexpr std::string_view kNeedsService[] = {"inliner-ml-advisor-release"};

constexpr std::string_view kLinkTime[] = {"openmp-opt-postlink"};

constexpr std::string_view kWholePipeline[] = {"function-simplification"};

struct Exclusion {
  std::string_view reason;
  Names names;
};

constexpr auto kExclusions = std::to_array<Exclusion>({
    {"it compiles correct programs to wrong code (LLVM 19)", kWrongCode},
    {"it crashes, hangs or breaks code on real programs (LLVM 19)", kCrashes},
    {"it gives other code from run to run (LLVM 19)", kVaries},
    {"it changes what the module means to the linker, the debugger or the run time",
     kChangesMeaning},
    {"it belongs to sanitizers, profiles or debuggers, which the command line asks for",
     kInstrumentation},
    {"it prints or writes files and changes no code", kWritesOrPrints},
    {"it is an aid for testing the compiler", kDebugging},
    {"it belongs to code generation, which runs it where the target needs it", kCodeGeneration},
    {"it serves guards, which C and C++ do not have", kGuards},
    {"it adds assumptions that only slow the compiler down", kNoUse},
    {"it needs a model outside the compiler", kNeedsService},
    {"it runs at link time only", kLinkTime},
    {"write the passes it stands for", kWholePipeline},
});

}  // namespace

std::string_view exclusion_reason(std::string_view name) {
  for (const Exclusion& exclusion : kExclusions) {
    if (std::ranges::find(exclusion.names, name) != exclusion.names.end()) {
      return exclusion.reason;
    }
  }
  return {};
}

}  // namespace hone
