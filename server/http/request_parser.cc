#include "server/http/request_parser.h"

#include <algorithm>
#include <array>
#include <functional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include "server/http/letter_case.h"

namespace hone {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kExtensionBytes = 256;
constexpr std::size_t kLastChunkBytes = 5;  // "0\r\n\r\n"

struct OnceField {
  http::field name;
  std::string_view refusal;
};
constexpr std::array<OnceField, 6> kOnce{
    {{http::field::host, "the header Host stands twice"},
     {http::field::authorization, "the header Authorization stands twice"},
     {http::field::content_type, "the header Content-Type stands twice"},
     {http::field::content_length, "the header Content-Length stands twice"},
     {http::field::transfer_encoding, "the header Transfer-Encoding stands twice"},
     {http::field::origin, "the header Origin stands twice"}}};

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

RequestParser::RequestParser(RequestHead& head) : head_(head) {
  head_.text.clear();
  head_.fields.clear();
  head_.places.clear();
}

std::size_t RequestParser::take(std::string_view bytes, ErrorOf& error) {
  // In the middle of a last chunk, Beast 1.81 asserts that there are as many. So many follow
  // whatever it has not taken of a chunked body.
  if (head_done_ && chunked() && bytes.size() < kLastChunkBytes) {
    error = http::error::need_more;
    return 0;
  }
  input_ = bytes;
  return put(boost::asio::buffer(bytes.data(), bytes.size()), error);
}

void RequestParser::give_room(char* room, std::size_t size) {
  room_ = room;
  room_size_ = size;
  filled_ = 0;
}

RequestParser::Place RequestParser::keep(Text text) {
  const Place place{head_.text.size(), text.size()};
  head_.text.append(text.data(), text.size());
  return place;
}

std::string_view RequestParser::at(Place place) const {
  return std::string_view(head_.text).substr(place.at, place.size);
}

void RequestParser::refuse(std::string_view why, ErrorOf& error) {
  refusal_ = why;
  error = http::error::bad_value;
}

void RequestParser::check_once(http::field name, ErrorOf& error) {
  for (std::size_t i = 0; i < kOnce.size(); ++i) {
    if (kOnce[i].name == name) {
      if ((seen_ >> i & 1U) != 0) {
        refuse(kOnce[i].refusal, error);
      }
      seen_ |= 1U << i;
    }
  }
}

// Two readers must not see two bodies (RFC 9112, 6.3).
void RequestParser::check_framing(http::field name, Text value, ErrorOf& error) {
  if (name == http::field::content_length &&
      view(value).find_first_not_of("0123456789") != std::string_view::npos) {
    refuse("Content-Length must be one number", error);
  } else if (name == http::field::transfer_encoding &&
             (!equal_but_case(view(value), "chunked") || head_.version != 11)) {
    refuse("the only Transfer-Encoding is chunked, in HTTP/1.1", error);
  }
}

void RequestParser::on_request_impl(http::verb, Text method_text, Text target, int version,
                                    ErrorOf&) {
  method_ = keep(method_text);
  target_ = keep(target);
  head_.version = version;
}

// Beast unfolds lines into memory of its own, unless only the first one is empty.
bool RequestParser::is_folded(Text name, Text value) const {
  const std::less<const char*> before;
  const char* const end = input_.data() + input_.size();
  const char* const behind_name = name.data() + name.size();
  if (value.empty()) {
    return false;
  }
  return before(value.data(), behind_name) || !before(value.data(), end) ||
         std::find(behind_name, value.data(), '\n') != value.data();
}

void RequestParser::on_field_impl(http::field name, Text name_text, Text value, ErrorOf& error) {
  if (head_done_) {
    return;
  }
  if (is_folded(name_text, value)) {
    refuse("a header is folded over several lines", error);
    return;
  }
  if (name != http::field::unknown) {
    check_once(name, error);
    check_framing(name, value, error);
    if (error) {
      return;
    }
  }
  const Place kept_name = keep(name_text);
  head_.places.emplace_back(kept_name, keep(value));
}

void RequestParser::on_header_impl(ErrorOf&) {
  head_done_ = true;
  head_.method = at(method_);
  head_.target = at(target_);
  for (const auto& [name, value] : head_.places) {
    head_.fields.emplace_back(at(name), at(value));
  }
}

void RequestParser::on_response_impl(int, Text, int, ErrorOf&) {}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorOf&) {}

std::size_t RequestParser::on_body_impl(Text body, ErrorOf& error) {
  const std::size_t taken = std::min(body.size(), room_size_ - filled_);
  std::copy_n(body.data(), taken, room_ + filled_);
  filled_ += taken;
  if (taken < body.size()) {
    error = http::error::need_buffer;
  }
  return taken;
}

void RequestParser::on_chunk_header_impl(std::uint64_t, Text extensions, ErrorOf& error) {
  if (extensions.size() > kExtensionBytes) {
    refuse("a chunk's extension is longer than 256 bytes", error);
  }
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, Text body, ErrorOf& error) {
  return on_body_impl(body, error);
}

void RequestParser::on_finish_impl(ErrorOf&) {}

}  // namespace hone
