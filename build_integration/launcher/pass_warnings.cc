#include "build_integration/launcher/pass_warnings.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace hone {
namespace {

constexpr auto kOfClang = std::to_array<std::string_view>({
    "-Wattribute-warning",
    "-Wbackend-plugin",
    "-Wframe-larger-than",
    "-Winline-asm",
    "-Wpass-failed",
    "-Wstack-exhausted",
});
// Those that GCC's middle and back end give: GCC 12's manual, "Warning Options", and the callers of
// warning_at() behind the front ends. A name stands for all that begin with it.
constexpr auto kOfGcc = std::to_array<std::string_view>({
    "-Waggressive-loop-optimizations",
    "-Walloc-size-larger-than",
    "-Walloc-zero",
    "-Walloca-larger-than",
    "-Wanalyzer-",
    "-Warray-bounds",
    "-Wattribute-warning",
    "-Wclobbered",
    "-Wdangling-pointer",
    "-Wdisabled-optimization",
    "-Wformat-overflow",
    "-Wformat-truncation",
    "-Wframe-larger-than",
    "-Wfree-nonheap-object",
    "-Winfinite-recursion",
    "-Winline",
    "-Winvalid-memory-model",
    "-Wmaybe-uninitialized",
    "-Wmismatched-dealloc",
    "-Wmismatched-new-delete",
    "-Wmissing-noreturn",
    "-Wnonnull",
    "-Wnull-dereference",
    "-Wrestrict",
    "-Wreturn-local-addr",
    "-Wstack-protector",
    "-Wstack-usage",
    "-Wstrict-overflow",
    "-Wstringop-overflow",
    "-Wstringop-overread",
    "-Wstringop-truncation",
    "-Wsuggest-attribute",
    "-Wsuggest-final",
    "-Wuninitialized",
    "-Wunsafe-loop-optimizations",
    "-Wuse-after-free",
    "-Wvector-operation-performance",
    "-Wvla-larger-than",
    "-Wzero-length-bounds",
});

std::span<const std::string_view> warnings_of(std::string_view compiler_family) {
  if (compiler_family == "gcc") {
    return kOfGcc;
  }
  return kOfClang;
}

bool takes_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// "frame-larger-than=400" is of "-Wframe-larger-than".
bool is_of(std::string_view name, std::string_view warning) {
  return name.starts_with(warning.substr(2));
}

}  // namespace

bool names_pass_warning(std::string_view messages, std::string_view compiler_family) {
  return std::ranges::any_of(warnings_of(compiler_family), [&](std::string_view warning) {
    return messages.find(warning) != std::string_view::npos;
  });
}

std::string_view asked_pass_warning(const std::vector<Option>& options,
                                    std::string_view compiler_family) {
  std::vector<std::pair<std::string_view, std::string_view>> asked;  // warning, option
  const auto read = [&](std::string_view option) {
    std::string_view name = option;
    if (!takes_prefix(name, "-W")) {
      return;
    }
    const bool off = takes_prefix(name, "no-");
    if (!off) {
      takes_prefix(name, "error=");
    }
    for (const std::string_view warning : warnings_of(compiler_family)) {
      if (is_of(name, warning)) {
        std::erase_if(asked, [&](const auto& entry) { return entry.first == warning; });
        if (!off) {
          asked.emplace_back(warning, option);
        }
      }
    }
  };
  for (const Option& option : options) {
    if (option.text == "-Xclang" && !option.values.empty()) {
      read(option.values.front());
    } else {
      read(option.text);
    }
  }
  return asked.empty() ? std::string_view() : asked.front().second;
}

}  // namespace hone
