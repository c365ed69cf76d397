#include "common/pipelines/gcc_option_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr MajorRange kMajors = {12, 12};

constexpr std::string_view kCostModels[] = {"cheap", "dynamic", "unlimited", "very-cheap"};
constexpr std::string_view kIraAlgorithms[] = {"CB", "priority"};
constexpr std::string_view kIraRegions[] = {"all", "mixed", "one"};
constexpr std::string_view kReorderAlgorithms[] = {"simple", "stc"};

constexpr GccOption flag(std::string_view name) {
  return {name, GccOptionKind::flag, 0, 0, {}};
}
constexpr GccOption word(std::string_view name, std::span<const std::string_view> words) {
  return {name, GccOptionKind::word, 0, 0, words};
}
constexpr GccOption number(std::string_view name, std::int64_t low, std::int64_t high) {
  return {name, GccOptionKind::number, low, high, {}};
}
constexpr GccOption parameter(std::string_view name, std::int64_t low, std::int64_t high) {
  return {name, GccOptionKind::parameter, low, high, {}};
}

constexpr auto kOptions = std::to_array<GccOption>({
    parameter("align-loop-iterations", 1, 64),
    parameter("align-threshold", 1, 1000),
    parameter("avg-loop-niter", 1, 1000),
    parameter("early-inlining-insns", 0, 100),
    number("falign-functions", 1, 64),
    number("falign-jumps", 1, 64),
    number("falign-labels", 1, 64),
    number("falign-loops", 1, 64),
    flag("fbranch-count-reg"),
    flag("fcaller-saves"),
    flag("fcode-hoisting"),
    flag("fcprop-registers"),
    flag("fcrossjumping"),
    flag("fcse-follow-jumps"),
    flag("fdevirtualize"),
    flag("fdevirtualize-speculatively"),
    flag("fforward-propagate"),
    flag("fgcse"),
    flag("fgcse-after-reload"),
    flag("fgcse-las"),
    flag("fgcse-lm"),
    flag("fgcse-sm"),
    flag("fhoist-adjacent-loads"),
    flag("fif-conversion"),
    flag("fif-conversion2"),
    flag("findirect-inlining"),
    flag("finline-functions"),
    flag("finline-functions-called-once"),
    flag("finline-small-functions"),
    flag("fipa-bit-cp"),
    flag("fipa-cp"),
    flag("fipa-cp-clone"),
    flag("fipa-modref"),
    flag("fipa-pta"),
    flag("fipa-ra"),
    flag("fipa-sra"),
    flag("fipa-vrp"),
    word("fira-algorithm", kIraAlgorithms),
    flag("fira-hoist-pressure"),
    flag("fira-loop-pressure"),
    word("fira-region", kIraRegions),
    flag("fivopts"),
    flag("fjump-tables"),
    flag("flive-range-shrinkage"),
    flag("floop-interchange"),
    flag("floop-unroll-and-jam"),
    flag("fmodulo-sched"),
    flag("fmove-loop-invariants"),
    flag("fmove-loop-stores"),
    flag("foptimize-strlen"),
    flag("fpartial-inlining"),
    flag("fpeel-loops"),
    flag("fpeephole2"),
    flag("fpredictive-commoning"),
    flag("fprefetch-loop-arrays"),
    flag("free"),
    flag("frename-registers"),
    flag("freorder-blocks"),
    word("freorder-blocks-algorithm", kReorderAlgorithms),
    flag("frerun-cse-after-loop"),
    flag("fsched-pressure"),
    flag("fschedule-insns"),
    flag("fschedule-insns2"),
    flag("fshrink-wrap"),
    word("fsimd-cost-model", kCostModels),
    flag("fsplit-ivs-in-unroller"),
    flag("fsplit-loops"),
    flag("fsplit-paths"),
    flag("fsplit-wide-types"),
    flag("fssa-phiopt"),
    flag("fstore-merging"),
    flag("fthread-jumps"),
    flag("ftracer"),
    flag("ftree-bit-ccp"),
    flag("ftree-ccp"),
    flag("ftree-ch"),
    flag("ftree-coalesce-vars"),
    flag("ftree-copy-prop"),
    flag("ftree-dce"),
    flag("ftree-dominator-opts"),
    flag("ftree-dse"),
    flag("ftree-forwprop"),
    flag("ftree-fre"),
    flag("ftree-loop-distribute-patterns"),
    flag("ftree-loop-distribution"),
    flag("ftree-loop-if-convert"),
    flag("ftree-loop-im"),
    flag("ftree-loop-ivcanon"),
    flag("ftree-loop-optimize"),
    flag("ftree-loop-vectorize"),
    flag("ftree-partial-pre"),
    flag("ftree-phiprop"),
    flag("ftree-pre"),
    flag("ftree-pta"),
    flag("ftree-reassoc"),
    flag("ftree-sink"),
    flag("ftree-slp-vectorize"),
    flag("ftree-slsr"),
    flag("ftree-sra"),
    flag("ftree-switch-conversion"),
    flag("ftree-tail-merge"),
    flag("ftree-ter"),
    flag("ftree-vectorize"),
    flag("ftree-vrp"),
    flag("funroll-all-loops"),
    flag("funroll-loops"),
    flag("funswitch-loops"),
    word("fvect-cost-model", kCostModels),
    flag("fversion-loops-for-strides"),
    flag("fweb"),
    parameter("gcse-after-reload-partial-fraction", 0, 100),
    parameter("inline-heuristics-hint-percent", 100, 10000),
    parameter("inline-min-speedup", 0, 100),
    parameter("inline-unit-growth", 0, 1000),
    parameter("ipa-cp-eval-threshold", 0, 10000),
    parameter("ipa-cp-unit-growth", 0, 1000),
    parameter("large-function-growth", 0, 1000),
    parameter("large-function-insns", 0, 100000),
    parameter("large-stack-frame", 0, 65536),
    parameter("large-stack-frame-growth", 0, 10000),
    parameter("large-unit-insns", 0, 100000),
    parameter("max-average-unrolled-insns", 0, 1000),
    parameter("max-combine-insns", 2, 4),
    parameter("max-completely-peel-times", 0, 256),
    parameter("max-completely-peeled-insns", 0, 2000),
    parameter("max-cse-path-length", 1, 100),
    parameter("max-early-inliner-iterations", 1, 8),
    parameter("max-gcse-insertion-ratio", 0, 200),
    parameter("max-hoist-depth", 0, 100),
    parameter("max-inline-functions-called-once-insns", 0, 20000),
    parameter("max-inline-functions-called-once-loop-depth", 0, 32),
    parameter("max-inline-insns-auto", 0, 1000),
    parameter("max-inline-insns-recursive", 0, 2000),
    parameter("max-inline-insns-recursive-auto", 0, 2000),
    parameter("max-inline-insns-single", 0, 2000),
    parameter("max-inline-insns-small", 0, 200),
    parameter("max-jump-thread-duplication-stmts", 0, 100),
    parameter("max-loop-header-insns", 0, 100),
    parameter("max-peel-branches", 0, 128),
    parameter("max-peel-times", 0, 64),
    parameter("max-peeled-insns", 0, 1000),
    parameter("max-sched-ready-insns", 1, 1000),
    parameter("max-sched-region-blocks", 1, 100),
    parameter("max-sched-region-insns", 1, 1000),
    parameter("max-unroll-times", 0, 64),
    parameter("max-unrolled-insns", 0, 2000),
    parameter("max-unswitch-insns", 0, 500),
    parameter("min-crossjump-insns", 1, 100),
    parameter("min-vect-loop-bound", 0, 1000),
    parameter("prefetch-latency", 1, 1000),
    parameter("sched-pressure-algorithm", 1, 2),
    parameter("simultaneous-prefetches", 1, 64),
    parameter("tracer-max-code-growth", 0, 1000),
    parameter("tree-reassoc-width", 0, 8),
    parameter("uninlined-function-insns", 0, 100),
    parameter("unroll-jam-max-unroll", 1, 16),
    parameter("unroll-jam-min-percent", 0, 100),
    parameter("vect-max-peeling-for-alignment", 0, 64),
    parameter("vect-max-version-for-alias-checks", 0, 100),
    parameter("vect-max-version-for-alignment-checks", 0, 100),
});
static_assert(std::ranges::is_sorted(kOptions, {}, &GccOption::name),
              "find_gcc_option() searches by halves");

