#include "build_integration/programs/sanitized_bitcode.h"

#include <algorithm>

#include "build_integration/programs/tool.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kReportExitCode = 86;  // that no program of ours has by itself
constexpr std::uint64_t kMaxBitcodeBytes = std::uint64_t{256} << 20U;

}  // namespace

Result<std::vector<Sanitizer>> parse_sanitizers(std::string_view text) {
  std::vector<Sanitizer> sanitizers;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<Sanitizer> sanitizer = parse_sanitizer(trim(word));
    if (!sanitizer) {
      return fail(ErrorCode::invalid_argument, "'" + std::string(trim(word)) + "' must be one of " +
                                                   std::string(kSanitizerChoices) +
                                                   ", or several with commas");
    }
    if (std::ranges::find(sanitizers, *sanitizer) == sanitizers.end()) {
      sanitizers.push_back(*sanitizer);
    }
  }
  return sanitizers;
}

Result<void> sanitize(const fs::path& bitcode, Sanitizer sanitizer, const fs::path& output,
                      const std::stop_token& stop) {
  Tool tool;
  tool.packages = "llvm-19";
  tool.file_bytes = kMaxBitcodeBytes;
  tool.arguments = {"opt-19", bitcode.string(), "-o", output.string()};
  if (sanitizer == Sanitizer::address) {
    tool.arguments.insert(tool.arguments.end(),
                          {"-passes=forceattrs,asan", "-force-attribute=sanitize_address"});
  } else {
    tool.arguments.emplace_back("-passes=function(bounds-checking)");
  }
  HONE_CHECK(run_tool(tool, stop));
  return {};
}

std::vector<std::string> sanitizer_link(Sanitizer sanitizer) {
  return sanitizer == Sanitizer::address ? std::vector<std::string>{"-fsanitize=address"}
                                         : std::vector<std::string>{};
}

RunSettings sanitizer_run(Sanitizer sanitizer) {
  RunSettings settings;
  if (sanitizer == Sanitizer::address) {
    const std::uint64_t mebibytes = settings.memory_bytes >> 20U;
    settings.memory_bytes = 0;
    settings.environment = {"ASAN_OPTIONS=exitcode=" + std::to_string(kReportExitCode) +
                            ":hard_rss_limit_mb=" + std::to_string(mebibytes)};
  }
  return settings;
}

std::optional<std::string> sanitizer_report(const RunOutcome& outcome, Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::address && outcome.error.empty() &&
      outcome.exit_code == kReportExitCode) {
    const bool leak = outcome.output.find("ERROR: LeakSanitizer") != std::string::npos;
    return leak ? "Memory leak" : "Memory error";
  }
  return outcome.error.empty() ? std::nullopt : std::optional(outcome.error);
}

}  // namespace hone
