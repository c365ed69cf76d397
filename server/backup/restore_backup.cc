#include "server/backup/restore_backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <system_error>

#include <boost/asio/io_context.hpp>

#include "common/archive/unpack.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/remove_tree.h"
#include "common/base/subprocess.h"
#include "server/backup/backup_files.h"
#include "server/backup/restored_numbers.h"
#include "server/backup/run_async.h"
#include "server/data_folder.h"
#include "server/store/audited_store.h"
#include "server/store/cluster/cluster_folder.h"
#include "server/store/cluster/private_cluster.h"
#include "server/store/store.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratch = "restore.tmp";
constexpr UnpackLimits kClusterLimits{.entries = 100'000'000,
                                      .total_bytes = std::uint64_t{1} << 50U,
                                      .file_bytes = std::uint64_t{1} << 40U};

// What may lie in a folder that counts as empty: what DataFolder::open() makes, and a file system's
// own.
bool is_empty_part(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code error;
  return name == "honed.lock" || name == "lost+found" ||
         (name == "artifacts" && fs::is_empty(entry.path(), error));
}

Result<void> check_empty(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!is_empty_part(entry)) {
      return fail(ErrorCode::conflict, "the data folder " + folder.string() + " is not empty (" +
                                           entry.path().filename().string() +
                                           "): a backup is restored into an empty one");
    }
  }
  if (error) {
    return system_error("cannot read " + folder.string(), error.value());
  }
  return {};
}

Result<void> write_pieces(const fs::path& path, const TarBytes& next) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) {
    return system_error("cannot make " + path.string(), errno);
  }
  while (true) {
    HONE_TRY(std::string_view bytes, next());
    if (bytes.empty()) {
      return {};
    }
    while (!bytes.empty()) {
      const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        return system_error("cannot write " + path.string(), errno);
      }
      bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
  }
}

class Restorer {
 public:
  Restorer(const DataFolder& folder, fs::path backup)
      : folder_(folder), backup_(std::move(backup)), scratch_(folder.path() / kScratch) {}

  ~Restorer() {
    if (done_) {
      return;
    }
    // Empty again, so that another try finds it as this one did.
    for (const fs::path& path : {scratch_, folder_.postgres(), folder_.token_file(),
                                 folder_.artifacts(), folder_.unfinished_restore()}) {
      if (const Result<void> removed = remove_tree(path); !removed) {
        log_error("restore_not_undone", {{"reason", removed.error().message}});
        return;  // the mark stays
      }
    }
  }
  Restorer(const Restorer&) = delete;
  Restorer& operator=(const Restorer&) = delete;

  Result<void> run(const BackupManifest& manifest) {
    HONE_CHECK(write_file_atomically(folder_.unfinished_restore(),
                                     "A restore from " + backup_.string() + " has not ended.\n"));
    HONE_CHECK(take_files());
    HONE_CHECK(unpack_cluster());
    HONE_CHECK(remove_tree(scratch_));
    HONE_CHECK(open_cluster(manifest));
    HONE_CHECK(sync_file_system(folder_.path()));
    done_ = true;
    HONE_CHECK(remove_tree(folder_.unfinished_restore()));
    return {};
  }

  // In force in the backup.
  const std::vector<RestoredPolicy>& policies() const { return policies_; }

 private:
  Result<void> take_files() {
    if (::mkdir(scratch_.c_str(), 0700) != 0) {
      return system_error("cannot make " + scratch_.string(), errno);
    }
    const TakeFile take = [this](const std::string& name, std::int64_t,
                                 const TarBytes& next) -> Result<void> {
      if (name == kBaseFile || name == kWalFile || name == kClusterManifest) {
        return write_pieces(scratch_ / name, next);
      }
      const std::string sha256 = fs::path(name).filename().string();
      if (name != artifact_name(sha256)) {
        return fail(ErrorCode::invalid_argument,
                    "the backup holds " + name + ", which is no part of one");
      }
      const fs::path path = folder_.path() / name;
      if (::mkdir(path.parent_path().c_str(), 0700) != 0 && errno != EEXIST) {
        return system_error("cannot make " + path.parent_path().string(), errno);
      }
      return write_pieces(path, next);
    };
    HONE_CHECK(read_backup(backup_, take));
    return {};
  }

