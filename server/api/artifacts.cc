// /v1/artifacts/{sha256}: files named by the hash of their content, and their collection.
#include <memory>

#include "common/base/log.h"
#include "common/json/object_reader.h"
#include "server/api/access.h"
#include "server/api/artifact_reception.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/store/artifacts/artifact_gc.h"

namespace hone {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

using NextPiece = std::function<Async<std::string>()>;

boost::asio::awaitable<bool> write_pieces(std::shared_ptr<NextPiece> next, std::string sha256,
                                          PieceWriter& writer) {
  for (;;) {
    Async<std::string> asking = (*next)();
    Result<std::string> piece = co_await std::move(asking);
    if (!piece) {
      log_warning("artifact_cut", {{"sha256", sha256}, {"reason", piece.error().message}});
      co_return false;
    }
    if (piece->empty()) {
      co_return true;
    }
    const bool written = co_await writer.piece(*std::move(piece));
    if (!written) {
      co_return false;
    }
  }
}

Async<Reply> put_artifact(Api& api, Request& request) {
  RequestValues values(request);
  const std::string sha256 = values.path_sha256("sha256");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  // Only who may read it anyway need not send the bytes: to know a hash proves nothing, and what is
  // answered must not tell whether others have it.
  const Result<ArtifactView> known = co_await find_artifact(api, request.caller, sha256);
  if (known.has_value()) {
    co_return artifact_reply(sha256, known->size_bytes, 200);
  }
  if (known.error().code != ErrorCode::not_found) {
    co_return known.error();
  }
  HONE_CO_TRY(ArtifactUpload upload, api.artifacts.spool->begin(sha256, announced_bytes(request)));
  const Result<void> received = co_await receive_body(upload, *request.octets);
  HONE_CO_CHECK(received);
  Result<Reply> reply = co_await store_upload(api, request, upload);
  co_return reply;
}

Async<Reply> get_artifact(Api& api, Request& request) {
  RequestValues values(request);
  const std::string sha256 = values.path_sha256("sha256");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const Result<ArtifactView> known = co_await use_artifact(api, request.caller, sha256);
  HONE_CO_CHECK(known);
  Result<ArtifactContent> opened = co_await api.artifacts.store->read(sha256);
  HONE_CO_TRY(ArtifactContent content, std::move(opened));
  Reply reply;
  reply.content_type = "application/octet-stream";
  reply.headers.emplace_back("ETag", "\"" + sha256 + "\"");
  if (content.file) {
    reply.file = FileBody{std::move(content.file), content.size_bytes};
    co_return reply;
  }
  auto next = std::make_shared<NextPiece>(std::move(content.next));
  reply.pieces = [next, sha256](PieceWriter& writer) { return write_pieces(next, sha256, writer); };
  co_return reply;
}

Async<Reply> collect(Api& api, Request& request) {
  bool dry_run = false;
  if (!request.body.empty()) {
    const auto parse = [](const Json& document) -> Result<bool> {
      Problems problems;
      ObjectReader reader(document, "", problems, UnknownKeys::refuse);
      const bool dry = reader.optional_truth("dry_run").value_or(false);
      reader.finish();
      if (auto error = problems.as_error("collection of artifacts")) {
        return *std::move(error);
      }
      return dry;
    };
    const Result<ParsedBody<bool>> parsed = co_await parse_body<bool>(request, parse);
    HONE_CO_CHECK(parsed);
    dry_run = parsed->value;
  }
  const std::int64_t days = api.options.artifact_days;
  Collected collected;
  if (days == 0) {
    dry_run = true;  // nothing is collected where that was said, by whoever asks
  } else if (dry_run) {
    Result<ArtifactCount> counted =
        co_await api.store.artifacts().count_unneeded(days * kSecondsPerDay);
    HONE_CO_TRY(collected.removed, std::move(counted));
  } else {
    CollectOptions options;
    options.unused_seconds = days * kSecondsPerDay;
    Result<Collected> done =
        co_await collect_artifacts(api.store.collected_artifacts(), *api.artifacts.store, options);
    HONE_CO_TRY(collected, std::move(done));
  }
  co_return json_reply(Json{{"dry_run", dry_run},
                            {"unused_days", days},
                            {"artifacts", collected.removed.artifacts},
                            {"bytes", collected.removed.bytes},
                            {"failed", collected.failed},
                            {"more", collected.more}});
}

}  // namespace

std::vector<Route> artifact_routes(Api& api) {
  return {{.method = HttpMethod::put,
           .path = "/v1/artifacts/{sha256}",
           .roles = kUploaders,
           .body = BodyKind::octets,
           .body_limit = static_cast<std::uint64_t>(api.artifacts.max_bytes()),
           .handler = bind(api, put_artifact)},
          {.path = "/v1/artifacts/{sha256}",
           .roles = Roles{Role::viewer, Role::submitter, Role::learner, Role::worker},
           .handler = bind(api, get_artifact)},
          {.method = HttpMethod::post,
           .path = "/v1/artifacts/gc",
           .roles = kAdmins,
           .body = BodyKind::optional_json,
           .handler = bind(api, collect)}};
}

}  // namespace hone