std::string describe_allowed(const GccOption& option) {
  switch (option.kind) {
    case GccOptionKind::flag:
      return "true or false";
    case GccOptionKind::word:
      return "one of " +
             join(std::vector<std::string>(option.words.begin(), option.words.end()), ", ");
    case GccOptionKind::number:
    case GccOptionKind::parameter:
      break;
  }
  return "a whole number from " + std::to_string(option.low) + " to " + std::to_string(option.high);
}

bool is_allowed(const GccOption& option, std::string_view value) {
  if (option.kind == GccOptionKind::flag) {
    return value == "true" || value == "false";
  }
  if (option.kind == GccOptionKind::word) {
    return std::ranges::find(option.words, value) != option.words.end();
  }
  std::int64_t number = 0;
  const auto parsed = std::from_chars(value.begin(), value.end(), number);
  // One value has one spelling, since decisions are compared as text.
  return parsed.ec == std::errc() && value == std::to_string(number) && option.low <= number &&
         number <= option.high;
}

}  // namespace

std::span<const GccOption> gcc_option_table() {
  return kOptions;
}

bool has_gcc_option_table(int gcc_major) {
  return kMajors.holds(gcc_major);
}

const GccOption* find_gcc_option(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kOptions, name, {}, &GccOption::name);
  return found != kOptions.end() && found->name == name ? found : nullptr;
}

