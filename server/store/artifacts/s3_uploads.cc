// Artifacts put into a bucket: small ones whole, large ones in parts.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/s3_core.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostParts = 9'000;  // of the 10,000 that S3 takes
constexpr std::int64_t kHashPiece = 1U << 20U;

Result<std::string> range_sha256(int file, std::int64_t offset, std::int64_t size) {
  Sha256 hash;
  std::string piece;
  for (std::int64_t at = 0; at < size;) {
    piece.resize(static_cast<std::size_t>(std::min(kHashPiece, size - at)));
    const ssize_t got = ::pread(file, piece.data(), piece.size(), offset + at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return system_error("cannot read an upload's file", got < 0 ? errno : EIO);
    }
    hash.update({piece.data(), static_cast<std::size_t>(got)});
    at += got;
  }
  return hash.finish();
}

std::string encoded(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '.' || c == '_' || c == '~') {
      result += c;
    } else {
      result += '%';
      result += kDigits[byte >> 4U];
      result += kDigits[byte & 15U];
    }
  }
  return result;
}

}  // namespace

Result<void> S3Artifacts::Core::put(const std::string& sha256, const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    return system_error("cannot read " + file.string(), errno);
  }
  if (status.st_size > options.multipart_bytes) {
    HONE_CHECK(put_parts(sha256, file, status.st_size));
  } else {
    S3Request request;
    request.method = "PUT";
    request.key = artifact_key(sha256);
    request.headers = {"content-type: application/octet-stream"};
    request.file = file;
    request.size = status.st_size;
    request.body_sha256 = sha256;
    HONE_CHECK(client.send(request));
  }
  // Services that do not compare the hash would else keep half a file as a whole one.
  HONE_TRY(const std::int64_t size, size_of(sha256));
  if (size != status.st_size) {
    return fail(ErrorCode::unavailable, client.location().describe() + " holds " +
                                            std::to_string(size) + " bytes of artifact " + sha256 +
                                            ", which has " + std::to_string(status.st_size));
  }
  std::error_code ignored;
  fs::remove(file, ignored);  // the spool's sweep finds what stays
  return {};
}

Result<void> S3Artifacts::Core::put_parts(const std::string& sha256, const fs::path& file,
                                          std::int64_t size) {
  const UniqueFd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) {
    return system_error("cannot read " + file.string(), errno);
  }
  S3Request begin;
  begin.method = "POST";
  begin.key = artifact_key(sha256);
  begin.query = "uploads=";
  begin.headers = {"content-type: application/octet-stream"};
  HONE_TRY(const S3Answer begun, client.send(begin));
  const std::string id = xml_text(begun.body, "UploadId");
  if (id.empty()) {
    return fail(ErrorCode::unavailable,
                client.location().describe() + " begins no upload in parts");
  }
  const std::int64_t part_size = std::max(options.part_bytes, (size + kMostParts - 1) / kMostParts);
  std::vector<std::string> etags;
  Result<void> done;
  for (std::int64_t offset = 0; done && offset < size; offset += part_size) {
    S3Request part;
    part.method = "PUT";
    part.key = begin.key;
    part.query = "partNumber=" + std::to_string(etags.size() + 1) + "&uploadId=" + encoded(id);
    part.file = file;
    part.offset = offset;
    part.size = std::min(part_size, size - offset);
    const Result<std::string> hash = range_sha256(opened.get(), offset, part.size);
    if (!hash) {
      done = hash.error();
      break;
    }
    part.body_sha256 = *hash;
    const Result<S3Answer> sent = client.send(part);
    if (!sent) {
      done = sent.error();
    } else if (sent->etag.empty()) {
      done =
          fail(ErrorCode::unavailable, client.location().describe() + " gave no ETag for a part");
    } else {
      etags.push_back(sent->etag);
    }
  }
  if (done) {
    done = complete(begin.key, id, etags);
  }
  if (!done) {
    // Parts cost money until they are given up; a bucket's lifecycle rule gets what we cannot.
    S3Request abort;
    abort.method = "DELETE";
    abort.key = begin.key;
    abort.query = "uploadId=" + encoded(id);
    const Result<S3Answer> aborted = client.send(abort);
    if (!aborted && aborted.error().code != ErrorCode::not_found) {
      log_warning("s3_parts_left", {{"key", begin.key}, {"reason", aborted.error().message}});
    }
  }
  return done;
}

Result<void> S3Artifacts::Core::complete(const std::string& key, const std::string& id,
                                         const std::vector<std::string>& etags) {
  S3Request request;
  request.method = "POST";
  request.key = key;
  request.query = "uploadId=" + encoded(id);
  request.headers = {"content-type: application/xml"};
  request.body = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    request.body += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" +
                    etags[i] + "</ETag></Part>";
  }
  request.body += "</CompleteMultipartUpload>";
  const Result<S3Answer> answer = client.send(request);
  if (!answer) {
    if (answer.error().code == ErrorCode::not_found) {
      // A try whose answer was lost may have completed it: the size, looked at next, tells.
      return {};
    }
    return answer.error();
  }
  // It begins to answer before it knows how it ends.
  const std::string code = xml_text(answer->body, "Code");
  if (!code.empty()) {
    return fail(ErrorCode::unavailable, client.location().describe() +
                                            " cannot complete an upload in parts: " + code + " " +
                                            xml_text(answer->body, "Message"));
  }
  return {};
}

}  // namespace hone
