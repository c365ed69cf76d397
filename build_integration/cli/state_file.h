// A file of states in CompilerGym's CSV that grows. Thread safe for distinct files.
#pragma once

#include <filesystem>

#include "common/base/result.h"
#include "common/sessions/episode_state.h"

namespace hone {

// Adds a row, and the header where the file is new or empty. conflict if the file begins with
// another header; io_failed.
Result<void> append_state(const std::filesystem::path& file, const EpisodeState& state);

}  // namespace hone
