// What clang's sanitizers can see of a program that is there as bitcode only. Thread safe.
//
// With clang 19, -fsanitize=address on bitcode links the runtime, but looks at no access: the pass
// passes over functions without the attribute sanitize_address, which clang's front end sets. opt
// sets it (forceattrs) and runs the pass. UndefinedBehaviorSanitizer's checks are made by the front
// end, from the source; -fsanitize=undefined on bitcode does nothing. The one of its kind that is a
// pass, bounds-checking, stops the program at an access outside of an object whose size is known.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "build_integration/programs/program_run.h"
#include "common/base/result.h"
#include "common/protocol/values.h"

namespace hone {

// "address,undefined"; invalid_argument names a word that is neither.
Result<std::vector<Sanitizer>> parse_sanitizers(std::string_view text);

// Adds the checks to a file of bitcode. Errors of run_tool().
Result<void> sanitize(const std::filesystem::path& bitcode, Sanitizer sanitizer,
                      const std::filesystem::path& output, const std::stop_token& stop = {});
// What a link takes besides.
std::vector<std::string> sanitizer_link(Sanitizer sanitizer);
// How such a program is run: AddressSanitizer keeps its own limit of memory, since it reserves more
// addresses than a machine has.
RunSettings sanitizer_run(Sanitizer sanitizer);

// CompilerGym's type of what a run was ended with, if it was: Memory leak, Memory error, Illegal
// Instruction, Segmentation fault, Execution timeout, Runtime error (N).
std::optional<std::string> sanitizer_report(const RunOutcome& outcome, Sanitizer sanitizer);

}  // namespace hone
