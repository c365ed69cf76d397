// Compiles that read a profile (-fprofile-use) of clang's instrumentation. A profile of the IR
// ("-fprofile-generate") is matched against the code in the middle of the default pipeline, so that
// ours must wait for that; one of the front end ("-fprofile-instr-generate") has been read before
// any pass. Thread safe.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Whether an option has clang read an instrumentation profile: -fprofile-use, -fprofile-instr-use,
// and both with "=FILE". Sampled profiles (-fprofile-sample-use) are not meant.
bool is_profile_use(std::string_view option);

// The file that such an option has clang read: default.profdata where it names none or a folder.
std::string profile_of(std::string_view option);

enum class ProfileKind {
  front_end,  // read before the first pass
  ir,         // read by a pass early in the pipeline
  other,  // context-sensitive (read a second time, after inlining), of another format, unreadable
};

// From the header of an indexed profile (LLVM's InstrProf.h: magic, then the version with its
// variant bits).
ProfileKind kind_of_profile(const std::string& file);

}  // namespace hone
