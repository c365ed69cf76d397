#include "server/dashboard/page_reply.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".woff2", "font/woff2"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
}};

std::string_view type_of(std::string_view path) {
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) {
      return type;
    }
  }
  return "application/octet-stream";
}

// Of what is no smaller that way, nothing.
std::string gzip_of(std::string_view content) {
  constexpr int kWindow = 15 + 16;  // the largest, in gzip's frame
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kWindow, 9, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  // zlib does not write there, but its field is not const.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(whole ? stream.total_out : 0);
  deflateEnd(&stream);
  return packed.size() < content.size() ? packed : std::string();
}

bool has_entity(std::string_view if_none_match, std::string_view etag) {
  for (const std::string_view one : split(if_none_match, ',')) {
    std::string_view tag = trim(one);
    if (tag.starts_with("W/")) {
      tag.remove_prefix(2);  // the weak comparison, as RFC 9110 has it for GET
    }
    if (tag == etag || tag == "*") {
      return true;
    }
  }
  return false;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  for (const std::string_view one : split(accept_encoding, ',')) {
    const std::size_t semicolon = std::min(one.find(';'), one.size());
    const std::string_view coding = trim(one.substr(0, semicolon));
    std::string_view weight = trim(one.substr(std::min(semicolon + 1, one.size())));
    const bool refused =
        weight.starts_with("q=0") && weight.find_first_not_of("0.", 2) == std::string_view::npos;
    if (coding == "gzip" || coding == "x-gzip") {
      return !refused;
    }
    any = any || (coding == "*" && !refused);
  }
  return any;
}

PageReplies::PageReplies(const std::vector<PageFile>& files) {
  for (const PageFile& file : files) {
    entries_.push_back({file, type_of(file.path), gzip_of(file.content)});
  }
}

Result<Reply> PageReplies::reply(std::string_view path, const Request& request) const {
  const auto found =
      std::ranges::find(entries_, path, [](const Entry& entry) { return entry.file.path; });
  if (found == entries_.end()) {
    return fail(ErrorCode::not_found, "there is nothing at this path");
  }
  const bool packed = !found->gzip.empty() && accepts_gzip(request.header("accept-encoding"));
  const std::string etag =
      "\"" + std::string(found->file.sha256.substr(0, 32)) + (packed ? "-gzip\"" : "\"");
  Reply reply;
  reply.content_type = found->content_type;
  reply.headers = {
      {"Content-Security-Policy", std::string(kPagePolicy)},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"ETag", etag},
      {"Vary", "Accept-Encoding"},
      // A name under /assets holds its content's hash: it never changes.
      {"Cache-Control",
       path.starts_with("/assets/") ? "public, max-age=31536000, immutable" : "no-cache"}};
  if (has_entity(request.header("if-none-match"), etag)) {
    reply.status = 304;
    return reply;
  }
  if (packed) {
    reply.headers.emplace_back("Content-Encoding", "gzip");
  }
  reply.body = packed ? found->gzip : std::string(found->file.content);
  return reply;
}

}  // namespace hone
