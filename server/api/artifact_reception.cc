#include "server/api/artifact_reception.h"

#include <charconv>

#include "server/api/access.h"
#include "server/api/replies.h"

namespace hone {

std::int64_t announced_bytes(const Request& request) {
  const std::string_view text = request.header("content-length");
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? bytes : 0;
}

Reply artifact_reply(const std::string& sha256, std::int64_t size_bytes, int status) {
  return json_reply(Json{{"sha256", sha256}, {"size_bytes", size_bytes}}, status);
}

Async<void> receive_body(ArtifactUpload& upload, BodySource& octets) {
  for (;;) {
    const Result<std::string_view> piece = co_await octets.next();
    HONE_CO_CHECK(piece);
    if (piece->empty()) {
      co_return Result<void>();
    }
    const Result<void> appended = co_await upload.append(*piece);
    HONE_CO_CHECK(appended);
  }
}

Async<Reply> store_upload(Api& api, const Request& request, ArtifactUpload& upload) {
  const std::string sha256 = upload.sha256();
  const std::int64_t size = upload.size();
  const Result<void> verified = co_await upload.verify();
  HONE_CO_CHECK(verified);
  // The record comes first, so that no file is ever without one.
  const std::string token = request.caller.token_id;
  const Result<void> begun = co_await api.store.artifacts().begin_storing(sha256, size, token);
  HONE_CO_CHECK(begun);
  const Result<void> kept = co_await api.artifacts.store->keep(sha256, upload.file());
  HONE_CO_CHECK(kept);
  upload.release();
  AuditedStore store(api.store, audit_entry(request, "artifact", "upload", sha256));
  const Result<bool> stored = co_await store.artifacts().stored(sha256, token);
  HONE_CO_TRY(const bool is_new, stored);
  api.metrics.artifact_received(size);
  co_return artifact_reply(sha256, size, is_new ? 201 : 200);
}

Async<ArtifactView> use_artifact(Api& api, const Caller& caller, std::string sha256) {
  const Result<bool> may = co_await may_read_artifact(api, caller, sha256);
  HONE_CO_CHECK(may);
  if (!*may) {
    co_return no_artifact(sha256);
  }
  Result<ArtifactView> known = co_await api.store.artifacts().use(sha256);
  co_return known;
}

Async<ArtifactView> find_artifact(Api& api, const Caller& caller, std::string sha256) {
  Result<ArtifactView> known = co_await use_artifact(api, caller, sha256);
  HONE_CO_TRY(ArtifactView view, std::move(known));
  const Result<bool> held = co_await api.artifacts.store->holds(sha256);
  HONE_CO_TRY(const bool there, held);
  if (!there) {
    co_return no_artifact(sha256);
  }
  co_return view;
}

}  // namespace hone
