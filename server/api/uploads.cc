// Uploads that can be interrupted, in the manner of tus 1.0
// (https://tus.io/protocols/resumable-upload): HEAD tells how far it is by Upload-Offset, PATCH
// sends what follows, a wrong offset is answered with 409 and the right one. Beginning one, and the
// media type, are our own (JSON, octet-stream).
#include <charconv>

#include "common/base/log.h"
#include "common/json/object_reader.h"
#include "server/api/api.h"
#include "server/api/artifact_reception.h"
#include "server/api/replies.h"
#include "server/api/request_body.h"
#include "server/api/request_values.h"
#include "server/http/problem_reply.h"

namespace hone {
namespace {

void add_headers(Reply& reply, const UploadView& upload, std::int64_t offset) {
  reply.headers.emplace_back("Upload-Offset", std::to_string(offset));
  reply.headers.emplace_back("Upload-Length", std::to_string(upload.size_bytes));
}

Reply upload_reply(const UploadView& upload, std::int64_t offset, int status) {
  Reply reply = json_reply(Json{{"id", upload.id},
                                {"sha256", upload.sha256},
                                {"size_bytes", upload.size_bytes},
                                {"offset", offset},
                                {"complete", false},
                                {"expires_at", upload.expires_at}},
                           status);
  add_headers(reply, upload, offset);
  return reply;
}

// Nothing needs to be sent.
Reply known_reply(const ArtifactView& known) {
  return json_reply(Json{{"id", Json()},
                         {"sha256", known.sha256},
                         {"size_bytes", known.size_bytes},
                         {"offset", known.size_bytes},
                         {"complete", true},
                         {"expires_at", Json()}});
}

Result<std::int64_t> read_size(const Json& document, std::int64_t limit) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  const std::int64_t size = reader.integer("size_bytes", 0, std::int64_t{1} << 53U);
  reader.finish();
  if (auto error = problems.as_error("upload")) {
    return *std::move(error);
  }
  if (size > limit) {
    return fail(ErrorCode::too_large, "the artifact has " + std::to_string(size) +
                                          " bytes, the limit here is " + std::to_string(limit));
  }
  return size;
}

// Of an upload whose row is gone. What stays, the next sweep finds.
boost::asio::awaitable<void> drop_bytes(Api& api, std::string id) {
  const Result<bool> dropped = co_await api.artifacts.spool->drop(id);
  if (!dropped) {
    log_warning("upload_not_removed", {{"id", id}, {"reason", dropped.error().message}});
  }
}

Async<Reply> begin_upload(Api& api, Request& request) {
  RequestValues values(request);
  const std::string sha256 = values.path_sha256("sha256");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  const auto parse = [limit = api.artifacts.max_bytes()](const Json& document) {
    return read_size(document, limit);
  };
  const Result<ParsedBody<std::int64_t>> parsed = co_await parse_body<std::int64_t>(request, parse);
  HONE_CO_CHECK(parsed);
  const Result<ArtifactView> known = co_await find_artifact(api, request.caller, sha256);
  if (known.has_value()) {
    co_return known_reply(*known);
  }
  if (known.error().code != ErrorCode::not_found) {
    co_return known.error();
  }
  const Result<BegunUpload> begun =
      co_await api.store.uploads().begin(sha256, parsed->value, request.caller.token_id);
  HONE_CO_CHECK(begun);
  for (const std::string& id : begun->replaced) {
    co_await drop_bytes(api, id);
  }
  const UploadView& upload = begun->upload;
  const std::int64_t offset = api.artifacts.spool->offset(upload.id);
  const Result<void> room = api.artifacts.spool->check_room(upload.size_bytes - offset);
  HONE_CO_CHECK(room);
  Reply reply = upload_reply(upload, offset, offset == 0 ? 201 : 200);
  reply.headers.emplace_back("Location", "/v1/uploads/" + upload.id);
  co_return reply;
}

Async<UploadView> own_upload(Api& api, Request& request) {
  RequestValues values(request);
  const std::string id = values.path_uuid("id");
  if (auto error = values.error()) {
    co_return *std::move(error);
  }
  Result<UploadView> found = co_await api.store.uploads().use(id, request.caller.token_id);
  co_return found;
}

Async<Reply> get_upload(Api& api, Request& request) {
  Result<UploadView> found = co_await own_upload(api, request);
  HONE_CO_TRY(const UploadView upload, std::move(found));
  co_return upload_reply(upload, api.artifacts.spool->offset(upload.id), 200);
}

Async<Reply> delete_upload(Api& api, Request& request) {
  Result<UploadView> found = co_await own_upload(api, request);
  HONE_CO_TRY(const UploadView upload, std::move(found));
  const Result<void> removed = co_await api.store.uploads().remove(upload.id);
  HONE_CO_CHECK(removed);
  co_await drop_bytes(api, upload.id);
  co_return no_content();
}

Result<std::int64_t> read_offset(const Request& request) {
  const std::string_view text = request.header("upload-offset");
  std::int64_t offset = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc() || end != text.data() + text.size() || offset < 0) {
    return Error{ErrorCode::invalid_argument,
                 "bad upload",
                 {{"/Upload-Offset",
                   "the header must say, as a number of bytes, where the body's "
                   "first byte belongs"}}};
  }
  return offset;
}

