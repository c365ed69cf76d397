// The folder of a private cluster: its place, its user, and the making of it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "server/store/cluster/private_cluster.h"

namespace hone {

// Whom PostgreSQL runs as.
struct ClusterUser {
  uid_t user = 0;
  gid_t group = 0;
  std::string name;
  std::string client;    // name of the user we are, which may connect
  bool differs = false;  // we are root and become this user
};
// not_found if there is no such user; unsupported if our own user id has no name (PostgreSQL wants
// one).
Result<ClusterUser> cluster_user(const ClusterOptions& options);

// A user's name in quotes, or the number of one without a name.
std::string user_name(uid_t user);

struct ClusterPaths {
  std::filesystem::path folder;
  std::filesystem::path data;
  std::filesystem::path run;
  std::filesystem::path log;
};

// invalid_argument if the folder's path is too long for a Unix socket in it, or has a comma.
Result<ClusterPaths> cluster_paths(const ClusterOptions& options);

// How the database "hone" of a cluster that runs there is reached, for StoreOptions.
std::string cluster_database_url(const ClusterPaths& paths);

// permission_denied if a cluster is there that belongs to another user: PostgreSQL refuses to run
// it, and nothing of it may be changed. Nothing is said of one that we may not look at.
Result<void> check_cluster_owner(const ClusterPaths& paths, const ClusterUser& user);

// Makes the folder, gives it to the user alone, and checks that the user can reach it; before that,
// as check_cluster_owner().
Result<void> make_cluster_folder(const ClusterPaths& paths, const ClusterUser& user);

// Makes what is missing in the folder (cluster, database) and checks what is there. Blocks: initdb
// takes half a second. Errors as PrivateCluster::start().
Result<void> prepare_cluster(const ClusterOptions& options, const ClusterPaths& paths,
                             const ClusterUser& user);

// The error of a PostgreSQL program that failed, by its last words: a full disk and missing
// permissions have codes of their own.
Error postgres_error(const std::string& what, std::string_view words,
                     const std::filesystem::path& folder);

}  // namespace hone
