#include "common/client/connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "common/net/tls.h"

namespace hone {

// The stream lives in the context, which is therefore kept with it.
struct OpenConnection {
  boost::asio::io_context context{1};
  ByteStream stream{boost::asio::ip::tcp::socket(context)};
  std::string server;  // to which it leads
  std::chrono::steady_clock::time_point used;
};

KeptConnection::KeptConnection() = default;
KeptConnection::KeptConnection(KeptConnection&&) noexcept = default;
KeptConnection& KeptConnection::operator=(KeptConnection&&) noexcept = default;
KeptConnection::~KeptConnection() = default;

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorOf = boost::system::error_code;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t kMaxHeaderBytes = 65536;
constexpr std::size_t kPieceBytes = 65536;
// honed closes a connection that has been idle for a minute, and what stands between us perhaps
// sooner: who asks again by then meets no end that is just on its way.
constexpr std::chrono::seconds kLongestIdle{10};

// The exchange in flight. The deadline and the stop request end it by closing the socket, which
// completes whatever operation waits on it.
class Talk {
 public:
  // `reused`: it is connected. `keep`: it shall stay so.
  Talk(OpenConnection& connection, bool reused, bool keep, const Server& server,
       const WireRequest& request, const BodySink& sink, std::chrono::milliseconds limit,
       TimeLimit kind)
      : reused_(reused),
        keep_(keep),
        url_(server.url),
        tls_(server.tls),
        request_(request),
        sink_(sink),
        limit_(limit),
        kind_(kind),
        context_(connection.context),
        resolver_(context_),
        stream_(connection.stream),
        deadline_(context_) {}

  Exchange run(const std::stop_token& stop) {
    std::optional<Result<Response>> outcome;
    arm_deadline();
    asio::co_spawn(context_, talk(), [&](std::exception_ptr failure, Result<Response> result) {
      outcome.emplace(std::move(result));
      if (failure != nullptr) {
        outcome.emplace(fail(ErrorCode::internal, "the HTTP exchange failed"));
      }
      deadline_.cancel();
    });
    {
      const std::stop_callback on_stop(stop, [this] {
        asio::post(context_, [this] {
          stopped_ = true;
          abort();
        });
      });
      context_.run();
    }
    // A stop that came just then is heard here, and not by the connection's next exchange.
    context_.restart();
    context_.poll();
    if (stopped_ && !outcome->has_value()) {
      outcome.emplace(fail(ErrorCode::cancelled, "stopped while talking to " + url_.authority()));
    } else if (timed_out_ && !outcome->has_value()) {
      outcome.emplace(fail(ErrorCode::timed_out, url_.authority() + " did not answer within " +
                                                     std::to_string(limit_.count()) + " ms"));
    }
    return Exchange{*std::move(outcome), reached_};
  }

  // After run(): whether another exchange may follow on the connection.
  bool may_go_on() const { return complete_ && !stopped_ && !timed_out_; }

 private:
  void arm_deadline() {
    deadline_.expires_after(limit_);
    deadline_.async_wait([this](const ErrorOf& error) {
      if (!error && deadline_.expiry() <= asio::steady_timer::clock_type::now()) {
        timed_out_ = true;
        abort();
      }
    });
  }

  void abort() {
    resolver_.cancel();
    ErrorOf ignored;
    stream_.socket().close(ignored);
  }

  Error lost(std::string_view what, const ErrorOf& reason) {
    if (stream_.tls() != nullptr && reason.category() == asio::error::get_ssl_category()) {
      return tls_failure(*stream_.tls(), url_.authority(), reason);
    }
    return fail(ErrorCode::unavailable,
                std::string(what) + " " + url_.authority() + ": " + reason.message());
  }

  asio::awaitable<Result<void>> connect() {
    auto [resolve_error, endpoints] =
        co_await resolver_.async_resolve(url_.host, url_.port, kToken);
    if (resolve_error) {
      co_return lost("cannot find", resolve_error);
    }
    auto [connect_error, endpoint] =
        co_await asio::async_connect(stream_.socket(), endpoints, kToken);
    if (connect_error) {
      co_return lost("cannot reach", connect_error);
    }
    ErrorOf ignored;
    stream_.socket().set_option(tcp::no_delay(true), ignored);
    if (url_.secure) {
      stream_.secure(tls_);
      verify_host(*stream_.tls(), url_.host);
      auto [error] = co_await stream_.tls()->async_handshake(TlsStream::Side::client, kToken);
      if (error) {
        co_return tls_failure(*stream_.tls(), url_.authority(), error);
      }
    }
    co_return Result<void>();
  }

  asio::awaitable<Result<Response>> talk() {
    if (!reused_) {
      Result<void> connected = co_await connect();
      if (!connected.has_value()) {
        co_return std::move(connected).error();
      }
    }
    Result<void> sent = co_await send();
    if (!sent.has_value() && sent.error().code != ErrorCode::unavailable) {
      co_return std::move(sent).error();
    }
    // A server that refuses a long body answers before it has read it and closes: what it said
    // counts more than that the rest could not be sent.
    Result<Response> response = co_await receive();
    if (!response.has_value() && !sent.has_value()) {
      co_return std::move(sent).error();
    }
    complete_ = complete_ && sent.has_value();
    co_return response;
  }

  template <class Body>
  void fill(http::request<Body>& message) const {
    message.method_string(request_.method);
    message.target(url_.prefix + request_.path);
    message.version(11);
    message.set(http::field::host, url_.authority());
    if (!keep_) {
      message.set(http::field::connection, "close");
    }
    for (const HttpHeader& header : request_.headers) {
      message.set(header.name, header.value);
    }
  }

