// Removes a folder with all it holds, whatever made it. Thread safe for distinct paths.
//
// std::filesystem::remove_all keeps a descriptor open for every level, so that a program which
// nests a few thousand folders makes what it leaves behind undeletable. Here what lies in a folder
// is moved up before the folder goes: two levels and two descriptors are all that is ever needed.
#pragma once

#include <filesystem>
#include <stop_token>

#include "common/base/result.h"

namespace hone {

// Removes whatever has this name; links are not followed. Nothing there is fine. Folders of ours
// that their owner may not change are opened up first. Nothing else may be at work in there.
// io_failed naming what cannot be removed, cancelled after a stop; some of it is gone then.
Result<void> remove_tree(const std::filesystem::path& path, const std::stop_token& stop = {});

}  // namespace hone
