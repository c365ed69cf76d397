// Requests and replies as handlers see them: plain values, free of Beast.
//
// A handler is a coroutine that gets a Request and gives a Reply or an Error (which becomes a
// problem document). What takes its time, a body too large for memory or a stream of events, passes
// through BodySource, PieceWriter and EventWriter. Everything runs on the server's one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/result.h"
#include "common/base/trace_context.h"
#include "common/protocol/access.h"
#include "common/protocol/values.h"

namespace hone {

enum class HttpMethod { get, head, post, put, remove, patch };
std::string_view to_string(HttpMethod method);  // "GET" ... "DELETE", "PATCH"
std::optional<HttpMethod> parse_http_method(std::string_view text);

using NamedValue = std::pair<std::string, std::string>;
// A header as it was sent, in memory that lasts as long as its request.
using HeaderField = std::pair<std::string_view, std::string_view>;

// Who asks, as the token says. Empty on public routes.
struct Caller {
  std::string token_id;
  std::string name;
  Role role = Role::viewer;
  // What a confined token may do to which targets; null: its role counts for all.
  std::shared_ptr<const TargetGrants> grants{};
  // When the token, or the secret that was shown, is over, milliseconds since 1970; 0: never.
  std::int64_t expires_ms = 0;
  std::string generation{};  // of the secret that was shown: a rotation makes another
};

// The body of a route that takes octets, in pieces as they come from the network.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The next piece, valid until the next call; empty at the end. too_large past the route's limit,
  // timed_out when the client stalls, invalid_argument when it breaks off in the middle.
  virtual boost::asio::awaitable<Result<std::string_view>> next() = 0;
};

// The client's end of the connection, for handlers that wait.
class Peer {
 public:
  virtual ~Peer() = default;
  // Whether nobody waits for the answer any more: the client closed its end, or the server stops.
  virtual bool gone() const = 0;
  // Until that is so. May be cancelled.
  virtual boost::asio::awaitable<void> wait_gone() = 0;
};

// Awaits `work`, but no longer than somebody waits for the answer: false when `work` gave false or
// the peer was gone first (`work` is then cancelled).
boost::asio::awaitable<bool> wait_unless_gone(Peer& peer, boost::asio::awaitable<bool> work);

// Writes server-sent events. Each call gives false once the client is gone.
class EventWriter {
 public:
  virtual ~EventWriter() = default;
  virtual boost::asio::awaitable<bool> event(std::string id, std::string name,
                                             std::string data) = 0;
  // A line that clients pass over, so that both sides notice a dead connection.
  virtual boost::asio::awaitable<bool> heartbeat() = 0;
};

// Writes a body in pieces as they come, without saying before how long it is. False once the client
// is gone, or takes nothing for the server's limit of silence.
class PieceWriter {
 public:
  virtual ~PieceWriter() = default;
  virtual boost::asio::awaitable<bool> piece(std::string bytes) = 0;
};

// Messages to and from a client that asked for a WebSocket (RFC 6455).
class MessageChannel {
 public:
  virtual ~MessageChannel() = default;
  // The client's next text; nothing once it is gone, was silent for too long, sent something else
  // than text or more than the route's body limit, or the server stops.
  virtual boost::asio::awaitable<std::optional<std::string>> receive() = 0;
  // Until receive() has something to give, be it nothing; false when the time is over before.
  virtual boost::asio::awaitable<bool> wait(std::chrono::milliseconds time) = 0;
  // False once the client is gone.
  virtual boost::asio::awaitable<bool> send(std::string text) = 0;
};

struct Request {
  // Of this request, for every line that is logged of it. context.request is the client's
  // X-Request-Id or ours, never empty, and goes back with the answer.
  LogContext context;
  // Our part of the client's trace, if it sent a traceparent: pass it on with what is done for it.
  std::optional<TraceContext> trace;
  HttpMethod method = HttpMethod::get;
  std::vector<NamedValue> path_values;  // by the names in the route's template, decoded
  std::vector<NamedValue> query;        // decoded; only names that the route takes
  std::vector<HeaderField> headers;     // as sent
  std::string body;                     // of routes that take JSON
  Caller caller;
  BodySource* octets = nullptr;  // of routes that take octets; else null
  Peer* peer = nullptr;          // never null in a handler

  // The value in the path; "" if the template has no such name.
  const std::string& path_value(std::string_view name) const;
  std::optional<std::string> query_value(std::string_view name) const;
  // The first of that name, however it is spelled; "" if there is none.
  std::string_view header(std::string_view name) const;
};

struct FileBody {
  UniqueFd file;
  std::int64_t size_bytes = 0;
};

struct Reply {
  int status = 200;
  std::string content_type = "application/json";  // not sent with an empty body
  std::vector<NamedValue> headers;  // beside security_headers(), or in place of one of that name
  std::string body;
  std::shared_ptr<const std::string> kept_body;  // instead of body: one that several replies share
  std::optional<FileBody> file;                  // likewise
  // Instead of body: runs while the stream lasts. When it returns true, the client is told that the
  // stream is complete; false means cut off (the client should come back).
  std::function<boost::asio::awaitable<bool>(EventWriter&)> events;
  // The same for a body of another kind.
  std::function<boost::asio::awaitable<bool>(PieceWriter&)> pieces;
  // Instead of all of the above, where the request is a WebSocket's: runs until the conversation is
  // over.
  std::function<boost::asio::awaitable<void>(MessageChannel&)> messages;

  // What stands in the answer, as far as it is in memory.
  std::string_view text() const { return kept_body ? *kept_body : body; }
};

using Handler = std::function<boost::asio::awaitable<Result<Reply>>(Request&)>;
// Answers from memory, without waiting for anything; null where it cannot, and the Handler is
// asked.
using QuickHandler = std::function<std::shared_ptr<const Reply>(const Request&)>;

}  // namespace hone
