// The user that builds and benchmarks run as: never root by accident. Plain values, thread safe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

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

// As root, `name` (empty: "nobody") is looked up; "root" must be asked for by that very name. As
// anybody else jobs run as oneself, and a name other than one's own is permission_denied. not_found
// for a user that does not exist.
Result<JobUser> find_job_user(const std::string& name);

// Whether the user can get into the folder: permission_denied naming both, and what to do.
Result<void> check_can_enter(const JobUser& user, const std::filesystem::path& folder);

}  // namespace hone