Result<void> check_gcc_option(std::string_view name, std::string_view value) {
  const GccOption* const option = find_gcc_option(name);
  if (option == nullptr) {
    return fail(ErrorCode::invalid_argument,
                "knob " + std::string(name) + ": it is not among the options allowed for GCC");
  }
  if (!is_allowed(*option, value)) {
    return fail(ErrorCode::invalid_argument, "knob " + std::string(name) + "=" +
                                                 std::string(value) + ": the value must be " +
                                                 describe_allowed(*option));
  }
  return {};
}

std::string gcc_argument(std::string_view name, std::string_view value) {
  const GccOption* const option = find_gcc_option(name);
  std::string argument;
  if (option != nullptr && option->kind == GccOptionKind::parameter) {
    argument = "--param=";
  } else {
    argument = "-";
    if (option == nullptr || option->kind == GccOptionKind::flag) {
      argument += value == "false" ? "fno-" : "f";
      argument += name.substr(1);
      return argument;
    }
  }
  argument += name;
  argument += '=';
  argument += value;
  return argument;
}

std::string_view gcc_option_of(std::string_view argument) {
  if (argument.starts_with("--param=")) {
    return gcc_option_of_parameter(argument.substr(8));
  }
  if (!argument.starts_with("-f")) {
    return {};
  }
  std::string name(argument.substr(1, argument.find('=') - 1));
  if (name.starts_with("fno-")) {
    name.erase(1, 3);
  }
  const GccOption* const option = find_gcc_option(name);
  return option != nullptr ? option->name : std::string_view();
}

std::string_view gcc_option_of_parameter(std::string_view parameter) {
  const GccOption* const option = find_gcc_option(parameter.substr(0, parameter.find('=')));
  return option != nullptr && option->kind == GccOptionKind::parameter ? option->name
                                                                       : std::string_view();
}

}  // namespace hone
