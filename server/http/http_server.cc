#include "server/http/http_server.h"

#include <netinet/tcp.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "server/http/anonymous_connections.h"
#include "server/http/connection.h"

namespace hone {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorOf = boost::system::error_code;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kAcceptPause{100};
// Connections that are told at one time why they are not served; more are closed without a word.
constexpr std::size_t kTurnedAway = 64;
// Beyond the limit, for administrators and for what takes no token.
constexpr std::size_t kLastPlaces = 64;
// Of what a client does not take, the kernel holds about so much.
constexpr int kUnsentBytes = 256 << 10U;

// Often enough that a deadline passes at most a quarter too late.
std::chrono::milliseconds deadline_interval(const HttpLimits& limits) {
  const auto least =
      std::min({limits.first_byte, limits.idle, limits.header, limits.body_silence,
                limits.json_body, limits.octets_body, limits.write_silence, limits.linger});
  return std::clamp(least / 4, std::chrono::milliseconds(20), std::chrono::milliseconds(1000));
}

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  State(asio::any_io_executor on, std::shared_ptr<ConnectionShared> with)
      : executor(on), acceptor(on), all_ended(on), tick(on), shared(std::move(with)) {
    all_ended.expires_at(asio::steady_timer::time_point::max());
  }

  // One timer for all connections: a request sets its deadlines for the price of reading the clock.
  static asio::awaitable<void> watch_deadlines(std::shared_ptr<State> self) {
    const std::chrono::milliseconds interval = deadline_interval(self->shared->options.limits);
    while (!self->shared->stopping || !self->connections.empty()) {
      self->tick.expires_after(interval);
      co_await self->tick.async_wait(kToken);
      const auto now = std::chrono::steady_clock::now();
      for (const auto& connection : self->connections) {
        connection->check_deadline(now);
      }
    }
  }

  static asio::awaitable<void> accept(std::shared_ptr<State> self) {
    asio::steady_timer pause(self->executor);
    while (self->acceptor.is_open()) {
      auto [error, socket] = co_await self->acceptor.async_accept(kToken);
      if (error == asio::error::operation_aborted) {
        co_return;
      }
      if (error) {
        // Out of descriptors, or a connection that was gone before we took it.
        log_warning("accept_failed", {{"reason", error.message()}});
        pause.expires_after(kAcceptPause);
        co_await pause.async_wait(kToken);
        continue;
      }
      self->take(std::move(socket));
    }
  }

  // Those that made way have their ends to come only.
  std::size_t places_taken() const { return served - shared->leaving; }

  // Makes room for one more, where that takes the end of another; what stands in the way, else.
  std::string find_room(Connection& connection) {
    const HttpLimits& limits = shared->options.limits;
    const asio::ip::address& from = connection.address();
    if (shared->stopping) {
      return "honed is stopping";
    }
    if (anonymous.of(from) >= limits.anonymous_connections && !shared->line.end_first_from(from)) {
      return "too many connections from this address that have shown no token yet";
    }
    if (places_taken() >= limits.connections && !shared->line.end_first() &&
        places_taken() >= limits.connections + kLastPlaces) {
      return "too many connections";
    }
    if (places_taken() >= limits.connections) {
      connection.take_last_place();
    }
    return "";
  }

  void take(tcp::socket socket) {
    ErrorOf ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    auto connection = std::make_shared<Connection>(std::move(socket), shared);
    const std::string refusal = find_room(*connection);
    if (refusal.empty()) {
      serve(std::move(connection));
    } else if (connections.size() - served < kTurnedAway) {
      turn_away(std::move(connection), fail(ErrorCode::unavailable, refusal));
    }
  }

  void serve(std::shared_ptr<Connection> connection) {
    ++served;
    anonymous.add(connection->address());
    connections.insert(connection);
    asio::awaitable<void> serving = Connection::serve(connection);
    asio::co_spawn(executor, std::move(serving),
                   [self = shared_from_this(), connection](const std::exception_ptr&) {
                     --self->served;
                     self->shared->leaving -= connection->made_way() ? 1 : 0;
                     if (connection->anonymous()) {
                       self->anonymous.forget(connection->address());
                     }
                     self->end(connection);
                   });
  }

  void turn_away(std::shared_ptr<Connection> connection, Error why) {
    connections.insert(connection);
    asio::awaitable<void> telling = Connection::turn_away(connection, std::move(why));
    asio::co_spawn(executor, std::move(telling),
                   [self = shared_from_this(), connection](const std::exception_ptr&) {
                     self->end(connection);
                   });
  }

