// The builds of one slot's candidates that are measured together. Each is made and each runs in the
// slot's build folder, since builds hold the path they were made at; all but one of them lie beside
// it (kept-s000-00 ...) until they are put in place. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/result.h"
#include "worker/artifacts/disk_watch.h"
#include "worker/build/workspace.h"

namespace hone {

class KeptBuilds {
 public:
  // Between the workspace's open_slot() and close_slot(), which removes what is kept.
  KeptBuilds(Workspace& workspace, int slot, const DiskLimits& limits)
      : workspace_(workspace), slot_(slot), limits_(limits) {}

  // The build that was just made is to be measured; gives its number, from 0.
  std::size_t add();
  // Makes the build folder ready for the next candidate, with a copy of the build in place if that
  // is to be kept: true if it can be used again. io_failed; without room for a copy it is empty.
  Result<bool> next(const std::stop_token& stop);
  // Puts a build where it was made. io_failed.
  Result<void> place(std::size_t number);
  // Whether the disk has room for one more, and all of them for less than one build may fill.
  bool has_room();

 private:
  Result<void> put_aside();

  Workspace& workspace_;
  int slot_;
  const DiskLimits& limits_;
  std::size_t count_ = 0;
  std::uint64_t largest_ = 0;            // of those that has_room() saw, in bytes
  std::optional<std::size_t> in_place_;  // nothing: what lies there is not to be measured
};

}  // namespace hone
