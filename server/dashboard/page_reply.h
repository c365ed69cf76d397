// Files of the page as replies: compressed where the client takes it, with an entity tag, and with
// headers that let the page load nothing but itself.
//
// Compressed once, when the first one is asked for. Not thread safe.
#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "server/dashboard/embedded_page.h"
#include "server/http/message.h"

namespace hone {

// What the page may do: load its own scripts, styles, images and data, and nothing else. No script
// or style in the document itself runs, so that a text which got there by mistake does nothing.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'";

class PageReplies {
 public:
  explicit PageReplies(const std::vector<PageFile>& files);

  // The file of that path ("/index.html"), or 304 where the client has it already. not_found.
  Result<Reply> reply(std::string_view path, const Request& request) const;

 private:
  struct Entry {
    PageFile file;
    std::string_view content_type;
    std::string gzip;  // empty: it would be no smaller
  };

  std::vector<Entry> entries_;
};

// Whether an Accept-Encoding header takes gzip (RFC 9110, 12.5.3).
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace hone
