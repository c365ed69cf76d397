#include "server/backup/make_backup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/remove_tree.h"
#include "common/base/subprocess.h"
#include "common/base/token.h"
#include "common/policy/timestamp.h"
#include "server/backup/backup_files.h"
#include "server/backup/run_async.h"
#include "server/data_folder.h"
#include "server/store/artifacts/s3_location.h"
#include "server/store/cluster/cluster_folder.h"
#include "server/store/cluster/private_cluster.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kCopyTimeout{24};
// Artifacts may be removed between two looks at the database, which is then looked at again.
constexpr int kTries = 3;

// Removes what is not finished.
class Partial {
 public:
  explicit Partial(fs::path path) : path_(std::move(path)) {}
  ~Partial() {
    if (const Result<void> removed = remove_tree(path_); !removed) {
      log_error("partial_backup_left",
                {{"path", path_.string()}, {"reason", removed.error().message}});
    }
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<void> sync_path(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) {
    return system_error("cannot write " + path.string(), errno);
  }
  return {};
}

Result<void> copy_artifact(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) {
    Error failed =
        system_error("cannot copy " + from.string() + " to " + to.string(), error.value());
    failed.code =
        error == std::errc::no_such_file_or_directory ? ErrorCode::not_found : failed.code;
    return failed;
  }
  return sync_path(to);
}

Result<void> copy_cluster(const ClusterOptions& cluster, const std::string& database_url,
                          const fs::path& folder) {
  Command command;
  command.arguments = {(cluster.binaries / "pg_basebackup").string(),
                       "--pgdata=" + folder.string(),
                       "--format=tar",
                       "--wal-method=stream",
                       "--checkpoint=fast",
                       "--compress=client-zstd:1",
                       "--manifest-checksums=SHA256",
                       "--no-password",
                       "--label=hone",
                       "--dbname=" + database_url};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  command.limits.wall_time = kCopyTimeout;
  HONE_TRY(const RunReport report, run(command));
  if (!report.ok()) {
    return postgres_error("pg_basebackup failed (" + report.describe_end() + ")",
                          report.stderr_text, folder);
  }
  return {};
}

// The artifacts of the second look; `gone` if some of the first are not among them, so that the
// copy may name what is no more.
struct Looks {
  BackupFacts before;
  BackupFacts after;
  bool gone = false;
};

bool lacks_some(const std::vector<StoredArtifact>& before,
                const std::vector<StoredArtifact>& after) {
  std::set<std::string> there;
  for (const StoredArtifact& artifact : after) {
    there.insert(artifact.sha256);
  }
  return std::ranges::any_of(
      before, [&](const StoredArtifact& artifact) { return !there.contains(artifact.sha256); });
}

class Maker {
 public:
  Maker(const HonedOptions& options, std::string database_url, fs::path folder)
      : options_(options), database_url_(std::move(database_url)), folder_(std::move(folder)) {}

  // Everything but the manifest, into a fresh folder. `again` if artifacts went away meanwhile.
  Result<bool> copy() {
    if (is_s3_url(options_.artifacts)) {
      return fail(ErrorCode::unsupported,
                  "the artifacts lie in a bucket (" + options_.artifacts +
                      "), which is not copied: back the bucket up by its own means, and the "
                      "database by pg_dump or pg_basebackup before it");
    }
    HONE_TRY(const BackupFacts before, facts());
    HONE_CHECK(copy_cluster(ClusterOptions{}, database_url_, folder_));
    HONE_TRY(const BackupFacts after, facts());
    if (lacks_some(before.artifacts, after.artifacts)) {
      return false;
    }
    manifest_.server_version = before.server_version;
    manifest_.migrations = before.migrations;
    manifest_.rows = before.rows;
    for (const std::string_view name : {kBaseFile, kWalFile, kClusterManifest}) {
      HONE_TRY(BackupFile file, describe_file(std::string(name), folder_ / name));
      manifest_.files.push_back(std::move(file));
    }
    return copy_artifacts(after.artifacts);
  }

