#include "worker/build/kept_builds.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/base/remove_tree.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

Result<void> move(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    return system_error("cannot rename " + from.string() + " to " + to.string(), errno);
  }
  return {};
}

}  // namespace

std::size_t KeptBuilds::add() {
  in_place_ = count_++;
  return *in_place_;
}

Result<void> KeptBuilds::put_aside() {
  if (!in_place_) {
    return remove_tree(workspace_.candidate_build(slot_), workspace_.stopping());
  }
  HONE_CHECK(move(workspace_.candidate_build(slot_), workspace_.kept_build(slot_, *in_place_)));
  in_place_.reset();
  return {};
}

Result<bool> KeptBuilds::next(const std::stop_token& stop) {
  if (!in_place_) {
    return workspace_.next_build(slot_, {}, stop);
  }
  const fs::path kept = workspace_.kept_build(slot_, *in_place_);
  HONE_CHECK(put_aside());
  return workspace_.next_build(slot_, kept, stop);
}

Result<void> KeptBuilds::place(std::size_t number) {
  if (in_place_ == number) {
    return {};
  }
  HONE_CHECK(put_aside());
  HONE_CHECK(move(workspace_.kept_build(slot_, number), workspace_.candidate_build(slot_)));
  in_place_ = number;
  return {};
}

bool KeptBuilds::has_room() {
  if (in_place_) {
    largest_ = std::max(largest_, disk_use({workspace_.candidate_build(slot_)}).bytes);
  }
  // A copy, and what the next build adds to it.
  DiskLimits wanted = limits_;
  wanted.reserve_bytes += 2 * largest_;
  return (count_ + 2) * largest_ <= limits_.bytes && hone::has_room(workspace_.folder(), wanted);
}

}  // namespace hone
