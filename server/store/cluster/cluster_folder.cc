#include "server/store/cluster/cluster_folder.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/subprocess.h"
#include "common/base/text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMajor = "15";
constexpr std::string_view kSocketName = "/.s.PGSQL.5432";
constexpr std::chrono::minutes kToolTimeout{5};

Error folder_error(const std::string& what, int reason) {
  Error error = system_error(what, reason);
  if (reason == EACCES || reason == EPERM || reason == EROFS) {
    error.code = ErrorCode::permission_denied;
  }
  return error;
}

// Whether the user may pass through the folder, by its mode. (Access lists are not looked at: where
// they forbid it, PostgreSQL's own words tell.)
bool may_enter(const struct stat& status, const ClusterUser& user) {
  if (status.st_uid == user.user) {
    return (status.st_mode & S_IXUSR) != 0;
  }
  if (status.st_gid == user.group) {
    return (status.st_mode & S_IXGRP) != 0;
  }
  return (status.st_mode & S_IXOTH) != 0;
}

Result<void> check_parents(const fs::path& folder, const ClusterUser& user) {
  fs::path parent;
  for (const fs::path& part : folder.parent_path()) {
    parent /= part;
    struct stat status{};
    if (::stat(parent.c_str(), &status) != 0) {
      return folder_error("cannot look at " + parent.string(), errno);
    }
    if (!may_enter(status, user)) {
      return fail(ErrorCode::permission_denied,
                  "PostgreSQL runs as user '" + user.name + "', which may not enter " +
                      parent.string() + ": chmod o+x that folder, or choose another data folder");
    }
  }
  return {};
}

// Makes the folder if needed and gives it to the user alone.
Result<void> own_folder(const fs::path& folder, const ClusterUser& user) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return folder_error("cannot make " + folder.string(), error.value());
  }
  struct stat status{};
  if (::lstat(folder.c_str(), &status) != 0) {
    return folder_error("cannot look at " + folder.string(), errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, folder.string() + " is no folder");
  }
  if (status.st_uid != user.user &&
      (!user.differs || ::lchown(folder.c_str(), user.user, user.group) != 0)) {
    return fail(ErrorCode::permission_denied, folder.string() + " belongs to another user than '" +
                                                  user.name + "', who runs PostgreSQL");
  }
  if (::chmod(folder.c_str(), 0700) != 0) {
    return folder_error("cannot set the mode of " + folder.string(), errno);
  }
  if (!user.differs && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    return folder_error("cannot write in " + folder.string(), errno);
  }
  return {};
}

Command tool_command(const ClusterUser& user, std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  command.limits.wall_time = kToolTimeout;
  if (user.differs) {
    command.run_as = RunAs{user.user, user.group};
  }
  return command;
}

Result<void> run_tool(const std::string& what, const Command& command, const fs::path& folder) {
  HONE_TRY(const RunReport report, run(command));
  // In single-user mode a failed statement does not change the exit code.
  if (report.ok() && report.stderr_text.find("ERROR:") == std::string::npos) {
    return {};
  }
  const std::string words = report.stderr_text.empty() ? report.stdout_text : report.stderr_text;
  return postgres_error(what + " (" + report.describe_end() + ")", words, folder);
}

// initdb into a folder beside, then a rename: a cluster is there as a whole or not at all.
Result<void> make_cluster(const ClusterOptions& options, const ClusterPaths& paths,
                          const ClusterUser& user) {
  const fs::path fresh = paths.folder / "data.new";
  const fs::path script = paths.folder / "create.sql";
  std::error_code error;
  fs::remove_all(fresh, error);
  if (error) {
    return folder_error("cannot remove " + fresh.string(), error.value());
  }
  log_info("cluster_created", {{"folder", paths.data.string()}, {"user", user.name}});
  Command initdb =
      tool_command(user, {(options.binaries / "initdb").string(), "-D", fresh.string(),
                          "--username=hone", "--auth=reject", "--encoding=UTF8", "--locale=C.UTF-8",
                          "--data-checksums", "--no-instructions"});
  HONE_CHECK(run_tool("initdb failed", initdb, paths.folder));
  HONE_CHECK(write_file_atomically(script, "CREATE DATABASE hone;\n"));
  Command create = tool_command(user, {(options.binaries / "postgres").string(), "--single", "-D",
                                       fresh.string(), "postgres"});
  create.stdin_file = script;
  HONE_CHECK(run_tool("cannot create the database", create, paths.folder));
  fs::remove(script, error);
  fs::rename(fresh, paths.data, error);
  if (error) {
    return folder_error("cannot rename " + fresh.string(), error.value());
  }
  return {};
}

Result<void> check_version(const ClusterPaths& paths) {
  Result<std::string> version = read_file(paths.data / "PG_VERSION", 64);
  if (!version) {
    if (version.error().code == ErrorCode::not_found) {
      return fail(ErrorCode::unsupported,
                  paths.data.string() + " holds no PostgreSQL cluster: move it away");
    }
    return std::move(version).error();
  }
  if (trim(*version) != kMajor) {
    return fail(ErrorCode::unsupported,
                paths.data.string() + " holds a cluster of PostgreSQL " +
                    std::string(trim(*version)) + ", and Hone runs " + std::string(kMajor) +
                    ": upgrade it with pg_upgrade, or choose another data folder");
  }
  return {};
}

// A word of pg_ident.conf.
std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