  Result<void> finish(const std::string& hone_version) {
    manifest_.hone_version = hone_version;
    manifest_.created_at = format_timestamp(std::time(nullptr));
    return write_file_atomically(folder_ / kManifestFile, dump_json(to_json(manifest_)) + "\n",
                                 0600);
  }

  const BackupManifest& manifest() const { return manifest_; }

 private:
  Result<BackupFacts> facts() const {
    return run_async<BackupFacts>([this](boost::asio::io_context& context) {
      return read_backup_facts(context.get_executor(), database_url_);
    });
  }

  Result<bool> copy_artifacts(const std::vector<StoredArtifact>& artifacts) {
    const fs::path from =
        options_.artifacts.empty() ? options_.data / "artifacts" : fs::path(options_.artifacts);
    for (const StoredArtifact& artifact : artifacts) {
      const std::string name = artifact_name(artifact.sha256);
      const fs::path to = folder_ / name;
      std::error_code error;
      fs::create_directories(to.parent_path(), error);
      if (error) {
        return system_error("cannot make " + to.parent_path().string(), error.value());
      }
      const Result<void> copied =
          copy_artifact(from / artifact.sha256.substr(0, 2) / artifact.sha256, to);
      if (!copied && copied.error().code == ErrorCode::not_found) {
        missing_ = artifact.sha256;
        return false;
      }
      HONE_CHECK(copied);
      manifest_.files.push_back({name, artifact.size_bytes, artifact.sha256});
    }
    return true;
  }

 public:
  std::string missing_;  // an artifact that the database names and the folder lacks

 private:
  const HonedOptions& options_;
  std::string database_url_;
  fs::path folder_;
  BackupManifest manifest_;
};

Result<void> copy_all(const HonedOptions& options, const std::string& database_url,
                      const fs::path& folder, const std::string& hone_version) {
  std::string missing;
  for (int i = 0; i < kTries; ++i) {
    HONE_CHECK(remove_tree(folder));
    if (::mkdir(folder.c_str(), 0700) != 0) {
      return system_error("cannot make " + folder.string(), errno);
    }
    Maker maker(options, database_url, folder);
    HONE_TRY(const bool whole, maker.copy());
    if (whole) {
      return maker.finish(hone_version);
    }
    missing = maker.missing_;
  }
  return fail(ErrorCode::io_failed,
              missing.empty() ? "artifacts are being removed all the time: try again later"
                              : "the database names artifact " + missing +
                                    ", whose file is not there: the backup would not be whole");
}

Result<void> pack(const fs::path& folder, const fs::path& tar) {
  HONE_TRY(TarWriter writer, TarWriter::create(tar));
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_regular_file() && name != kManifestFile) {
      names.push_back(name);
    }
  }
  if (error) {
    return system_error("cannot read " + folder.string(), error.value());
  }
  std::ranges::sort(names);
  names.emplace_back(kManifestFile);  // the last: without it, the archive was cut short
  for (const std::string& name : names) {
    HONE_CHECK(writer.add_file(name, folder / name));
    std::error_code ignored;
    fs::remove(folder / name, ignored);  // room for the next
  }
  return writer.finish();
}

// How the database is reached: of a honed that runs, or one that is started for this alone.
class Source {
 public:
  explicit Source(const HonedOptions& options) : options_(options) {}

  Result<std::string> open() {
    std::error_code error;
    if (!fs::exists(options_.data / "postgres" / "data" / "PG_VERSION", error)) {
      if (error == std::errc::permission_denied) {
        return fail(ErrorCode::permission_denied, "user " + user_name(::geteuid()) +
                                                      " may not look into " +
                                                      (options_.data / "postgres").string() +
                                                      ": run this as the user that honed runs as");
      }
      return fail(ErrorCode::not_found,
                  options_.data.string() +
                      " is no data folder of a honed with a private cluster: give --data DIR (or "
                      "HONED_DATA) as honed has it");
    }
    ClusterOptions cluster;
    cluster.folder = options_.data / "postgres";
    HONE_TRY(const ClusterUser user, cluster_user(cluster));
    HONE_TRY(const ClusterPaths owned, cluster_paths(cluster));
    HONE_CHECK(check_cluster_owner(owned, user));
    Result<DataFolder> folder = DataFolder::open(options_.data);
    if (!folder && folder.error().code != ErrorCode::conflict) {
      return folder.error();
    }
    if (!folder) {
      HONE_TRY(const ClusterPaths paths, cluster_paths(cluster));
      return cluster_database_url(paths);
    }
    folder_.emplace(*std::move(folder));
    HONE_TRY(cluster_,
             run_async<std::unique_ptr<PrivateCluster>>(
                 [&cluster](boost::asio::io_context&) { return PrivateCluster::start(cluster); }));
    return cluster_->database_url();
  }

