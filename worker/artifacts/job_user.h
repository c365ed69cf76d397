// The users that builds and benchmarks run as: never root by accident, and as root each slot has
// one of its own, so that what one slot runs can neither read the files of another nor signal its
// processes. Plain values, thread safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/archive/unpack.h"
#include "common/base/result.h"
#include "common/base/subprocess.h"

namespace hone {

struct JobUser {
  std::string name;             // for messages
  std::optional<RunAs> run_as;  // nothing: as ourselves
  std::optional<Owner> owner() const {
    return run_as ? std::optional<Owner>({run_as->user, run_as->group}) : std::nullopt;
  }
};

// As root, slots get the numbers from here on: this one plus that of the slot's processor, which is
// the slot's alone on the whole machine (slot_lock.h). Nobody hands these out: Debian's accounts
// end before, systemd's dynamic users begin behind.
inline constexpr uid_t kFirstSlotUser = 60800;
inline constexpr uid_t kLastSlotUser = 61183;

class JobUsers {
 public:
  explicit JobUsers(JobUser one) : by_slot_{std::move(one)} {}                       // of all slots
  explicit JobUsers(std::vector<JobUser> by_slot) : by_slot_(std::move(by_slot)) {}  // not empty

  const JobUser& of(int slot) const {
    return by_slot_.size() == 1 ? by_slot_.front() : by_slot_.at(static_cast<std::size_t>(slot));
  }

 private:
  std::vector<JobUser> by_slot_;
};

// As root and without a name: a user for each slot, given their processors. Otherwise one for all,
// find_job_user(name). conflict if an account has one of the numbers, unsupported for a processor
// whose number is too high.
Result<JobUsers> find_job_users(const std::string& name, const std::vector<int>& cpus);

// As root, `name` (empty: "nobody") is looked up; "root" must be asked for by that very name. As
// anybody else jobs run as oneself, and a name other than one's own is permission_denied. not_found
// for a user that does not exist.
Result<JobUser> find_job_user(const std::string& name);

// Whether the user can get into the folder: permission_denied naming both, and what to do.
Result<void> check_can_enter(const JobUser& user, const std::filesystem::path& folder);

}  // namespace hone
