// An HttpServer with small handlers, on a thread and an ephemeral port of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "server/http/http_server.h"
#include "tests/support/raw_http_client.h"

namespace hone {

// The tokens that the server knows: one of each of four roles.
inline constexpr const char* kViewer = "viewer-token";
inline constexpr const char* kSubmitter = "submitter-token";
inline constexpr const char* kWorker = "worker-token";
inline constexpr const char* kAdmin = "admin-token";
// Asking for this one throws.
inline constexpr const char* kThrowing = "throwing-token";
// Asking for this one waits until free_stuck().
inline constexpr const char* kSlow = "slow-token";

class TestServer {
 public:
  explicit TestServer(HttpLimits limits = quick_limits()) : TestServer(options_with(limits)) {}
  explicit TestServer(const HttpOptions& options) {
    add_routes();
    HttpHooks hooks;
    hooks.authenticate = [this](std::string token) { return authenticate(this, std::move(token)); };
    hooks.finished = [this](const RequestRecord& record) { last_status = record.status; };
    hooks.cut = [this] {
      ++cuts;
      if (cut_frees_stuck) {
        stuck_.cancel();
      }
    };
    Result<std::unique_ptr<HttpServer>> made =
        HttpServer::listen(context_.get_executor(), options, router_, std::move(hooks));
    server_ = *std::move(made);
    server_->start();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~TestServer() {
    if (server_) {
      stop(std::chrono::milliseconds(0));
    }
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  static HttpOptions options_with(HttpLimits limits) {
    HttpOptions options;
    options.limits = limits;
    return options;
  }
  static HttpLimits quick_limits() {
    HttpLimits limits;
    limits.linger = std::chrono::milliseconds(2000);
    return limits;
  }

  std::uint16_t port() const { return server_->port(); }
  std::size_t connections() {
    std::promise<std::size_t> count;
    boost::asio::post(context_, [&] { count.set_value(server_->connections()); });
    return count.get_future().get();
  }

  // Until the server has read what was sent to it: it looks at its sockets between any two things
  // that it is asked to run.
  void settle() {
    for (int i = 0; i < 4; ++i) {
      connections();
    }
  }

  // Begins a stop, which goes on by itself.
  void begin_stop(std::chrono::milliseconds grace) {
    stopping_ = boost::asio::co_spawn(context_, server_->stop(grace), boost::asio::use_future);
  }

  // Whether that stop is over within ten seconds.
  bool stops() const {
    return stopping_.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  }
  void abort() {
    boost::asio::post(context_, boost::asio::use_future([this] { server_->abort(); })).get();
  }
  // Lets handlers of /stuck and those who ask for kSlow go. Not waited for: where all have ended,
  // nobody runs it any more.
  void free_stuck() {
    boost::asio::post(context_, [this] { stuck_.cancel(); });
  }

  // Stops the server and its thread; gives how long that took.
  std::chrono::milliseconds stop(std::chrono::milliseconds grace) {
    const auto begin = std::chrono::steady_clock::now();
    if (!stopping_.valid()) {
      begin_stop(grace);
    }
    stopping_.get();
    thread_.join();
    server_.reset();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 begin);
  }

  std::atomic<int> calls{0};       // of any handler
  std::atomic<int> peers_gone{0};  // handlers that saw their client leave
  std::atomic<int> pieces{0};      // written of a body in pieces
  std::atomic<int> waits{0};       // of endless events, for their client to leave
  std::atomic<int> cuts{0};        // of all connections
  std::atomic<bool> cut_frees_stuck{false};
  std::atomic<int> last_status{0};       // of the last finished request
  std::atomic<std::size_t> received{0};  // bytes of the last upload

 private:
  using Answer = boost::asio::awaitable<Result<Reply>>;

  static boost::asio::awaitable<Result<Caller>> authenticate(TestServer* self, std::string token) {
    if (token == kSlow) {
      ++self->calls;
      co_await self->stuck_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    if (token == kThrowing) {
      throw std::runtime_error("secret detail");
    }
    Caller caller;
    caller.name = token;
    caller.token_id = "id of " + token;
    if (token == kViewer) {
      caller.role = Role::viewer;
    } else if (token == kSubmitter) {
      caller.role = Role::submitter;
    } else if (token == kWorker) {
      caller.role = Role::worker;
    } else if (token == kAdmin) {
      caller.role = Role::admin;
    } else {
      co_return fail(ErrorCode::unauthenticated, "the token is not known");
    }
    co_return caller;
  }

  static Answer echo(TestServer* self, Request& request) {
    ++self->calls;
    Reply reply;
    reply.body = request.body.empty() ? "\"" + request.path_value("id") + "\"" : request.body;
    co_return reply;
  }

  static Answer explode(TestServer* self, Request&) {
    ++self->calls;
    throw std::runtime_error("secret detail");
    co_return Reply();
  }

  static Answer upload(TestServer* self, Request& request) {
    ++self->calls;
    std::size_t size = 0;
    for (;;) {
      const Result<std::string_view> piece = co_await request.octets->next();
      if (!piece.has_value()) {
        co_return piece.error();
      }
      if (piece->empty()) {
        break;
      }
      size += piece->size();
    }
    self->received = size;
    Reply reply;
    reply.status = 201;
    co_return reply;
  }

  static Answer download(TestServer*, Request&) {
    std::FILE* stream = std::tmpfile();
    const std::string content(1'000'000, 'x');
    std::fwrite(content.data(), 1, content.size(), stream);
    std::fflush(stream);
    Reply reply;
    reply.content_type = "application/octet-stream";
    reply.file = FileBody{UniqueFd(dup(fileno(stream))), 1'000'000};
    std::fclose(stream);
    co_return reply;
  }

  // 32 MB at once: more than sockets hold.
  static Answer large(TestServer* self, Request&) {
    ++self->calls;
    Reply reply;
    reply.body.assign(32'000'000, 'l');
    co_return reply;
  }

  // Says every message again: "work" after two seconds, "flood" by more than sockets hold.
  static Answer talk(TestServer* self, Request&) {
    ++self->calls;
    Reply reply;
    reply.messages = [](MessageChannel& channel) { return repeat(channel); };
    co_return reply;
  }

  static boost::asio::awaitable<void> repeat(MessageChannel& channel) {
    for (;;) {
      std::optional<std::string> message = co_await channel.receive();
      if (!message) {
        co_return;
      }
      if (*message == "work") {
        auto executor = co_await boost::asio::this_coro::executor;
        co_await pause(executor, std::chrono::milliseconds(2000));
      } else if (*message == "flood") {
        message->resize(32'000'000, 'f');
      }
      const bool sent = co_await channel.send(*std::move(message));
      if (!sent) {
        co_return;
      }
    }
  }

  // Waits for 300 ms, or 20 s, or until the client leaves.
  static boost::asio::awaitable<bool> pause(boost::asio::any_io_executor executor,
                                            std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(executor, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
    co_return true;
  }

  static Answer wait(TestServer* self, Request& request) {
    ++self->calls;
    const auto time = std::chrono::milliseconds(request.query_value("ms") == "300" ? 300 : 20'000);
    boost::asio::awaitable<bool> pausing = pause(self->context_.get_executor(), time);
    const bool whole = co_await wait_unless_gone(*request.peer, std::move(pausing));
    self->peers_gone += whole ? 0 : 1;
    Reply reply;
    reply.body = whole ? "true" : "false";
    co_return reply;
  }

  // Busy for 400 ms, whoever leaves.
  static Answer work(TestServer* self, Request&) {
    ++self->calls;
    boost::asio::steady_timer timer(self->context_.get_executor(), std::chrono::milliseconds(400));
    co_await timer.async_wait(boost::asio::use_awaitable);
    Reply reply;
    reply.body = "\"done\"";
    co_return reply;
  }

  // Until it is freed, whoever leaves.
  static Answer get_stuck(TestServer* self, Request&) {
    ++self->calls;
    co_await self->stuck_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    co_return Reply();
  }

  // Three events, and for "1" a wait for the client to leave after them, for "often" many.
  static boost::asio::awaitable<bool> three_events(TestServer* self, Peer* peer,
                                                   std::string endless, EventWriter& writer) {
    for (int i = 1; i <= 3; ++i) {
      co_await writer.event(std::to_string(i), "job", "{}");
    }
    co_await writer.heartbeat();
    if (endless.empty()) {
      co_return true;
    }
    while (endless == "often" && !peer->gone()) {
      boost::asio::awaitable<bool> pausing =
          pause(self->context_.get_executor(), std::chrono::milliseconds(1));
      co_await wait_unless_gone(*peer, std::move(pausing));
      ++self->waits;
    }
    co_await peer->wait_gone();
    ++self->peers_gone;
    co_return false;
  }

  static Answer events(TestServer* self, Request& request) {
    ++self->calls;
    Reply reply;
    reply.content_type = "text/event-stream";
    Peer* peer = request.peer;
    const std::string endless = request.query_value("endless").value_or("");
    reply.events = [self, peer, endless](EventWriter& writer) {
      return three_events(self, peer, endless, writer);
    };
    co_return reply;
  }

  // 64 MB in pieces: more than sockets hold.
  static boost::asio::awaitable<bool> many_pieces(TestServer* self, PieceWriter& writer) {
    for (int i = 0; i < 64; ++i) {
      const bool written = co_await writer.piece(std::string(1'000'000, 'p'));
      if (!written) {
        ++self->peers_gone;
        co_return false;
      }
      ++self->pieces;
    }
    co_return true;
  }

  static Answer pieces_of(TestServer* self, Request&) {
    ++self->calls;
    Reply reply;
    reply.content_type = "application/x-ndjson";
    reply.pieces = [self](PieceWriter& writer) { return many_pieces(self, writer); };
    co_return reply;
  }

  Handler call(Answer (*handler)(TestServer*, Request&)) {
    return [this, handler](Request& request) { return handler(this, request); };
  }

  void add_routes() {
    const Roles all{Role::viewer, Role::submitter, Role::worker, Role::admin};
    const Roles submitters{Role::submitter};
    router_.add({.path = "/health", .handler = call(echo)});
    router_.add({.path = "/things/{id}", .roles = all, .query = {"a"}, .handler = call(echo)});
    router_.add({.path = "/large", .roles = all, .handler = call(large)});
    router_.add({.method = HttpMethod::put,
                 .path = "/things/{id}",
                 .roles = submitters,
                 .body = BodyKind::json,
                 .body_limit = 1000,
                 .handler = call(echo)});
    router_.add({.method = HttpMethod::post,
                 .path = "/things/{id}/poke",
                 .roles = submitters,
                 .body = BodyKind::optional_json,
                 .handler = call(echo)});
    router_.add({.path = "/explode", .roles = all, .handler = call(explode)});
    router_.add({.method = HttpMethod::put,
                 .path = "/files/{id}",
                 .roles = submitters,
                 .body = BodyKind::octets,
                 .body_limit = 10'000'000,
                 .handler = call(upload)});
    router_.add({.path = "/files/{id}", .roles = all, .handler = call(download)});
    router_.add({.path = "/talk",
                 .roles = submitters,
                 .body = BodyKind::messages,
                 .body_limit = 1000,
                 .handler = call(talk)});
    router_.add({.path = "/wait", .roles = all, .query = {"ms"}, .handler = call(wait)});
    router_.add({.path = "/work", .roles = all, .handler = call(work)});
    router_.add({.path = "/stuck", .roles = all, .handler = call(get_stuck)});
    router_.add({.path = "/pieces", .roles = all, .handler = call(pieces_of)});
    router_.add({.path = "/events", .roles = all, .query = {"endless"}, .handler = call(events)});
  }

  boost::asio::io_context context_{1};
  boost::asio::steady_timer stuck_{context_, boost::asio::steady_timer::time_point::max()};
  Router router_;
  std::unique_ptr<HttpServer> server_;
  std::future<void> stopping_;
  std::thread thread_;
};

// A request with Host and token; `more` holds further header lines, each ended by "\r\n".
inline std::string request_text(std::string_view method, std::string_view target,
                                std::string_view more = "", std::string_view body = "",
                                std::string_view token = kSubmitter) {
  std::string text = std::string(method) + " " + std::string(target) +
                     " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + std::string(token) +
                     "\r\n" + std::string(more);
  if (!body.empty()) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + std::string(body);
}
inline constexpr const char* kJsonType = "Content-Type: application/json\r\n";
inline constexpr const char* kOctetsType = "Content-Type: application/octet-stream\r\n";

// Waits until `condition` holds, at most ten seconds.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace hone
