// A backup becomes a data folder again. Blocks; run nothing else on the thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/honed.h"
#include "server/store/policy_store.h"

namespace hone {

// The backup is checked as a whole before anything is written. Every token works as it did when the
// backup was made; a further one for admins is made and written to the folder, since the backup
// holds none. While it runs, and when it was killed, honed does not start on the folder; when it
// fails, the folder is empty again.
//
// conflict if the data folder is not empty, or honed runs on it; permission_denied for root on
// another user's folder; invalid_argument for a backup that is cut short or spoiled; unsupported
// for one of a newer Hone or another PostgreSQL, and if the settings have database or artifacts lie
// elsewhere.
struct Restoration {
  std::string made_at;  // the backup, RFC 3339
  std::vector<RestoredPolicy> policies;
};
Result<Restoration> restore_backup(const HonedOptions& options,
                                   const std::filesystem::path& backup);

}  // namespace hone
