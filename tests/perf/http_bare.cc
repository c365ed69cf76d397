// http_bare: a bare Beast server, as http_cost.sh compares honed with. Answers each request with
// one of three replies that are made once: no token, no limit of time or size, nothing counted.
//
//   http_bare HEALTH POLICY UNCHANGED     files that each hold a whole reply as honed gave it
//
// GET /healthz gets the first, any other path the second, or the third with If-None-Match. Prints
// the port it listens on, and serves until it is ended.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorOf = boost::system::error_code;
using Answer = http::response<http::string_body>;

struct Answers {
  Answer health;
  Answer policy;
  Answer unchanged;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const Answers& answers)
      : socket_(std::move(socket)), answers_(answers) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_,
                     [self = shared_from_this()](const ErrorOf& error, std::size_t) {
                       if (!error) {
                         self->answer();
                       }
                     });
  }

 private:
  void answer() {
    const bool known = request_.find(http::field::if_none_match) != request_.end();
    const Answer& chosen = request_.target() == "/healthz" ? answers_.health
                           : known                         ? answers_.unchanged
                                                           : answers_.policy;
    http::async_write(socket_, chosen,
                      [self = shared_from_this()](const ErrorOf& error, std::size_t) {
                        if (!error) {
                          self->read();
                        }
                      });
  }

  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  const Answers& answers_;
};

void accept(tcp::acceptor& acceptor, const Answers& answers) {
  acceptor.async_accept([&](const ErrorOf& error, tcp::socket socket) {
    if (!error) {
      socket.set_option(tcp::no_delay(true));
      std::make_shared<Session>(std::move(socket), answers)->read();
    }
    accept(acceptor, answers);
  });
}

// A message of the bytes in a file.
Answer read_answer(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  http::response_parser<http::string_body> parser;
  parser.eager(true);
  ErrorOf error;
  parser.put(asio::buffer(text), error);
  if (error || !parser.is_done()) {
    std::fprintf(stderr, "http_bare: %s holds no reply: %s\n", path, error.message().c_str());
    std::exit(2);
  }
  return parser.release();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: http_bare HEALTH POLICY UNCHANGED\n");
    return 2;
  }
  const Answers answers{read_answer(argv[1]), read_answer(argv[2]), read_answer(argv[3])};
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  std::printf("%u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  accept(acceptor, answers);
  context.run();
}
