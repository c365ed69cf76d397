// Refused is what fits into one of these:
//   - a layout that somebody laid down: linker scripts, fixed addresses, ordering files. Padding
//     would not move the code, or move what must stay;
//   - no start files: without a symbol _start the first byte of code is the entry, and that would
//     be padding;
//   - inputs that are no objects, for which the linker would take the padding, too (-b binary);
//   - files written on the side under names that the copies would overwrite, or outputs of another
//     kind (partial links, index files).
#include "build_integration/linker/link_options.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

template <std::size_t N>
bool begins(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::ranges::any_of(list,
                             [&](std::string_view prefix) { return word.starts_with(prefix); });
}

constexpr auto kNoLink = std::to_array<std::string_view>(
    {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-###", "-shared", "-r", "-dynamiclib",
     "-bundle", "--version", "--help", "-help", "--analyze", "--precompile"});
constexpr auto kNoLinkBeginnings =
    std::to_array<std::string_view>({"-dump", "--print-", "-print-", "--help="});

constexpr auto kRefused =
    std::to_array<std::string_view>({"-nostdlib", "--no-standard-libraries", "-nostartfiles",
                                     "--for-linker", "-emit-llvm", "--emit-static-lib", "-", "--"});
constexpr auto kRefusedBeginnings = std::to_array<std::string_view>(
    {"-T", "-save-temps", "--save-temps", "-ftime-trace", "-fthinlto-index", "--output",
     "--for-linker=", "-Xarch_", "-specs", "--specs"});

// Without the dashes before them and without "=VALUE" behind them.
constexpr auto kRefusedInLinker = std::to_array<std::string_view>({"script",
                                                                   "dT",
                                                                   "default-script",
                                                                   "section-start",
                                                                   "image-base",
                                                                   "format",
                                                                   "b",
                                                                   "oformat",
                                                                   "r",
                                                                   "i",
                                                                   "Ur",
                                                                   "relocatable",
                                                                   "shared",
                                                                   "Bshareable",
                                                                   "symbol-ordering-file",
                                                                   "section-ordering-file",
                                                                   "call-graph-ordering-file",
                                                                   "reproduce",
                                                                   "repro",
                                                                   "time-trace",
                                                                   "save-temps",
                                                                   "lto-obj-path",
                                                                   "lto-emit-asm",
                                                                   "lto-emit-llvm",
                                                                   "thinlto-index-only",
                                                                   "thinlto-emit-imports-files",
                                                                   "out-implib",
                                                                   "incremental",
                                                                   "incremental-full",
                                                                   "incremental-update",
                                                                   "print-archive-stats",
                                                                   "print-symbol-order",
                                                                   "why-extract",
                                                                   "error-handling-script"});
constexpr auto kRefusedInLinkerBeginnings = std::to_array<std::string_view>(
    {"T", "bbinary", "plugin-opt=save-temps", "plugin-opt=-save-temps", "plugin-opt=obj-path",
     "plugin-opt=thinlto-index-only", "plugin-opt=emit-", "time-trace"});

}  // namespace

LinkOption kind_of_driver_option(std::string_view option, std::string_view value) {
  if (holds(kNoLink, option) || begins(kNoLinkBeginnings, option)) {
    return LinkOption::no_link;
  }
  if (holds(kRefused, option) || begins(kRefusedBeginnings, option)) {
    return LinkOption::refused;
  }
  if (option == "-x" || (option.starts_with("-x") && !option.starts_with("-xnone"))) {
    // From here on every input would be read as that language, the padding included.
    return value == "none" ? LinkOption::plain : LinkOption::refused;
  }
  return LinkOption::plain;
}

LinkOption kind_of_linker_word(std::string_view word) {
  if (word.starts_with('@')) {
    return LinkOption::refused;  // options that we have not seen
  }
  if (!word.starts_with('-')) {
    return LinkOption::plain;  // a value, or an input: no padding stands beside those
  }
  const std::string_view option = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::string_view name = option.substr(0, option.find('='));
  if (holds(kRefusedInLinker, name) || begins(kRefusedInLinkerBeginnings, option)) {
    return LinkOption::refused;
  }
  if (name == "Map") {
    return LinkOption::map;
  }
  return name == "dependency-file" ? LinkOption::dependencies : LinkOption::plain;
}

}  // namespace hone
