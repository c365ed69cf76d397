#include "build_integration/launcher/refused_options.h"

#include <algorithm>
#include <array>

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
    {"--user-dependencies", Reason::not_a_compile},
    {"--verbose", Reason::reports},
    {"--version", Reason::not_a_compile},
    {"-E", Reason::not_a_compile},
    {"-M", Reason::not_a_compile},
    {"-MJ", Reason::records_command},
    {"-MM", Reason::not_a_compile},
    {"-ObjC", Reason::other_language},
    {"-ObjC++", Reason::other_language},
    {"-S", Reason::not_a_compile},
    {"-V", Reason::not_a_compile},
    {"-arch", Reason::other_target},
    {"-cc1", Reason::not_a_compile},
    {"-cc1as", Reason::not_a_compile},
    {"-coverage", Reason::instrumented},
    {"-dumpmachine", Reason::not_a_compile},
    {"-dumpversion", Reason::not_a_compile},
    {"-emit-ast", Reason::not_a_compile},
    {"-emit-interface-stubs", Reason::not_a_compile},
    {"-emit-llvm", Reason::not_a_compile},
    {"-emit-merged-ifs", Reason::not_a_compile},
    {"-extract-api", Reason::not_a_compile},
    {"-fcoverage-mapping", Reason::instrumented},
    {"-fcs-profile-generate", Reason::instrumented},
    {"-fdriver-only", Reason::not_a_compile},
    {"-ffat-lto-objects", Reason::saves_temps},
    {"-fpseudo-probe-for-profiling", Reason::instrumented},
    {"-fsyntax-only", Reason::not_a_compile},
    {"-ftest-coverage", Reason::instrumented},
    {"-gen-cdb-fragment-path", Reason::records_command},
    {"-help", Reason::not_a_compile},
    {"-m16", Reason::other_target},
    {"-m32", Reason::other_target},
    {"-module-file-info", Reason::not_a_compile},
    {"-mx32", Reason::other_target},
    {"-print-stats", Reason::reports},
    {"-rewrite-legacy-objc", Reason::not_a_compile},
    {"-rewrite-objc", Reason::not_a_compile},
    {"-v", Reason::reports},
    {"-verify-pch", Reason::not_a_compile},
    {"-via-file-asm", Reason::saves_temps},
});
static_assert(std::ranges::is_sorted(kExact, {}, &Row::text));

constexpr auto kPrefix = std::to_array<Row>({
    {"--analyzer", Reason::not_a_compile},
    {"--config", Reason::unusual_option},
    {"--cuda", Reason::other_language},
    {"--no-offload", Reason::other_language},
    {"--offload", Reason::other_language},
    {"--print-", Reason::not_a_compile},
    {"--rsp-quoting", Reason::response_file},
    {"--save-temps", Reason::saves_temps},
    {"-MJ", Reason::records_command},
    {"-Rpass", Reason::reports},
    {"-Xarch_", Reason::other_target},
    {"-Xopenmp-target", Reason::other_language},
    {"-ccc-", Reason::unusual_option},
    {"-darwin-target", Reason::other_target},
    {"-fauto-profile", Reason::instrumented},
    {"-fcs-profile-", Reason::instrumented},
    {"-fembed-bitcode", Reason::saves_temps},
    {"-fmemory-profile", Reason::instrumented},
    {"-fopenmp-targets=", Reason::other_language},
    {"-foffload", Reason::other_language},
    {"-fpass-plugin=", Reason::user_plugin},
    {"-fplugin-arg-", Reason::user_plugin},
    {"-fplugin=", Reason::user_plugin},
    {"-fproc-stat-report", Reason::reports},
    {"-fprofile-", Reason::instrumented},
    {"-fsycl", Reason::other_language},
    {"-fthinlto-index=", Reason::other_language},
    {"-ftime-report", Reason::reports},
    {"-print-", Reason::not_a_compile},
    {"-save-temps", Reason::saves_temps},
    {"-working-directory", Reason::unusual_option},
});

// Options with two dashes that are known to change nothing here. The others are left alone: many
// are long spellings of -c, -o, -x and -O.
constexpr auto kHarmlessLong = std::to_array<std::string_view>({
    "--end-no-unused-arguments",
    "--gcc-install-dir",
    "--gcc-toolchain",
    "--param",
    "--rtlib",
    "--serialize-diagnostics",
    "--start-no-unused-arguments",
    "--std",
    "--stdlib",
    "--sysroot",
    "--unwindlib",
});

Reason refusal_of_frontend_option(std::string_view value) {
  if (value.starts_with("-disable-")) {
    return Reason::disables_passes;
  }
  if (value == "-load" || value.starts_with("-plugin") || value == "-add-plugin" ||
      value.starts_with("-fpass-plugin=")) {
    return Reason::user_plugin;
  }
  if (value.starts_with("-emit-") || value == "-E" || value == "-S" || value == "-fsyntax-only" ||
      value.starts_with("-ast-") || value == "-verify-pch" || value == "-analyze") {
    return Reason::not_a_compile;
  }
  if (value.starts_with("-fprofile-") || value.starts_with("-coverage-")) {
    return Reason::instrumented;
  }
  if (value == "-triple" || value == "-x" || value == "-o" || value.starts_with("-O")) {
    return Reason::unusual_option;
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
  if (option.starts_with("-mllvm=")) {
    return refusal_of("-mllvm", option.substr(7));
  }
  if (option == "-mllvm") {
    return value.find("use-hone-pipeline=") != std::string_view::npos ? Reason::already_decided
                                                                      : Reason::none;
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
