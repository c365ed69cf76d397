#include "build_integration/launcher/refused_options.h"

#include <algorithm>
#include <array>

#include "build_integration/launcher/refused_inner_options.h"
#include "common/base/text.h"

namespace hone {
namespace {

struct Row {
  std::string_view text;
  Reason reason;
};

// Sorted by text.
constexpr auto kExact = std::to_array<Row>({
    {"-###", Reason::not_a_compile},
    {"--analyze", Reason::not_a_compile},
    {"--assemble", Reason::not_a_compile},
    {"--coverage", Reason::instrumented},
    {"--dependencies", Reason::not_a_compile},
    {"--help", Reason::not_a_compile},
    {"--help-hidden", Reason::not_a_compile},
    {"--migrate", Reason::not_a_compile},
    {"--precompile", Reason::not_a_compile},
    {"--preprocess", Reason::not_a_compile},
    {"--target-help", Reason::not_a_compile},
    {"--user-dependencies", Reason::not_a_compile},
    {"--verbose", Reason::reports},
    {"--version", Reason::not_a_compile},
    {"-E", Reason::not_a_compile},
    {"-M", Reason::not_a_compile},
    {"-MJ", Reason::records_command},
    {"-MM", Reason::not_a_compile},
    {"-ObjC", Reason::other_language},
    {"-ObjC++", Reason::other_language},
    {"-Q", Reason::reports},
    {"-S", Reason::not_a_compile},
    {"-V", Reason::not_a_compile},
    {"-arch", Reason::other_target},
    {"-aux-info", Reason::unusual_option},
    {"-cc1", Reason::not_a_compile},
    {"-cc1as", Reason::not_a_compile},
    {"-coverage", Reason::instrumented},
    {"-dumpfullversion", Reason::not_a_compile},
    {"-dumpmachine", Reason::not_a_compile},
    {"-dumpspecs", Reason::not_a_compile},
    {"-dumpversion", Reason::not_a_compile},
    {"-emit-ast", Reason::not_a_compile},
    {"-emit-interface-stubs", Reason::not_a_compile},
    {"-emit-llvm", Reason::not_a_compile},
    {"-emit-merged-ifs", Reason::not_a_compile},
    {"-extract-api", Reason::not_a_compile},
    {"-fanalyzer", Reason::reports},
    {"-fbranch-probabilities", Reason::instrumented},
    {"-fcondition-coverage", Reason::instrumented},
    {"-fcoverage-mapping", Reason::instrumented},
    {"-fcrash-diagnostics", Reason::reports},
    {"-fcs-profile-generate", Reason::instrumented},
    {"-fdriver-only", Reason::not_a_compile},
    {"-ffat-lto-objects", Reason::saves_temps},
    {"-fhelp", Reason::not_a_compile},
    {"-flegacy-pass-manager", Reason::disables_passes},
    {"-fmem-report", Reason::reports},
    {"-fmodule-header", Reason::not_a_compile},
    {"-fmodule-only", Reason::not_a_compile},
    // Which warnings depend on passes could not be told.
    {"-fno-diagnostics-show-option", Reason::reports},
    {"-fno-experimental-new-pass-manager", Reason::disables_passes},
    {"-fpost-ipa-mem-report", Reason::reports},
    {"-fpre-ipa-mem-report", Reason::reports},
    {"-fpseudo-probe-for-profiling", Reason::instrumented},
    {"-frecord-command-line", Reason::records_command},
    {"-frecord-gcc-switches", Reason::records_command},
    {"-fstats", Reason::reports},
    {"-fsyntax-only", Reason::not_a_compile},
    {"-ftarget-help", Reason::not_a_compile},
    {"-ftest-coverage", Reason::instrumented},
    {"-fversion", Reason::not_a_compile},
    {"-gen-cdb-fragment-path", Reason::records_command},
    {"-grecord-command-line", Reason::records_command},
    {"-grecord-gcc-switches", Reason::records_command},
    {"-help", Reason::not_a_compile},
    {"-m16", Reason::other_target},
    {"-m32", Reason::other_target},
    {"-miamcu", Reason::other_target},
    {"-module-file-info", Reason::not_a_compile},
    {"-mx32", Reason::other_target},
    {"-print-stats", Reason::reports},
    {"-rewrite-legacy-objc", Reason::not_a_compile},
    {"-rewrite-objc", Reason::not_a_compile},
    {"-time", Reason::reports},
    {"-v", Reason::reports},
    {"-verify-pch", Reason::not_a_compile},
    {"-via-file-asm", Reason::saves_temps},
    {"-wrapper", Reason::unusual_option},
});
static_assert(std::ranges::is_sorted(kExact, {}, &Row::text));

constexpr auto kPrefix = std::to_array<Row>({
    {"--analyzer", Reason::not_a_compile},
    {"--config", Reason::unusual_option},
    {"--cuda", Reason::other_language},
    {"--help=", Reason::not_a_compile},
    {"--no-offload", Reason::other_language},
    {"--offload", Reason::other_language},
    {"--print-", Reason::not_a_compile},
    {"--rsp-quoting", Reason::response_file},
    {"--save-temps", Reason::saves_temps},
    {"-MJ", Reason::records_command},
    {"-Reverything", Reason::reports},
    {"-Rpass", Reason::reports},
    {"-Xarch_", Reason::other_target},
    {"-Xopenmp-target", Reason::other_language},
    {"-ccc-", Reason::unusual_option},
    {"-darwin-target", Reason::other_target},
    {"-fauto-profile", Reason::instrumented},
    {"-fcompare-debug", Reason::unusual_option},
    {"-fcrash-diagnostics=", Reason::reports},
    {"-fcs-profile-", Reason::instrumented},
    {"-fdbg-cnt", Reason::unusual_option},
    {"-fdiagnostics-format=SARIF", Reason::reports},
    {"-fdiagnostics-format=json", Reason::reports},
    {"-fdiagnostics-format=sarif", Reason::reports},
    {"-fdisable-", Reason::disables_passes},
    {"-fdump-", Reason::reports},
    {"-fembed-bitcode", Reason::saves_temps},
    {"-fenable-", Reason::disables_passes},
    {"-fhelp=", Reason::not_a_compile},
    {"-fmemory-profile", Reason::instrumented},
    {"-fmodule-header=", Reason::not_a_compile},
    {"-foffload", Reason::other_language},
    {"-fopenmp-targets=", Reason::other_language},
    {"-fopt-info", Reason::reports},
    {"-fpass-plugin=", Reason::user_plugin},
    {"-fplugin-arg-", Reason::user_plugin},
    {"-fplugin=", Reason::user_plugin},
    {"-fproc-stat-report", Reason::reports},
    {"-fprofile-", Reason::instrumented},
    {"-fsycl", Reason::other_language},
    {"-fthinlto-index=", Reason::other_language},
    {"-ftime-report", Reason::reports},
    {"-gen-reproducer", Reason::reports},
    {"-print-", Reason::not_a_compile},
    {"-save-temps", Reason::saves_temps},
    {"-specs", Reason::unusual_option},
    {"-time=", Reason::reports},
    {"-working-directory", Reason::unusual_option},
});

// Options with two dashes that are known to change nothing here. The others are left alone: many
// are long spellings of -c, -o, -x and -O.
constexpr auto kHarmlessLong = std::to_array<std::string_view>({
    "--end-no-unused-arguments",
    "--gcc-install-dir",
    "--gcc-toolchain",
    "--no-default-config",
    "--param",
    "--rtlib",
    "--serialize-diagnostics",
    "--start-no-unused-arguments",
    "--std",
    "--stdlib",
    "--sysroot",
    "--unwindlib",
});

// The first refusal among the words of -Wp, or -Wa, which stand between commas.
Reason refusal_of_words(std::string_view words, Reason (*refusal_of_word)(std::string_view)) {
  for (const std::string_view word : split(words, ',')) {
    if (const Reason reason = refusal_of_word(word); reason != Reason::none) {
      return reason;
    }
  }
  return Reason::none;
}

}  // namespace

bool is_host_target(std::string_view triple) {
#if defined(__x86_64__)
  const bool same_machine = triple.starts_with("x86_64-") || triple.starts_with("amd64-");
#elif defined(__aarch64__)
  const bool same_machine = triple.starts_with("aarch64-") || triple.starts_with("arm64-");
#else
  const bool same_machine = false;
#endif
  // x32 is another ABI on the same machine.
  return same_machine && triple.find("linux") != std::string_view::npos &&
         !triple.ends_with("x32") && triple.find("android") == std::string_view::npos;
}

Reason refusal_of(std::string_view option, std::string_view value) {
  if (option == "-Xclang") {
    return refusal_of_frontend_option(value);
  }
  if (option.starts_with("-Xclang=")) {
    return refusal_of_frontend_option(option.substr(8));
  }
  if (option == "-mllvm") {
    return refusal_of_llvm_option(value);
  }
  if (option.starts_with("-mllvm=")) {
    return refusal_of_llvm_option(option.substr(7));
  }
  if (option == "-Xpreprocessor") {
    return refusal_of_preprocessor_option(value);
  }
  if (option.starts_with("-Wp,")) {
    return refusal_of_words(option.substr(4), refusal_of_preprocessor_option);
  }
  if (option == "-Xassembler") {
    return refusal_of_assembler_option(value);
  }
  if (option.starts_with("-Wa,")) {
    return refusal_of_words(option.substr(4), refusal_of_assembler_option);
  }
  // -dM, -dD, -da ...: macros or passes are dumped.
  if (option.starts_with("-d") && option.size() == 3) {
    return Reason::reports;
  }
  if (option == "-target") {
    return is_host_target(value) ? Reason::none : Reason::other_target;
  }
  if (option.starts_with("--target=")) {
    return is_host_target(option.substr(9)) ? Reason::none : Reason::other_target;
  }
  if (option.starts_with("--driver-mode=")) {
    const std::string_view mode = option.substr(14);
    return mode == "g++" || mode == "gcc" ? Reason::none : Reason::other_driver;
  }
  if (option.starts_with("-fplugin=") && option.find("libhone_pass") != std::string_view::npos) {
    return Reason::already_decided;
  }
  const auto* const row = std::ranges::lower_bound(kExact, option, {}, &Row::text);
  if (row != kExact.end() && row->text == option) {
    return row->reason;
  }
  for (const Row& candidate : kPrefix) {
    if (option.starts_with(candidate.text)) {
      return candidate.reason;
    }
  }
  if (option.starts_with("--")) {
    const std::string_view name = option.substr(0, option.find('='));
    if (std::ranges::find(kHarmlessLong, name) == kHarmlessLong.end()) {
      return Reason::unusual_option;
    }
  }
  return Reason::none;
}

}  // namespace hone