  void end(const std::shared_ptr<Connection>& connection) {
    connection->abort();
    connections.erase(connection);
    if (served == 0) {
      all_ended.cancel();
    }
    if (connections.empty() && shared->stopping) {
      tick.cancel();
    }
  }

  asio::any_io_executor executor;
  tcp::acceptor acceptor;
  asio::steady_timer all_ended;  // cancelled when the last served connection ended, or by abort()
  asio::steady_timer tick;       // of the deadlines
  std::shared_ptr<ConnectionShared> shared;
  std::set<std::shared_ptr<Connection>> connections;
  std::size_t served = 0;  // of these, that were not turned away
  AnonymousConnections anonymous;
  std::string address;
  std::uint16_t port = 0;
  bool cut = false;  // by abort()
};

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
  ErrorOf ignored;
  state_->acceptor.close(ignored);
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::any_io_executor executor,
                                                       HttpOptions options, const Router& router,
                                                       HttpHooks hooks) {
  ErrorOf error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return fail(ErrorCode::invalid_argument,
                "\"" + options.address + "\" is no numeric address to listen on");
  }
  const tcp::endpoint endpoint(address, options.port);
  auto shared = std::make_shared<ConnectionShared>();
  shared->limits = TokenLimits(options.limits.token);
  shared->bodies = BodyMemory(options.limits.bodies);
  shared->options = std::move(options);
  shared->router = &router;
  shared->hooks = std::move(hooks);
  auto state = std::make_shared<State>(executor, std::move(shared));
  state->shared->no_longer_anonymous = [weak =
                                            std::weak_ptr(state)](const asio::ip::address& from) {
    if (const std::shared_ptr<State> there = weak.lock()) {
      there->anonymous.forget(from);
    }
  };

  tcp::acceptor& acceptor = state->acceptor;
  acceptor.open(endpoint.protocol(), error);
  if (!error) {
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  }
  if (!error) {
    acceptor.bind(endpoint, error);
  }
  if (!error) {
    // Connections that are accepted have it, too.
    using Unsent = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
    acceptor.set_option(Unsent(kUnsentBytes), error);
  }
  if (!error) {
    acceptor.listen(asio::socket_base::max_listen_connections, error);
  }
  if (error) {
    return fail(ErrorCode::io_failed, "cannot listen on " + state->shared->options.address + ":" +
                                          std::to_string(endpoint.port()) + ": " + error.message());
  }
  state->port = acceptor.local_endpoint().port();
  const std::string host = address.is_v6() ? "[" + address.to_string() + "]" : address.to_string();
  state->address = host + ":" + std::to_string(state->port);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

std::string HttpServer::address() const {
  return state_->address;
}

std::uint16_t HttpServer::port() const {
  return state_->port;
}

std::size_t HttpServer::connections() const {
  return state_->connections.size();
}

void HttpServer::start() {
  asio::co_spawn(state_->executor, State::accept(state_), asio::detached);
  asio::co_spawn(state_->executor, State::watch_deadlines(state_), asio::detached);
}

void HttpServer::abort() {
  const std::shared_ptr<State> state = state_;
  state->cut = true;
  for (const auto& connection : state->connections) {
    connection->abort();
  }
  if (state->shared->hooks.cut) {
    state->shared->hooks.cut();
  }
  state->all_ended.cancel();
}

asio::awaitable<void> HttpServer::stop(std::chrono::milliseconds grace) {
  const std::shared_ptr<State> state = state_;
  state->shared->stopping = true;
  if (state->connections.empty()) {
    state->tick.cancel();
  }
  for (const auto& connection : state->connections) {
    connection->begin_stop();
  }
  // Who comes now is told that we stop, for as long as somebody is served still.
  if (state->served > 0 && !state->cut) {
    state->all_ended.expires_after(grace);
    co_await state->all_ended.async_wait(kToken);
  }
  ErrorOf ignored;
  state->acceptor.close(ignored);
  abort();
  // A handler that waits for something else than its client must not hold up all that comes behind.
  const auto limit = std::chrono::steady_clock::now() + state->shared->options.limits.cut;
  while (!state->connections.empty() && std::chrono::steady_clock::now() < limit) {
    state->all_ended.expires_at(limit);
    co_await state->all_ended.async_wait(kToken);
  }
  if (!state->connections.empty()) {
    log_error("handlers_left", {{"connections", std::uint64_t{state->connections.size()}}});
  }
}

}  // namespace hone
