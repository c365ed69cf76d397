// Reads a request off its bytes: Beast's parser, which keeps the head in memory that is used again,
// and refuses what a proxy in front of us could read otherwise than we do.
//
// Refused besides what is no HTTP: more than one Host, Authorization, Content-Type, Content-Length
// or Transfer-Encoding; a Content-Length that is no plain number; a Transfer-Encoding other than
// "chunked", or beside a Content-Length, or in HTTP/1.0; folded lines; long chunk extensions.
// Fields behind a chunked body are passed over. For files of server/http. Not thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/beast/http/basic_parser.hpp>

#include "server/http/message.h"

namespace hone {

// What stands in a request's head. The views hold until the next one is read.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  int version = 11;  // 10: HTTP/1.0
  std::vector<HeaderField> fields;

  // Of the parser: what the views look at, and where they begin and end while it grows.
  struct Place {
    std::size_t at = 0;
    std::size_t size = 0;
  };
  std::string text;
  std::vector<std::pair<Place, Place>> places;
};

class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  // Outlived by the head, which it fills.
  explicit RequestParser(RequestHead& head);

  // Takes what it can of the bytes; gives how many those were. An error need_more says that more
  // are needed, need_buffer that the room for the body is full.
  std::size_t take(std::string_view bytes, boost::system::error_code& error);

  // Where the body's next bytes go.
  void give_room(char* room, std::size_t size);
  // How many of them there are now.
  std::size_t filled() const { return filled_; }

  // Why the request was refused, if it is one of the reasons above; else "".
  std::string_view refusal() const { return refusal_; }

 private:
  using Text = boost::beast::string_view;
  using ErrorOf = boost::system::error_code;
  using Place = RequestHead::Place;

  Place keep(Text text);
  std::string_view at(Place place) const;
  bool is_folded(Text name, Text value) const;
  void refuse(std::string_view why, ErrorOf& error);
  void check_once(boost::beast::http::field name, ErrorOf& error);
  void check_framing(boost::beast::http::field name, Text value, ErrorOf& error);

  void on_request_impl(boost::beast::http::verb method, Text method_text, Text target, int version,
                       ErrorOf& error) override;
  void on_response_impl(int code, Text reason, int version, ErrorOf& error) override;
  void on_field_impl(boost::beast::http::field name, Text name_text, Text value,
                     ErrorOf& error) override;
  void on_header_impl(ErrorOf& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorOf& error) override;
  std::size_t on_body_impl(Text body, ErrorOf& error) override;
  void on_chunk_header_impl(std::uint64_t size, Text extensions, ErrorOf& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, Text body, ErrorOf& error) override;
  void on_finish_impl(ErrorOf& error) override;

  RequestHead& head_;
  std::string_view input_;  // that take() was given
  Place method_;
  Place target_;
  unsigned seen_ = 0;  // fields that may stand once, a bit each
  bool head_done_ = false;
  std::string_view refusal_;
  char* room_ = nullptr;
  std::size_t room_size_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace hone
