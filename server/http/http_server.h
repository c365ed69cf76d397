// The HTTP/1.1 server: accepts connections and drives each as one coroutine.
//
// Every wait on a client has a time limit, every input a size limit, every request is checked
// (Host, token, route, role, media type, length) before its body is read. One executor that one
// thread runs; not thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "common/base/result.h"
#include "common/net/byte_stream.h"
#include "server/http/body_memory.h"
#include "server/http/message.h"
#include "server/http/router.h"
#include "server/http/token_limits.h"

namespace hone {

struct HttpLimits {
  // Beyond: one that waits is closed for a new one (connection_line.h). If none waits, the new one
  // has 503 with Retry-After, and is closed, but for administrators and what takes no token: there
  // are a few places more for these.
  std::size_t connections = 4096;
  // Of one client (anonymous_connections.h), those that have shown no good token yet. Beyond:
  // likewise, among its own.
  std::size_t anonymous_connections = 512;
  TokenLimitOptions token;
  BodyMemoryOptions bodies;  // beyond: 429 or 503 with Retry-After; an answer is cut
  std::uint32_t header_bytes = 16384;
  std::chrono::milliseconds first_byte{5'000};       // of a connection
  std::chrono::milliseconds idle{60'000};            // between requests of a connection
  std::chrono::milliseconds header{10'000};          // from a header's first byte to its last
  std::chrono::milliseconds body_silence{30'000};    // between two pieces of a body
  std::chrono::milliseconds json_body{60'000};       // a whole JSON body
  std::chrono::milliseconds octets_body{3'600'000};  // a whole body of octets
  std::chrono::milliseconds write_silence{30'000};   // between two pieces of an answer
  std::chrono::milliseconds linger{5'000};           // reading on after a body was refused
  std::chrono::milliseconds cut{5'000};  // for handlers to end, once stop() cut their connections
};

struct HttpOptions {
  std::string address = "127.0.0.1";       // numeric
  std::uint16_t port = 0;                  // 0: any free one
  std::vector<std::string> allowed_hosts;  // besides the names of loopback
  HttpLimits limits;
  std::function<TlsContext()> tls;  // of a new connection; empty: HTTP is spoken plain
  // Whether a worker's token is good only over TLS with a client certificate.
  bool require_worker_certificate = false;
};

// One finished request, for metrics and the log.
struct RequestRecord {
  // These two outlive all requests.
  std::string_view method;  // "" if the header could not be read
  std::string_view route;   // template, "" if none matched
  int status = 0;
  double seconds = 0;                   // from the header's last byte to the answer's last
  std::string_view caller;              // name of the token, "" if none
  const LogContext* context = nullptr;  // the request's; never null in a hook
};

struct HttpHooks {
  // Who a token belongs to; unauthenticated if nobody. Required.
  std::function<boost::asio::awaitable<Result<Caller>>(std::string token)> authenticate;
  // The same from memory; null if that does not say, and authenticate is asked. May be empty.
  std::function<std::shared_ptr<const Caller>(std::string_view token)> known;
  std::function<void(const RequestRecord&)> finished;  // may be empty
  // All connections were cut: ends what handlers wait for that does not end with a connection. May
  // be empty.
  std::function<void()> cut;
};

class HttpServer {
 public:
  // Binds and listens, but accepts nothing before start(). io_failed if the address cannot be had
  // (the message names it), invalid_argument if it is no numeric address. `router` must outlive the
  // server.
  static Result<std::unique_ptr<HttpServer>> listen(boost::asio::any_io_executor executor,
                                                    HttpOptions options, const Router& router,
                                                    HttpHooks hooks);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // As bound: "127.0.0.1:7077", "[::1]:7077".
  std::string address() const;
  std::uint16_t port() const;
  std::size_t connections() const;

  void start();
  // Answers 503 to who comes now, closes idle connections, ends long polls and event streams, lets
  // requests finish for `grace`, then cuts what is left, and returns when no connection is left, or
  // HttpLimits::cut later: connections() then says how many handlers have not ended. What they use
  // must outlive them.
  boost::asio::awaitable<void> stop(std::chrono::milliseconds grace);
  // Cuts every connection now; a stop() under way then ends without waiting for its grace.
  void abort();

 private:
  struct State;
  explicit HttpServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace hone