 private:
  const HonedOptions& options_;
  std::optional<DataFolder> folder_;
  std::unique_ptr<PrivateCluster> cluster_;
};

// One at a time makes a backup of a name: a second one would take what the first has so far for
// left by one that was killed. The kernel frees the lock when its holder dies.
Result<UniqueFd> lock_name(const fs::path& path, const fs::path& backup) {
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) {
    return system_error("cannot make " + path.string(), errno);
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return fail(ErrorCode::conflict,
                "the backup " + backup.string() + " is being made by another process");
  }
  return lock;
}

// A backup within what it is of would copy itself, and would be lost with it.
Result<void> check_outside(const fs::path& destination, const fs::path& data) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(destination, error);
  const fs::path outer = fs::weakly_canonical(data, error);
  const fs::path way = inner.lexically_relative(outer);
  if (way.empty() || *way.begin() == "..") {
    return {};
  }
  return fail(ErrorCode::invalid_argument, "the backup " + destination.string() +
                                               " would lie in the data folder " + outer.string() +
                                               ", which it is of: choose a place outside it");
}

}  // namespace

Result<void> make_backup(const HonedOptions& options, const fs::path& destination,
                         const std::string& hone_version) {
  if (!options.database_url.empty()) {
    return fail(ErrorCode::unsupported,
                "the database is not honed's own: back it up as its operators do (pg_basebackup "
                "with its archive, pg_dump), and the folder artifacts of the data folder after "
                "that");
  }
  if (!options.artifacts.empty()) {
    return fail(ErrorCode::unsupported,
                "artifacts are not kept in the data folder: back up the database by pg_dump, and " +
                    options.artifacts + " as its operators do, after that");
  }
  std::error_code error;
  fs::path whole = fs::absolute(destination, error).lexically_normal();
  if (!whole.has_filename()) {
    whole = whole.parent_path();
  }
  const bool is_tar = whole.extension() == ".tar";
  if (fs::exists(whole, error) && (is_tar || !fs::is_empty(whole, error))) {
    return fail(ErrorCode::conflict, whole.string() + " is there already");
  }
  HONE_CHECK(check_outside(whole, options.data));
  const std::string stem = whole.string() + ".partial";
  HONE_TRY(const UniqueFd lock, lock_name(stem + ".lock", whole));
  const Partial lock_file(stem + ".lock");
  const Partial folder(stem);
  const Partial tar(stem + ".tar");
  if (fs::exists(folder.path(), error) || fs::exists(tar.path(), error)) {
    log_warning("partial_backup_replaced", {{"path", stem}});
    HONE_CHECK(remove_tree(tar.path()));
  }
  {
    Source source(options);
    HONE_TRY(const std::string url, source.open());
    HONE_CHECK(copy_all(options, url, folder.path(), hone_version));
  }
  if (is_tar) {
    HONE_CHECK(pack(folder.path(), tar.path()));
  }
  const fs::path& made = is_tar ? tar.path() : folder.path();
  // What the disk gives back is what counts.
  HONE_CHECK(verify_backup(made));
  HONE_CHECK(sync_file_system(whole.parent_path()));
  if (::rename(made.c_str(), whole.c_str()) != 0) {
    return system_error("cannot rename " + made.string(), errno);
  }
  return sync_path(whole.parent_path());
}

}  // namespace hone
