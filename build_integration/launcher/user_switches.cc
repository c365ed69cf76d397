#include "build_integration/launcher/user_switches.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

// clang hands these to its own pipeline as settings (PipelineTuningOptions); a pass that a pipeline
// names does not see them.
constexpr auto kVectorizing = std::to_array<std::string_view>({"loop-vectorize"});
constexpr auto kSlp = std::to_array<std::string_view>({"slp-vectorizer"});
// Interleaving, too, is off with -fno-unroll-loops.
constexpr auto kUnrolling = std::to_array<std::string_view>(
    {"loop-unroll", "loop-unroll-full", "loop-unroll-and-jam", "loop-vectorize"});
constexpr auto kRerolling = std::to_array<std::string_view>({"loop-reroll"});

struct ClangSwitch {
  std::string_view name;   // behind -f or -fno-
  std::string_view alias;  // clang's other name for it
  std::span<const std::string_view> passes;
};
constexpr auto kClangSwitches = std::to_array<ClangSwitch>({
    {"vectorize", "tree-vectorize", kVectorizing},
    {"slp-vectorize", "tree-slp-vectorize", kSlp},
    {"unroll-loops", "", kUnrolling},
    {"reroll-loops", "", kRerolling},
});

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// Whether `pass` stands in the text as a whole word.
bool names_pass(std::string_view text, std::string_view pass) {
  for (std::size_t at = text.find(pass); at != std::string_view::npos;
       at = text.find(pass, at + 1)) {
    const std::size_t end = at + pass.size();
    if ((at == 0 || !is_name_character(text[at - 1])) &&
        (end == text.size() || !is_name_character(text[end]))) {
      return true;
    }
  }
  return false;
}

// The last of the options that sets this switch, if it says no; else "".
std::string_view turned_off(const std::vector<Option>& options, const ClangSwitch& wanted) {
  std::string_view off;
  for (const Option& option : options) {
    const std::string_view text = option.text == "-Xclang" && !option.values.empty()
                                      ? std::string_view(option.values.front())
                                      : std::string_view(option.text);
    if (!text.starts_with("-f")) {
      continue;
    }
    const bool no = text.starts_with("-fno-");
    const std::string_view name = text.substr(no ? 5 : 2);
    if (name == wanted.name || (!wanted.alias.empty() && name == wanted.alias)) {
      off = no ? text : std::string_view();
    }
  }
  return off;
}

// EnabledBy() in GCC 12's common.opt, and what finish_options() takes away; seen with -Q --help.
constexpr auto kVectorizers =
    std::to_array<std::string_view>({"ftree-loop-vectorize", "ftree-slp-vectorize"});
constexpr auto kOfUnrolling = std::to_array<std::string_view>({"frename-registers", "fweb"});
constexpr auto kOfUnrollingAll =
    std::to_array<std::string_view>({"frename-registers", "funroll-loops", "fweb"});
constexpr auto kInlining = std::to_array<std::string_view>(
    {"findirect-inlining", "finline-functions", "finline-functions-called-once",
     "finline-small-functions", "fpartial-inlining"});
constexpr auto kNotPatchable = std::to_array<std::string_view>(
    {"findirect-inlining", "finline-functions", "finline-functions-called-once",
     "finline-small-functions", "fipa-bit-cp", "fipa-cp", "fipa-cp-clone", "fipa-modref",
     "fipa-pta", "fipa-ra", "fipa-sra", "fipa-vrp", "fpartial-inlining"});

struct GccGroup {
  std::string_view name;
  std::span<const std::string_view> members;
};
constexpr auto kGccGroups = std::to_array<GccGroup>({
    {"inline", kInlining},
    {"live-patching", kNotPatchable},
    {"tree-vectorize", kVectorizers},
    {"unroll-all-loops", kOfUnrollingAll},
    {"unroll-loops", kOfUnrolling},
});

}  // namespace

std::string_view switched_off_pass(const std::vector<Option>& options, std::string_view pipelines) {
  for (const ClangSwitch& candidate : kClangSwitches) {
    const auto is_named = [&](std::string_view pass) { return names_pass(pipelines, pass); };
    if (std::ranges::any_of(candidate.passes, is_named)) {
      const std::string_view off = turned_off(options, candidate);
      if (!off.empty()) {
        return off;
      }
    }
  }
  return {};
}

std::span<const std::string_view> members_of_gcc_group(std::string_view argument) {
  if (!argument.starts_with("-f")) {
    return {};
  }
  const std::string_view name = argument.substr(argument.starts_with("-fno-") ? 5 : 2);
  const auto* const group =
      std::ranges::find(kGccGroups, name.substr(0, name.find('=')), &GccGroup::name);
  return group == kGccGroups.end() ? std::span<const std::string_view>() : group->members;
}

}  // namespace hone
