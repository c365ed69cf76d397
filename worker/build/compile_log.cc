#include "worker/build/compile_log.h"

#include <map>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/json/object_reader.h"
#include "worker/artifacts/folders.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLog = std::size_t{256} << 20U;
constexpr TextLimits kText{.min_size = 0, .max_size = 8192};

std::optional<CompileLine> read_line(std::string_view text) {
  const Result<Json> document = parse_json(text, {.bytes = 65536, .depth = 4});
  if (!document) {
    return std::nullopt;
  }
  Problems problems;
  ObjectReader reader(*document, "", problems, UnknownKeys::ignore);
  CompileLine line;
  line.source = reader.text("source", kText);
  line.output = reader.text("output", kText);
  line.pipeline_hash = reader.text("pipeline_hash", kText);
  line.compiled = reader.text("compiled", kText);
  line.reason = reader.text("reason", kText);
  line.meant = reader.truth("meant");
  line.failure = reader.optional_text("failure", kText).value_or("");
  return problems.empty() ? std::optional(line) : std::nullopt;
}

}  // namespace

Result<std::vector<CompileLine>> read_compile_log(const fs::path& file) {
  const Result<std::string> text = read_job_file(file, kMaxLog);
  if (!text) {
    if (text.error().code == ErrorCode::not_found) {
      return std::vector<CompileLine>{};
    }
    return text.error();
  }
  std::vector<CompileLine> lines;
  for (const std::string_view piece : split(*text, '\n')) {
    if (std::optional<CompileLine> line = read_line(piece)) {
      lines.push_back(*std::move(line));
    }
  }
  return lines;
}

std::vector<EffectiveDecision> effective_decisions(const std::vector<CompileLine>& lines,
                                                   const fs::path& source, const fs::path& build) {
  std::map<std::string, EffectiveDecision> by_output;
  for (const CompileLine& line : lines) {
    // A name of the log is absolute or relative to the source; operator/ handles both.
    const fs::path output = (source / line.output).lexically_normal();
    const std::string below = output.lexically_relative(build).generic_string();
    std::error_code error;
    if (!fs::is_regular_file(output, error)) {
      continue;
    }
    EffectiveDecision decision;
    decision.source = line.source;
    decision.output = below.starts_with("..") ? line.output : below;
    decision.tuned = line.compiled == "tuned";
    decision.meant = line.meant;
    if (decision.tuned) {
      decision.pipeline_hash = line.pipeline_hash;
    } else {
      decision.reason = line.reason;
    }
    by_output[decision.output] = std::move(decision);
  }
  std::vector<EffectiveDecision> list;
  list.reserve(by_output.size());
  for (auto& [output, decision] : by_output) {
    list.push_back(std::move(decision));
  }
  return list;
}

std::optional<CompileFailure> first_failure(const std::vector<CompileLine>& lines) {
  for (const CompileLine& line : lines) {
    if (line.failure.empty()) {
      continue;
    }
    const std::string which =
        " on " + line.source +
        (line.pipeline_hash.empty() ? "" : ", pipeline " + line.pipeline_hash);
    if (line.failure == "timed_out") {
      return CompileFailure{Outcome::timed_out,
                            "a tuned compile used up its processor time" + which};
    }
    if (line.failure == "load_failed") {
      return CompileFailure{Outcome::compiler_crashed,
                            "the plugin could not be used" + which + " (" + line.reason + ")"};
    }
    if (line.failure == "rejected") {
      return CompileFailure{Outcome::compiler_crashed,
                            "the compiler or the plugin refused the pipeline" + which};
    }
    return CompileFailure{Outcome::compiler_crashed, "the compiler crashed" + which};
  }
  return std::nullopt;
}

}  // namespace hone
