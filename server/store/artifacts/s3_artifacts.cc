#include "server/store/artifacts/s3_artifacts.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/disk_space.h"
#include "server/store/artifacts/s3_core.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Requests at once; who finds none free waits.
constexpr std::size_t kThreads = 8;
}  // namespace

Result<std::int64_t> S3Artifacts::Core::size_of(const std::string& sha256) {
  S3Request request;
  request.method = "HEAD";
  request.key = artifact_key(sha256);
  HONE_TRY(const S3Answer answer, client.send(request));
  if (answer.status == 404) {
    return -1;
  }
  if (answer.length < 0) {
    return fail(ErrorCode::unavailable,
                client.location().describe() + " does not say how long " + request.key + " is");
  }
  return answer.length;
}

Result<std::string> S3Artifacts::Core::range(const std::string& sha256, std::int64_t offset,
                                             std::int64_t size) {
  S3Request request;
  request.method = "GET";
  request.key = artifact_key(sha256);
  request.headers = {"range: bytes=" + std::to_string(offset) + "-" +
                     std::to_string(offset + size - 1)};
  request.answer_limit = static_cast<std::size_t>(size) + (std::size_t{64} << 10U);
  request.answer_size = size;
  HONE_TRY(S3Answer answer, client.send(request));
  return std::move(answer.body);
}

S3Artifacts::S3Artifacts(std::shared_ptr<Core> core) : core_(std::move(core)), pool_(kThreads) {}

S3Artifacts::~S3Artifacts() {
  core_->client.stop();
}

Result<std::unique_ptr<S3Artifacts>> S3Artifacts::open(S3ArtifactsOptions options) {
  HONE_CHECK(make_folder(options.copies));
  return std::unique_ptr<S3Artifacts>(new S3Artifacts(std::make_shared<Core>(std::move(options))));
}

std::string S3Artifacts::describe() const {
  return core_->client.location().describe();
}

Async<void> S3Artifacts::check() {
  std::function<Result<void>()> work = [core = core_]() -> Result<void> {
    // HEAD has no body that says why; no artifact has this name.
    S3Request request;
    request.method = "GET";
    request.key = "check";
    bool passing = false;
    const Result<S3Answer> answer = core->client.send(request, &passing);
    if (answer || answer.error().code == ErrorCode::not_found) {
      return {};
    }
    if (passing) {
      log_error("artifacts_out_of_order", {{"reason", answer.error().message}});
      return {};
    }
    return answer.error();
  };
  Result<void> checked = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return checked;
}

Async<void> S3Artifacts::keep(std::string sha256, fs::path file) {
  std::function<Result<void>()> work = [core = core_, sha256 = std::move(sha256),
                                        file = std::move(file)] { return core->put(sha256, file); };
  Result<void> kept = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return kept;
}

Async<bool> S3Artifacts::holds(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return false;
  }
  std::function<Result<bool>()> work = [core = core_,
                                        sha256 = std::move(sha256)]() -> Result<bool> {
    HONE_TRY(const std::int64_t size, core->size_of(sha256));
    return size >= 0;
  };
  Result<bool> held = co_await run_blocking<bool>(pool_.gate(), std::move(work));
  co_return held;
}

Async<ArtifactContent> S3Artifacts::read(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  std::function<Result<std::int64_t>()> ask = [core = core_, sha256] {
    return core->size_of(sha256);
  };
  const Result<std::int64_t> found =
      co_await run_blocking<std::int64_t>(pool_.gate(), std::move(ask));
  HONE_CO_TRY(const std::int64_t size, found);
  if (size < 0) {
    co_return no_artifact(sha256);
  }
  ArtifactContent content;
  content.size_bytes = size;
  auto offset = std::make_shared<std::int64_t>(0);
  content.next = [core = core_, gate = pool_.gate(), sha256, size, offset]() {
    const std::int64_t count = std::min(core->options.range_bytes, size - *offset);
    std::function<Result<std::string>()> work = [core, sha256, at = *offset,
                                                 count]() -> Result<std::string> {
      if (count == 0) {
        return std::string();
      }
      return core->range(sha256, at, count);
    };
    *offset += count;
    return run_blocking<std::string>(gate, std::move(work));
  };
  co_return content;
}

Async<fs::path> S3Artifacts::local_file(std::string sha256) {
  if (!is_sha256_hex(sha256)) {
    co_return no_artifact(sha256);
  }
  std::function<Result<fs::path>()> work = [core = core_, sha256 = std::move(sha256)] {
    return core->copy(sha256);
  };
  Result<fs::path> copied = co_await run_blocking<fs::path>(pool_.gate(), std::move(work));
  co_return copied;
}

Async<void> S3Artifacts::remove(std::string sha256, std::chrono::steady_clock::time_point until) {
  std::function<Result<void>()> work = [core = core_, sha256 = std::move(sha256),
                                        until]() -> Result<void> {
    S3Request request;
    request.method = "DELETE";
    request.key = artifact_key(sha256);
    request.until = until;
    const Result<S3Answer> removed = core->client.send(request);
    if (!removed && removed.error().code != ErrorCode::not_found) {
      return removed.error();
    }
    std::error_code ignored;  // the copy is only one
    fs::remove(core->options.copies / sha256, ignored);
    return {};
  };
  Result<void> removed = co_await run_blocking<void>(pool_.gate(), std::move(work));
  co_return removed;
}

}  // namespace hone