// Written at every start: who runs honed may change. Whoever else can reach the socket is refused.
Result<void> write_access_rules(const ClusterPaths& paths, const ClusterUser& user) {
  std::string map;
  for (const std::string& name : {user.client, user.name}) {
    map += "hone " + quoted(name) + " hone\n";
  }
  HONE_CHECK(write_file_atomically(paths.data / "pg_ident.conf", map));
  HONE_CHECK(write_file_atomically(paths.data / "pg_hba.conf",
                                   "# Written by honed at every start.\n"
                                   "local all hone peer map=hone\n"
                                   // pg_basebackup's (server/backup).
                                   "local replication hone peer map=hone\n"));
  return {};
}

}  // namespace

Error postgres_error(const std::string& what, std::string_view words, const fs::path& folder) {
  const auto says = [&](std::string_view text) {
    return words.find(text) != std::string_view::npos;
  };
  struct statvfs space{};
  // A full disk has no room for the words that would say so.
  const bool full = ::statvfs(folder.c_str(), &space) == 0 && space.f_bavail == 0;
  std::string message = what;
  if (!trim(words).empty()) {
    constexpr std::size_t kTail = 2000;
    message +=
        ": " + std::string(trim(words.size() > kTail ? words.substr(words.size() - kTail) : words));
  }
  if (full || says("No space left on device") || says("Disk quota exceeded")) {
    return fail(ErrorCode::io_failed, "the disk of " + folder.string() + " is full; " + message);
  }
  if (says("Permission denied")) {
    return fail(ErrorCode::permission_denied, message);
  }
  return fail(ErrorCode::io_failed, message);
}

Result<ClusterUser> cluster_user(const ClusterOptions& options) {
  const passwd* self = ::getpwuid(::geteuid());
  if (self == nullptr) {
    return fail(ErrorCode::unsupported, "user id " + std::to_string(::geteuid()) +
                                            " has no name, which PostgreSQL wants: add one to "
                                            "/etc/passwd, or use --database");
  }
  ClusterUser user{self->pw_uid, self->pw_gid, self->pw_name, self->pw_name, false};
  if (::geteuid() == 0) {
    const passwd* other = ::getpwnam(options.user.c_str());
    if (other == nullptr) {
      return fail(ErrorCode::not_found,
                  "no user '" + options.user + "', whom PostgreSQL would run as: it refuses root");
    }
    user.user = other->pw_uid;
    user.group = other->pw_gid;
    user.name = other->pw_name;
    user.differs = true;
  }
  return user;
}

Result<ClusterPaths> cluster_paths(const ClusterOptions& options) {
  std::error_code error;
  ClusterPaths paths;
  paths.folder = fs::absolute(options.folder, error).lexically_normal();
  if (error) {
    return folder_error("cannot find " + options.folder.string(), error.value());
  }
  if (!paths.folder.has_filename()) {
    paths.folder = paths.folder.parent_path();  // it ended in '/'
  }
  if (paths.folder.native().find(',') != std::string::npos) {
    return fail(ErrorCode::invalid_argument,
                "the path " + paths.folder.string() +
                    " has a comma, at which PostgreSQL's clients would part it: choose a data "
                    "folder without one");
  }
  paths.data = paths.folder / "data";
  paths.run = paths.folder / "run";
  paths.log = paths.folder / "postgres.log";
  const std::size_t room = sizeof(sockaddr_un::sun_path) - 1 - kSocketName.size();
  if (paths.run.native().size() > room) {
    return fail(ErrorCode::invalid_argument,
                "the path " + paths.folder.string() +
                    " is too long for a Unix socket in it (at most " +
                    std::to_string(room - std::string_view("/run").size()) +
                    " bytes): choose a shorter data folder");
  }
  return paths;
}

std::string cluster_database_url(const ClusterPaths& paths) {
  std::string host;
  for (const char c : paths.run.native()) {
    if (c == '\'' || c == '\\') {
      host.push_back('\\');
    }
    host.push_back(c);
  }
  return "host='" + host + "' port=5432 user=hone dbname=hone";
}

std::string user_name(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry == nullptr ? std::to_string(user) : "'" + std::string(entry->pw_name) + "'";
}

Result<void> check_cluster_owner(const ClusterPaths& paths, const ClusterUser& user) {
  struct stat status{};
  if (::stat(paths.data.c_str(), &status) != 0 || status.st_uid == user.user) {
    return {};
  }
  const std::string owner = user_name(status.st_uid);
  return fail(
      ErrorCode::permission_denied,
      paths.data.string() + " belongs to user " + owner + ", and " +
          (user.differs ? "as root PostgreSQL runs as user '" + user.name + "'"
                        : "this is user '" + user.name + "'") +
          ": run this as the user that honed runs as" +
          (user.differs ? " (sudo -u \"#" + std::to_string(status.st_uid) + "\" ...)" : ""));
}

Result<void> make_cluster_folder(const ClusterPaths& paths, const ClusterUser& user) {
  HONE_CHECK(check_cluster_owner(paths, user));
  HONE_CHECK(own_folder(paths.folder, user));
  if (user.differs) {
    HONE_CHECK(check_parents(paths.folder, user));
  }
  return {};
}

Result<void> prepare_cluster(const ClusterOptions& options, const ClusterPaths& paths,
                             const ClusterUser& user) {
  if (::access((options.binaries / "postgres").c_str(), X_OK) != 0) {
    return fail(ErrorCode::not_found, "no PostgreSQL " + std::string(kMajor) + " in " +
                                          options.binaries.string() +
                                          ": install Debian's package postgresql-15");
  }
  HONE_CHECK(own_folder(paths.run, user));
  std::error_code error;
  const bool exists = fs::exists(paths.data, error);
  if (error) {
    return folder_error("cannot look at " + paths.data.string(), error.value());
  }
  if (!exists) {
    HONE_CHECK(make_cluster(options, paths, user));
  }
  HONE_CHECK(check_version(paths));
  HONE_CHECK(write_access_rules(paths, user));
  return {};
}

}  // namespace hone