  Result<void> unpack(std::string_view name, const fs::path& folder,
                      const std::optional<Owner>& owner) const {
    const Result<UnpackReport> unpacked =
        unpack_archive(scratch_ / name, folder, kClusterLimits, owner);
    if (!unpacked) {
      return unpacked.error().within(std::string(name) + " into " + folder.string());
    }
    return {};
  }

  Result<void> unpack_cluster() {
    ClusterOptions options;
    options.folder = folder_.postgres();
    HONE_TRY(const ClusterUser user, cluster_user(options));
    HONE_TRY(const ClusterPaths paths, cluster_paths(options));
    HONE_CHECK(make_cluster_folder(paths, user));
    if (::mkdir(paths.data.c_str(), 0700) != 0) {
      return system_error("cannot make " + paths.data.string(), errno);
    }
    std::optional<Owner> owner;
    if (user.differs) {
      owner = Owner{user.user, user.group};
    }
    HONE_CHECK(unpack(kBaseFile, paths.data, owner));
    std::error_code error;
    fs::create_directories(paths.data / "pg_wal", error);
    HONE_CHECK(unpack(kWalFile, paths.data / "pg_wal", owner));
    fs::copy_file(scratch_ / kClusterManifest, paths.data / kClusterManifest, error);
    if (error) {
      return system_error("cannot write " + (paths.data / kClusterManifest).string(),
                          error.value());
    }
    if (user.differs &&
        (::lchown(paths.data.c_str(), user.user, user.group) != 0 ||
         ::lchown((paths.data / kClusterManifest).c_str(), user.user, user.group) != 0)) {
      return system_error("cannot give away " + paths.data.string(), errno);
    }
    return check_cluster(options, paths, user);
  }

  // PostgreSQL's own check: every file, and that the log is there which makes them consistent.
  static Result<void> check_cluster(const ClusterOptions& options, const ClusterPaths& paths,
                                    const ClusterUser& user) {
    Command command;
    // By a name that a shell leaves as it is: pg_verifybackup has one run pg_waldump.
    command.arguments = {(options.binaries / "pg_verifybackup").string(), "--quiet", "."};
    command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    command.limits.wall_time = std::chrono::hours(24);
    command.working_folder = paths.data;
    if (user.differs) {
      command.run_as = RunAs{user.user, user.group};
    }
    HONE_TRY(const RunReport report, hone::run(command));
    if (!report.ok()) {
      return postgres_error("pg_verifybackup refuses the cluster (" + report.describe_end() + ")",
                            report.stderr_text, paths.folder);
    }
    std::error_code error;
    fs::remove(paths.data / kClusterManifest, error);
    return {};
  }

  Result<void> open_cluster(const BackupManifest& manifest) {
    ClusterOptions options;
    options.folder = folder_.postgres();
    std::uint32_t epoch = 0;
    {
      HONE_TRY(const std::unique_ptr<PrivateCluster> cluster, start(options));
      HONE_TRY(const BackupFacts facts, facts_of(*cluster));
      HONE_CHECK(check_facts(facts, manifest));
      HONE_TRY(epoch, restored_epoch(facts.epoch, std::chrono::system_clock::now()));
    }  // recovered, and shut down in order
    HONE_CHECK(set_epoch(options, epoch));
    HONE_TRY(const std::unique_ptr<PrivateCluster> cluster, start(options));
    HONE_TRY(const BackupFacts facts, facts_of(*cluster));
    if (facts.epoch != epoch) {
      return fail(ErrorCode::internal, "transactions are in epoch " + std::to_string(facts.epoch) +
                                           " and should be in " + std::to_string(epoch));
    }
    const std::string url = cluster->database_url();
    HONE_TRY(Anew anew, run_async<Anew>([&url](boost::asio::io_context& context) {
               return begin_anew(context, url);
             }));
    policies_ = std::move(anew.policies);
    return write_file_atomically(folder_.token_file(), anew.secret + "\n", 0600);
  }

  static Result<std::unique_ptr<PrivateCluster>> start(const ClusterOptions& options) {
    return run_async<std::unique_ptr<PrivateCluster>>(
        [&options](boost::asio::io_context&) { return PrivateCluster::start(options); });
  }

  static Result<BackupFacts> facts_of(const PrivateCluster& cluster) {
    const std::string url = cluster.database_url();
    return run_async<BackupFacts>([&url](boost::asio::io_context& context) {
      return read_backup_facts(context.get_executor(), url);
    });
  }