// 409 with the offset at which the upload goes on.
Reply conflict_reply(const Error& error, const UploadView& upload, std::int64_t offset) {
  Reply reply = problem_reply(error);
  add_headers(reply, upload, offset);
  return reply;
}

// Appends the body, if it belongs at `offset`.
Async<Reply> receive_piece(const Request& request, const UploadView& upload, std::int64_t offset,
                           ArtifactUpload& bytes) {
  if (bytes.size() != offset) {
    co_return conflict_reply(
        fail(ErrorCode::conflict, "the upload goes on at byte " + std::to_string(bytes.size()) +
                                      ", not at " + std::to_string(offset)),
        upload, bytes.size());
  }
  const Result<void> received = co_await receive_body(bytes, *request.octets);
  if (!received && received.error().code == ErrorCode::conflict) {
    co_return conflict_reply(received.error(), upload, bytes.size());
  }
  HONE_CO_CHECK(received);
  Reply reply = no_content();
  add_headers(reply, upload, bytes.size());
  co_return reply;
}

// Of an upload that has all its bytes. What cannot succeed any more is removed, the row first: a
// sweep finds bytes without a row, but a row without bytes would have them all sent again.
Async<Reply> finish(Api& api, const Request& request, UploadView upload, ArtifactUpload& bytes) {
  Result<Reply> reply = co_await store_upload(api, request, bytes);
  if (!reply && reply.error().code != ErrorCode::invalid_argument) {
    co_return reply;  // an empty PATCH tries again
  }
  const Result<void> removed = co_await api.store.uploads().remove(upload.id);
  if (!removed) {
    log_warning("upload_not_ended", {{"id", upload.id}, {"reason", removed.error().message}});
  }
  const Result<void> discarded = co_await bytes.discard();
  if (!discarded) {
    log_warning("upload_not_removed", {{"id", upload.id}, {"reason", discarded.error().message}});
  }
  co_return reply;
}

Async<Reply> patch_upload(Api& api, Request& request) {
  Result<UploadView> found = co_await own_upload(api, request);
  HONE_CO_TRY(const UploadView upload, std::move(found));
  HONE_CO_TRY(const std::int64_t offset, read_offset(request));
  if (announced_bytes(request) > upload.size_bytes - offset) {
    co_return fail(ErrorCode::too_large, "with these bytes the upload would have more than the " +
                                             std::to_string(upload.size_bytes) +
                                             " that were announced");
  }
  Result<ArtifactUpload> resumed =
      co_await api.artifacts.spool->resume(upload.id, upload.sha256, upload.size_bytes);
  if (!resumed && resumed.error().code == ErrorCode::conflict) {
    co_return conflict_reply(resumed.error(), upload, api.artifacts.spool->offset(upload.id));
  }
  HONE_CO_TRY(ArtifactUpload bytes, std::move(resumed));
  Result<Reply> reply = co_await receive_piece(request, upload, offset, bytes);
  // It may have been ended meanwhile, here or by another coordinator, which left the bytes to us.
  const Result<UploadView> still = co_await own_upload(api, request);
  if (!still && still.error().code == ErrorCode::not_found) {
    const Result<void> discarded = co_await bytes.discard();
    HONE_CO_CHECK(discarded);
    co_return still.error();
  }
  if (!reply) {
    co_return reply;
  }
  HONE_CO_CHECK(still);
  if (reply->status == 204 && bytes.size() == upload.size_bytes) {
    Result<Reply> finished = co_await finish(api, request, upload, bytes);
    co_return finished;
  }
  // So that the next piece may go to another coordinator as soon as this one is answered.
  const Result<void> rested = co_await bytes.rest();
  HONE_CO_CHECK(rested);
  co_return reply;
}

}  // namespace

std::vector<Route> upload_routes(Api& api) {
  return {{.method = HttpMethod::post,
           .path = "/v1/artifacts/{sha256}/upload",
           .roles = kUploaders,
           .body = BodyKind::json,
           .handler = bind(api, begin_upload)},
          {.path = "/v1/uploads/{id}", .roles = kUploaders, .handler = bind(api, get_upload)},
          {.method = HttpMethod::patch,
           .path = "/v1/uploads/{id}",
           .roles = kUploaders,
           .body = BodyKind::octets,
           .body_limit = static_cast<std::uint64_t>(api.artifacts.max_bytes()),
           .handler = bind(api, patch_upload)},
          {.method = HttpMethod::remove,
           .path = "/v1/uploads/{id}",
           .roles = kUploaders,
           .handler = bind(api, delete_upload)}};
}

}  // namespace hone