  asio::awaitable<Result<void>> send() {
    ErrorOf write_error;
    if (request_.body_file.empty()) {
      http::request<http::span_body<const char>> message;
      fill(message);
      message.body() = beast::span<const char>(request_.body.data(), request_.body.size());
      const bool may_have_none = request_.method == "GET" || request_.method == "HEAD";
      if (!request_.body.empty() || !may_have_none) {
        message.content_length(request_.body.size());
      }
      reached_ = true;
      auto [error, bytes] = co_await http::async_write(stream_, message, kToken);
      write_error = error;
    } else {
      http::request<http::file_body> message;
      fill(message);
      ErrorOf open_error;
      message.body().open(request_.body_file.c_str(), beast::file_mode::scan, open_error);
      if (open_error) {
        co_return fail(ErrorCode::io_failed,
                       "cannot read " + request_.body_file.string() + ": " + open_error.message());
      }
      message.content_length(message.body().size());
      reached_ = true;
      auto [error, bytes] = co_await http::async_write(stream_, message, kToken);
      write_error = error;
    }
    if (write_error) {
      co_return lost("lost the connection to", write_error);
    }
    co_return Result<void>();
  }

  asio::awaitable<Result<Response>> receive() {
    beast::flat_buffer buffer;
    http::response_parser<http::buffer_body> parser;
    parser.header_limit(kMaxHeaderBytes);
    parser.body_limit(boost::none);
    parser.skip(request_.method == "HEAD");
    auto [header_error, header_bytes] =
        co_await http::async_read_header(stream_, buffer, parser, kToken);
    if (header_error) {
      co_return lost("no answer from", header_error);
    }
    Response response;
    response.status = static_cast<int>(parser.get().result_int());
    for (const auto& field : parser.get()) {
      std::string name(field.name_string());
      for (char& c : name) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      }
      response.headers.push_back({std::move(name), std::string(field.value())});
    }
    const bool to_sink = sink_ && response.status >= 200 && response.status < 300;

    std::array<char, kPieceBytes> piece;
    while (!parser.is_done()) {
      parser.get().body().data = piece.data();
      parser.get().body().size = piece.size();
      parser.get().body().more = true;
      auto [error, bytes] = co_await http::async_read_some(stream_, buffer, parser, kToken);
      if (error && error != http::error::need_buffer) {
        co_return lost("lost the connection to", error);
      }
      const std::string_view got(piece.data(), piece.size() - parser.get().body().size);
      if (kind_ == TimeLimit::idle) {
        arm_deadline();
      }
      if (got.empty()) {
        continue;
      }
      if (to_sink) {
        Result<bool> wants_more = sink_(got);
        if (!wants_more.has_value()) {
          co_return std::move(wants_more).error();
        }
        if (!*wants_more) {
          break;
        }
        continue;
      }
      if (response.body.size() + got.size() > request_.most_reply_bytes) {
        co_return fail(ErrorCode::too_large,
                       "the answer of " + url_.authority() + " is longer than " +
                           std::to_string(request_.most_reply_bytes) + " bytes");
      }
      response.body += got;
    }
    complete_ = keep_ && parser.is_done() && parser.keep_alive() && buffer.size() == 0;
    co_return response;
  }

  const bool reused_;
  const bool keep_;
  const Url& url_;
  const TlsContext& tls_;
  const WireRequest& request_;
  const BodySink& sink_;
  std::chrono::milliseconds limit_;
  TimeLimit kind_;
  asio::io_context& context_;
  tcp::resolver resolver_;
  ByteStream& stream_;
  asio::steady_timer deadline_;
  bool reached_ = false;
  bool stopped_ = false;
  bool timed_out_ = false;
  bool complete_ = false;  // the request was sent and answered, and the server keeps the connection
};

std::string name_of(const Url& url) {
  return (url.secure ? "https://" : "http://") + url.authority();
}

// Whether the other end has neither closed it nor said anything that nobody asked for.
bool is_quiet(ByteStream& stream) {
  char byte = 0;
  const ssize_t got = recv(stream.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// The connection that was kept, if the next request to this server may go over it.
std::unique_ptr<OpenConnection> take(KeptConnection* kept, const Url& url) {
  if (kept == nullptr) {
    return nullptr;
  }
  std::unique_ptr<OpenConnection> open = std::move(kept->open());
  const bool good = open && open->server == name_of(url) &&
                    std::chrono::steady_clock::now() - open->used < kLongestIdle &&
                    is_quiet(open->stream);
  return good ? std::move(open) : nullptr;
}

}  // namespace

Exchange perform(const Server& server, const WireRequest& request, const BodySink& sink,
                 std::chrono::milliseconds limit, TimeLimit kind, const std::stop_token& stop,
                 KeptConnection* kept) {
  std::unique_ptr<OpenConnection> open = take(kept, server.url);
  const bool reused = open != nullptr;
  if (!reused) {
    open = std::make_unique<OpenConnection>();
    open->server = name_of(server.url);
  }
  open->context.restart();
  Talk talk(*open, reused, kept != nullptr, server, request, sink, limit, kind);
  Exchange exchange = talk.run(stop);
  if (kept != nullptr && talk.may_go_on()) {
    open->used = std::chrono::steady_clock::now();
    kept->open() = std::move(open);
  }
  return exchange;
}

}  // namespace hone