  Result<void> check_facts(const BackupFacts& facts, const BackupManifest& manifest) const {
    for (const auto& [table, rows] : manifest.rows) {
      const auto found = facts.rows.find(table);
      if (found == facts.rows.end() || found->second < rows) {
        return fail(
            ErrorCode::invalid_argument,
            "the restored table " + table + " has fewer rows than when the backup was made");
      }
    }
    for (const StoredArtifact& artifact : facts.artifacts) {
      std::error_code error;
      if (!fs::exists(folder_.path() / artifact_name(artifact.sha256), error)) {
        return fail(ErrorCode::invalid_argument, "the restored database names artifact " +
                                                     artifact.sha256 +
                                                     ", which the backup does not hold");
      }
    }
    return {};
  }

  struct Anew {
    std::string secret;  // an admin's token
    std::vector<RestoredPolicy> policies;
  };

  // Migrates too: the backup may be of an earlier Hone.
  static Async<Anew> begin_anew(boost::asio::io_context& context, std::string url) {
    StoreOptions options;
    options.database_url = std::move(url);
    Result<std::unique_ptr<Store>> opened =
        co_await Store::open(context.get_executor(), std::move(options));
    HONE_CO_TRY(const std::unique_ptr<Store> store, std::move(opened));
    const std::int64_t gap = restored_policy_gap(std::chrono::system_clock::now());
    HONE_CO_CHECK(co_await store->policies().leave_gap(gap));
    AuditedStore audited(*store, AuditEntry{.action = "token.create", .kind = "token"});
    const std::string name = "admin-restored-" + std::to_string(std::time(nullptr));
    Result<NewToken> made = co_await audited.tokens().create(name, Role::admin);
    HONE_CO_TRY(NewToken token, std::move(made));
    Result<std::vector<RestoredPolicy>> numbered =
        co_await store->policies().number_anew(token.view.id);
    Anew anew;
    HONE_CO_TRY(anew.policies, std::move(numbered));
    anew.secret = std::move(token.secret);
    store->close();
    co_return anew;
  }

  const DataFolder& folder_;
  fs::path backup_;
  fs::path scratch_;
  bool done_ = false;
  std::vector<RestoredPolicy> policies_;
};

// What root restores is root's, and honed could not open it as the user that the folder is for.
Result<void> check_owner(const fs::path& folder) {
  struct stat status{};
  if (::geteuid() != 0 || ::stat(folder.c_str(), &status) != 0 || status.st_uid == 0) {
    return {};
  }
  return fail(ErrorCode::permission_denied,
              "the data folder " + folder.string() + " belongs to user " +
                  user_name(status.st_uid) +
                  ", and what root restores into it would be root's: run this as that user, or "
                  "chown the folder to root if honed is to run as root");
}

}  // namespace

Result<Restoration> restore_backup(const HonedOptions& options, const fs::path& backup) {
  if (!options.database_url.empty()) {
    return fail(ErrorCode::unsupported,
                "`database` is set, and a backup is of honed's private cluster: unset it "
                "(--database, HONE_DATABASE), or restore that database as its operators do");
  }
  if (!options.artifacts.empty()) {
    return fail(ErrorCode::unsupported,
                "`artifacts` is " + options.artifacts +
                    ", and a backup's artifacts are restored into the data folder, where honed "
                    "would not look for them: unset it (--artifacts, HONE_ARTIFACTS)");
  }
  HONE_TRY(const BackupManifest manifest, verify_backup(backup));
  HONE_CHECK(check_known(manifest.migrations));
  if (!manifest.server_version.starts_with("15.")) {
    return fail(ErrorCode::unsupported,
                "the backup is of PostgreSQL " + manifest.server_version + ", and Hone runs 15");
  }
  std::error_code error;
  if (fs::exists(options.data, error)) {
    HONE_CHECK(check_empty(options.data));
    HONE_CHECK(check_owner(options.data));
  }
  HONE_TRY(const DataFolder folder, DataFolder::open(options.data));
  HONE_CHECK(check_empty(folder.path()));
  Restorer restorer(folder, backup);
  HONE_CHECK(restorer.run(manifest));
  return Restoration{manifest.created_at, restorer.policies()};
}

}  // namespace hone
