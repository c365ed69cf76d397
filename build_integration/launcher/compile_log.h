// The launcher's record of one object: a line of JSON in HONE_STATE_DIR/compiles.ndjson. Workers
// take the decisions that took effect from it, `hone report push` uploads it.
//
//   {"time":"2026-11-27T23:13:02.123Z","source":"lib/lz4.c","output":"build/lz4.o",
//    "pipeline_hash":"32 hex digits","compiled":"tuned","tuned":true,"meant":true,
//    "reason":"none","compiler":"/usr/bin/clang-19","compiler_major":19,"cpu_seconds":0.123,
//    "options":"32 hex digits"}
//
// `compiled` is "tuned", "plain" (the original command was run; whether it made the object, its
// exit code told) or "failed" (HONE_ON_FAILURE=error: no object); `tuned` the same as a truth
// value; `meant` whether a rule wanted it tuned. `reason` is none for tuned ones, else as reason.h
// spells it. A tuned attempt that failed has "failure" too: crashed, timed_out, load_failed or
// rejected. cpu_seconds is the tuned attempt's, 0 without one. pipeline_hash is the decision's
// (decision_hash.h), "" if no rule matched. Where the decision is a choice, a tuned one has
// `"choice":2`, the member that was chosen (chosen_member.h). Bytes that are not UTF-8 are U+FFFD.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "build_integration/launcher/reason.h"
#include "build_integration/launcher/state_folder.h"

namespace hone {

struct CompileRecord {
  std::string source;
  std::string output;
  std::string pipeline_hash;
  std::string_view compiled;  // tuned, plain, failed
  Reason reason = Reason::none;
  Reason failure = Reason::none;  // none, or one of the four kinds
  std::string compiler;
  int compiler_major = 0;
  double cpu_seconds = 0;
  std::string option_fingerprint;
  std::optional<std::uint32_t> choice;
};

// The line, its end included; `time` is now.
std::string print_record(const CompileRecord& record);

void log_compile(const StateFolder& state, const CompileRecord& record);

}  // namespace hone
