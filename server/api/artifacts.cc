// /v1/artifacts/{sha256}: files named by the hash of their content.
#include "server/api/access.h"
#include "server/api/replies.h"
#include "server/api/request_values.h"

namespace hone {
namespace {

Reply stored_reply(const std::string& sha256, std::int64_t size_bytes, int status) {
  return json_reply(Json{{"sha256", sha256}, {"size_bytes", size_bytes}}, status);
}

// In the words of the folder, for one that the caller may not read.
Error no_such_artifact(const std::string& sha256) {
  return fail(ErrorCode::not_found, "no artifact '" + sha256 + "'");
}

// Takes the body into the folder; gives its size.
Async<std::int64_t> receive(ArtifactFolder& folder, const std::string& sha256, BodySource& octets) {
  HONE_CO_TRY(ArtifactUpload upload, folder.begin(sha256));
  for (;;) {
    const Result<std::string_view> piece = co_await octets.next();
    HONE_CO_CHECK(piece);
    if (piece->empty()) {
      break;
    }
    const Result<void> appended = co_await upload.append(*piece);
    HONE_CO_CHECK(appended);
  }
  const Result<std::int64_t> size = co_await upload.finish();
  co_return size;
}

Async<Reply> put_artifact(Api& api, Request& request) {
  RequestValues values(request);
  const std::string sha256 = values.path_sha256("sha256");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const Result<ArtifactView> known = co_await api.store.artifacts().find(sha256);
  // Only who may read it anyway need not send the bytes: to know a hash proves nothing, and what is
  // answered must not tell whether others have it.
  const Result<bool> may = co_await may_read_artifact(api, request.caller, sha256);
  HONE_CO_CHECK(may);
  if (*may && known.has_value() && api.artifacts.read(sha256).has_value()) {
    co_return stored_reply(sha256, known->size_bytes, 200);
  }
  const Result<std::int64_t> received = co_await receive(api.artifacts, sha256, *request.octets);
  HONE_CO_TRY(const std::int64_t size, received);
  AuditedStore store(api.store, audit_entry(request, "artifact", "upload", sha256));
  const Result<bool> added = co_await store.artifacts().add(sha256, size, request.caller.token_id);
  HONE_CO_TRY(const bool is_new, added);
  api.metrics.artifact_received(size);
  co_return stored_reply(sha256, size, is_new ? 201 : 200);
}

Async<Reply> get_artifact(Api& api, Request& request) {
  RequestValues values(request);
  const std::string sha256 = values.path_sha256("sha256");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const Result<bool> may = co_await may_read_artifact(api, request.caller, sha256);
  HONE_CO_CHECK(may);
  if (!*may) {
    co_return no_such_artifact(sha256);
  }
  HONE_CO_TRY(ArtifactFile file, api.artifacts.read(sha256));
  Reply reply;
  reply.content_type = "application/octet-stream";
  reply.headers.emplace_back("ETag", "\"" + sha256 + "\"");
  reply.file = FileBody{std::move(file.file), file.size_bytes};
  co_return reply;
}

}  // namespace

std::vector<Route> artifact_routes(Api& api) {
  return {{.method = HttpMethod::put,
           .path = "/v1/artifacts/{sha256}",
           // A learner's sessions need their programs.
           .roles = Roles{Role::submitter, Role::learner},
           .body = BodyKind::octets,
           .body_limit = static_cast<std::uint64_t>(api.artifacts.max_bytes()),
           .handler = bind(api, put_artifact)},
          {.path = "/v1/artifacts/{sha256}",
           .roles = Roles{Role::viewer, Role::submitter, Role::learner, Role::worker},
           .handler = bind(api, get_artifact)}};
}

}  // namespace hone
