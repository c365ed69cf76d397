#include "server/store/artifacts/artifacts.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/artifact_folder.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/artifacts/s3_artifacts.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// The same after a restart, another for every honed: what tells our leftovers in a shared folder.
std::string owner_name(const fs::path& local) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host[0] = '\0';
  }
  std::error_code error;
  return sha256_hex(std::string(host.data()) + ":" + fs::absolute(local, error).string())
      .substr(0, 12);
}

Async<std::unique_ptr<ArtifactStore>> open_bucket(const ArtifactsOptions& options,
                                                  std::int64_t reserve) {
  S3ArtifactsOptions s3;
  HONE_CO_TRY(s3.s3.location, parse_s3_url(options.place));
  s3.copies = options.local / "copies";
  s3.reserve_bytes = reserve;
  HONE_CO_TRY(std::unique_ptr<S3Artifacts> store, S3Artifacts::open(std::move(s3)));
  const Result<void> checked = co_await store->check();
  HONE_CO_CHECK(checked);
  co_return std::unique_ptr<ArtifactStore>(std::move(store));
}

}  // namespace

Result<void> check_artifacts_place(const std::string& place) {
  if (is_s3_url(place)) {
    HONE_CHECK(parse_s3_url(place));
  } else if (place.find("://") != std::string::npos) {
    return fail(ErrorCode::invalid_argument,
                "artifacts are kept in a folder or in s3://BUCKET/PREFIX, not \"" +
                    place.substr(0, place.find('?')) + "\"");
  }
  return {};
}

Async<std::unique_ptr<Artifacts>> open_artifacts(ArtifactsOptions options) {
  HONE_CO_CHECK(check_artifacts_place(options.place));
  const bool bucket = is_s3_url(options.place);
  // Uploads are renamed into a folder: they must lie on its file system.
  const fs::path folder = bucket || options.place.empty() ? options.local : fs::path(options.place);
  HONE_CO_CHECK(make_folder(folder));
  HONE_CO_TRY(const DiskSpace space, disk_space(folder));
  const std::int64_t reserve =
      std::max(options.least_reserve_bytes,
               options.reserve_bytes >= 0 ? options.reserve_bytes : usual_reserve(space));
  auto artifacts = std::make_unique<Artifacts>();
  SpoolOptions spool;
  spool.folder = folder / "uploads";
  spool.owner = owner_name(options.local);
  spool.max_bytes = options.max_bytes;
  spool.reserve_bytes = reserve;
  HONE_CO_TRY(artifacts->spool, UploadSpool::open(std::move(spool)));
  if (bucket) {
    Result<std::unique_ptr<ArtifactStore>> opened = co_await open_bucket(options, reserve);
    HONE_CO_TRY(artifacts->store, std::move(opened));
  } else {
    HONE_CO_TRY(artifacts->store, ArtifactFolder::open(folder));
  }
  log_info("artifacts_open", {{"place", artifacts->store->describe()},
                              {"disk_free_bytes", space.free_bytes},
                              {"reserve_bytes", reserve}});
  co_return artifacts;
}

}  // namespace hone
