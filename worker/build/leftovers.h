// What a worker that was killed left in its workspaces.
#pragma once

#include <filesystem>
#include <stop_token>

namespace hone {

// Removes, in every workspace below `targets` (TARGET/KEY, as WorkspacePool lays them out): builds
// kept for a heat, builds beside those of jobs that nothing will ask for (to be timed, profiled or
// with sanitizers; a baseline's with sanitizers stays once it is whole), and whatever belongs to a
// slot of number `slots` or above, when a worker has fewer than before. Only for whoever holds the
// worker's lock, before any job. What cannot be removed is logged; a stop leaves the rest.
void remove_leftovers(const std::filesystem::path& targets, int slots,
                      const std::stop_token& stop = {});

}  // namespace hone
