#include "worker/artifacts/job_user.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace hone {
namespace {

struct Account {
  std::string name;
  uid_t user = 0;
  gid_t group = 0;
};

Result<Account> account_of(const passwd* entry, const std::string& who) {
  if (entry == nullptr) {
    return fail(ErrorCode::not_found, "no user '" + who + "' on this machine (--job-user)");
  }
  return Account{entry->pw_name, entry->pw_uid, entry->pw_gid};
}

}  // namespace

Result<JobUser> find_job_user(const std::string& name) {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const uid_t self = geteuid();
  if (self != 0) {
    getpwuid_r(self, &entry, buffer.data(), buffer.size(), &found);
    const std::string own = found != nullptr ? found->pw_name : std::to_string(self);
    if (!name.empty() && name != own) {
      return fail(ErrorCode::permission_denied, "only root can run jobs as another user ('" + name +
                                                    "'); leave --job-user out to run them as '" +
                                                    own + "'");
    }
    return JobUser{own, std::nullopt};
  }
  const std::string wanted = name.empty() ? "nobody" : name;
  getpwnam_r(wanted.c_str(), &entry, buffer.data(), buffer.size(), &found);
  HONE_TRY(const Account account, account_of(found, wanted));
  if (account.user == 0) {
    if (wanted != "root") {
      return fail(ErrorCode::permission_denied,
                  "user '" + wanted + "' is root; jobs run as root only with --job-user root");
    }
    return JobUser{account.name, std::nullopt};
  }
  return JobUser{account.name, RunAs{account.user, account.group}};
}

Result<void> check_can_enter(const JobUser& user, const std::filesystem::path& folder) {
  Command command;
  command.arguments = {"test", "-x", folder.string()};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.working_folder = "/";
  command.run_as = user.run_as;
  HONE_TRY(const RunReport report, run(command));
  if (!report.ok()) {
    return fail(ErrorCode::permission_denied,
                "user '" + user.name + "', who runs the jobs, cannot enter " + folder.string() +
                    ": open every folder above it to others (chmod o+x), or choose another folder");
  }
  return {};
}

}  // namespace hone
