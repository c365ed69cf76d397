// Backup of a data folder: the private cluster as pg_basebackup copies it, and every artifact that
// it names. Blocks; run nothing else on the thread.
//
// Physical, since cursors of streams hold transaction ids: a dump read into a fresh cluster would
// begin to count these anew, and every reader's place would be lost.
#pragma once

#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "server/honed.h"

namespace hone {

// Writes `destination`: a folder, or one file if its name ends in ".tar"; readable by us alone; it
// holds no token. honed may run or not. Checked after it was written. Whole or not at all: what
// failed leaves nothing (after kill -9, a folder or files ".partial" beside, which the next backup
// of that name removes).
//
// conflict if the destination is there and no empty folder, or is being made; invalid_argument if
// it lies in the data folder; unsupported for a database or artifacts that are not honed's own;
// permission_denied if we are not the user that honed runs as; not_found if there is no honed's
// data; io_failed, a full disk named as such.
Result<void> make_backup(const HonedOptions& options, const std::filesystem::path& destination,
                         const std::string& hone_version);

}  // namespace hone
