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

Result<JobUsers> find_job_users(const std::string& name, const std::vector<int>& cpus) {
  if (geteuid() != 0 || !name.empty() || cpus.empty()) {
    HONE_TRY(JobUser one, find_job_user(name));
    return JobUsers(std::move(one));
  }
  std::vector<JobUser> users;
  for (const int cpu : cpus) {
    const uid_t number = kFirstSlotUser + static_cast<uid_t>(cpu);
    if (number > kLastSlotUser) {
      return fail(ErrorCode::unsupported,
                  "there is no user for a slot on processor " + std::to_string(cpu) +
                      "; name other processors with --cpus, or a user with --job-user");
    }
    std::array<char, 16384> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    getpwuid_r(number, &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr) {
      return fail(ErrorCode::conflict, "user " + std::to_string(number) +
                                           ", of the slot on processor " + std::to_string(cpu) +
                                           ", is '" + found->pw_name +
                                           "' on this machine; name a user with --job-user");
    }
    users.push_back(JobUser{"number " + std::to_string(number), RunAs{number, number}});
  }
  return JobUsers(std::move(users));
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
