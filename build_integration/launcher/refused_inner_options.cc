#include "build_integration/launcher/refused_inner_options.h"

#include <algorithm>
#include <initializer_list>

#include "build_integration/launcher/refused_options.h"

namespace hone {
namespace {

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// Answered in place of the work.
bool is_question(std::string_view value) {
  return begins_with_any(
      value, {"--help", "--target-help", "--version", "-help", "-target-help", "-version"});
}

}  // namespace

Reason refusal_of_frontend_option(std::string_view value) {
  if (value.starts_with("-disable-")) {
    return Reason::disables_passes;
  }
  if (value == "-load" ||
      begins_with_any(value, {"-plugin", "-add-plugin", "-fpass-plugin=", "-load="})) {
    return Reason::user_plugin;
  }
  // Actions of the compiler proper, which take the place of making an object.
  if (is_question(value) || value == "-E" || value == "-Eonly" || value == "-S" ||
      value == "-analyze" || value == "-init-only" || value == "-fsyntax-only" ||
      value == "-verify-pch" ||
      begins_with_any(value, {"--print-", "-analyzer-", "-ast-", "-code-completion",
                              "-compiler-options-dump", "-dump-", "-emit-", "-extract-api",
                              "-fixit", "-migrate", "-print-", "-rewrite-", "-templight-dump"})) {
    return Reason::not_a_compile;
  }
  if (begins_with_any(value, {"-fprofile-", "-coverage-"})) {
    return Reason::instrumented;
  }
  // To standard output, which a second compile would write again.
  if (begins_with_any(value, {"-fdump-", "-dependency-", "-header-include"})) {
    return Reason::reports;
  }
  // What passes did, limits on what they may do, and messages without the names of warnings.
  if (value == "-fno-diagnostics-show-option" || value == "-Reverything" ||
      begins_with_any(value, {"-Rpass", "-diagnostic-log-file", "-fdiagnostics-format=json",
                              "-fdiagnostics-format=sarif", "-fdiagnostics-format=SARIF",
                              "-fwarn-stack-size=", "-opt-record-"})) {
    return Reason::reports;
  }
  if (value == "-triple" || value == "-x" || value == "-o" || value.starts_with("-O")) {
    return Reason::unusual_option;
  }
  return Reason::none;
}

Reason refusal_of_llvm_option(std::string_view value) {
  if (value.find("use-hone-pipeline=") != std::string_view::npos) {
    return Reason::already_decided;
  }
  if (is_question(value) || value == "-h" || value == "--h") {
    return Reason::not_a_compile;
  }
  value.remove_prefix(std::min(value.find_first_not_of('-'), value.size()));
  if (begins_with_any(value, {"debug", "dot-", "filter-print-", "info-output-file", "opt-bisect",
                              "pass-remarks", "print-", "stats", "time-passes", "view-"})) {
    return Reason::reports;
  }
  return Reason::none;
}

Reason refusal_of_preprocessor_option(std::string_view value) {
  if (value == "-mllvm" || value == "-Xclang" || value == "-Xpreprocessor" ||
      value.starts_with("-Wp,")) {
    return Reason::unusual_option;
  }
  const Reason reason = refusal_of_frontend_option(value);
  return reason == Reason::none ? refusal_of(value, "") : reason;
}

Reason refusal_of_assembler_option(std::string_view value) {
  return is_question(value) ? Reason::not_a_compile : Reason::none;
}

}  // namespace hone
