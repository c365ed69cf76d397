// What the launcher did with each object of one build: reads HONE_STATE_DIR/compiles.ndjson, whose
// lines build_integration/launcher/compile_log.h describes. Thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/attempt_result.h"

namespace hone {

struct CompileLine {
  bool meant = false;         // a rule wanted it tuned
  std::string source;         // relative to the source root, absolute if outside
  std::string output;         // likewise
  std::string pipeline_hash;  // of the rule's decision; empty if no rule matched
  std::string compiled;       // tuned, plain, failed
  std::string reason;
  std::string failure;  // crashed, timed_out, load_failed, rejected; empty if none
};

// The lines in order; no lines if there is no log. Lines that cannot be read are passed over: the
// build's own programs may write into that folder. too_large past 256 MiB, io_failed.
Result<std::vector<CompileLine>> read_compile_log(const std::filesystem::path& file);

// The last line of each output that exists in the end, as decisions, in the order of the outputs.
// (A configure script compiles files and throws them away.) Relative outputs are below `source`;
// those below `build` become relative to it.
std::vector<EffectiveDecision> effective_decisions(const std::vector<CompileLine>& lines,
                                                   const std::filesystem::path& source,
                                                   const std::filesystem::path& build);

// What a failure of a tuned compile means for the candidate. compiler_crashed for crashed,
// load_failed and rejected, timed_out for the CPU limit; nothing if there was none. The reason
// names the file.
struct CompileFailure {
  Outcome outcome;
  std::string reason;
};
std::optional<CompileFailure> first_failure(const std::vector<CompileLine>& lines);

}  // namespace hone
