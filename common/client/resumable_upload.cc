// Large files of the client: uploads that are gone on with after a lost connection or a restart of
// the server (POST .../upload, then PATCH at Upload-Offset; HEAD tells where it is).
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/client/client.h"
#include "common/client/retry_pause.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{16} << 20U;
// A piece over a slow link, and at the last one's end the server compares hashes and stores.
constexpr std::chrono::milliseconds kPieceLimit{1'800'000};

// Without progress, for whoever tries again at all: a server that is started anew takes its time.
constexpr std::chrono::seconds kPatience{120};

struct Begun {
  std::string id;
  std::int64_t offset = 0;
  bool complete = false;
};

Result<Begun> parse_begun(const Json& document) {
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  Begun begun;
  begun.id = reader.optional_text("id").value_or("");
  begun.offset = reader.integer("offset", 0, std::int64_t{1} << 53U);
  begun.complete = reader.optional_truth("complete").value_or(false);
  if (auto error = problems.as_error("answer to an upload's beginning")) {
    return *std::move(error);
  }
  return begun;
}

Result<std::string> read_piece(int file, std::int64_t offset, std::int64_t size,
                               const std::filesystem::path& path) {
  std::string piece(static_cast<std::size_t>(std::min<std::int64_t>(
                        static_cast<std::int64_t>(kPieceBytes), size - offset)),
                    '\0');
  for (std::size_t got = 0; got < piece.size();) {
    const ssize_t count = pread(file, piece.data() + got, piece.size() - got,
                                offset + static_cast<std::int64_t>(got));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return count < 0 ? system_error("cannot read " + path.string(), errno)
                       : fail(ErrorCode::io_failed, path.string() + " became shorter meanwhile");
    }
    got += static_cast<std::size_t>(count);
  }
  return piece;
}

std::optional<std::int64_t> offset_of(const Response& response) {
  const std::string_view text = response.header("upload-offset");
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(offset)
             : std::nullopt;
}

// Whether the server may still have the upload, so that asking where it is makes sense.
bool is_passing(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::timed_out ||
         error.code == ErrorCode::conflict;
}

}  // namespace

Result<bool> Client::upload_resumably(const std::filesystem::path& path, std::string_view sha256,
                                      std::int64_t size, const std::stop_token& stop) const {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return system_error("cannot read " + path.string(), errno);
  }
  // Beginning twice gives the same upload.
  RequestOptions begin_options;
  begin_options.retry = Retry::always;
  begin_options.stop = stop;
  Json wish = Json::object();
  wish["size_bytes"] = size;
  const std::string artifact = "/v1/artifacts/" + std::string(sha256);
  const Result<Json> answer = post(artifact + "/upload", wish, begin_options);
  if (!answer.has_value() && (answer.error().code == ErrorCode::not_found ||
                              answer.error().code == ErrorCode::unsupported)) {
    return false;
  }
  HONE_CHECK(answer);
  HONE_TRY(Begun begun, parse_begun(*answer));
  const std::string upload = "/v1/uploads/" + begun.id;
  int failures = 0;  // since the last progress
  auto progress_at = std::chrono::steady_clock::now();
  while (!begun.complete) {
    HONE_TRY(const std::string piece, read_piece(file.get(), begun.offset, size, path));
    RequestOptions options;
    options.headers = {{"Content-Type", "application/octet-stream"},
                       {"Upload-Offset", std::to_string(begun.offset)}};
    options.timeout = kPieceLimit;
    options.retry = Retry::never;  // where it goes on is for the server to say
    options.stop = stop;
    const Result<Response> sent = exchange("PATCH", upload, piece, options);
    if (sent.has_value()) {
      begun.offset += static_cast<std::int64_t>(piece.size());
      begun.complete = sent->status != 204;  // the last one is answered with the artifact
      failures = 0;
      progress_at = std::chrono::steady_clock::now();
      continue;
    }
    const bool patient =
        options_.retries > 0 && std::chrono::steady_clock::now() - progress_at < kPatience;
    if (!is_passing(sent.error()) || !patient) {
      return sent.error();
    }
    if (!pause_between_tries(failures++, options_.first_pause, "", stop)) {
      return fail(ErrorCode::cancelled, "stopped while uploading " + path.string());
    }
    RequestOptions ask;
    ask.stop = stop;
    const Result<Response> there = exchange("HEAD", upload, "", ask);
    if (there.has_value()) {
      const std::optional<std::int64_t> offset = offset_of(*there);
      if (!offset || *offset > size) {
        return fail(ErrorCode::unavailable, "the server does not say where the upload is");
      }
      if (*offset > begun.offset) {
        failures = 0;
        progress_at = std::chrono::steady_clock::now();
      }
      begun.offset = *offset;
    } else if (there.error().code == ErrorCode::not_found) {
      // Its last answer was lost, or it was taken away: the artifact tells which.
      HONE_CHECK(exchange("HEAD", artifact, "", ask));
      return true;
    } else if (!is_passing(there.error())) {
      return there.error();
    }
  }
  return true;
}

}  // namespace hone
