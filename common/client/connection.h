// One HTTP exchange, over a connection of its own or one that is kept for the next: the only file
// here that Beast stands behind.
//
// Blocks the calling thread; a time limit, a stop request or an error of the network ends it.
// Thread safe for distinct kept connections: no other state is kept between calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/client/client.h"
#include "common/client/kept_connection.h"
#include "common/client/url.h"

namespace hone {

// Bytes of a body that is kept in memory (no sink, or not a success), unless a request says less.
inline constexpr std::uint64_t kMaxReplyBytes = std::uint64_t{64} << 20U;

struct WireRequest {
  std::string method;               // in capitals
  std::string path;                 // with query, below the URL's prefix
  std::vector<HttpHeader> headers;  // Host, Connection, Content-Length are added
  std::string_view body;
  std::filesystem::path body_file;  // sent instead of `body` when not empty
  std::uint64_t most_reply_bytes = kMaxReplyBytes;
};

// Takes the next piece of a successful response's body; false when it has seen enough.
using BodySink = std::function<Result<bool>(std::string_view piece)>;

enum class TimeLimit {
  whole,  // of the exchange, from connect to the last byte
  idle,   // of silence: starts anew with every piece received
};

struct Exchange {
  Result<Response> response;
  // Whether the server may have seen the request; false means that repeating it is always safe.
  bool reached_server = false;
};

// Whom to ask; with https:// also by what TLS is set up.
struct Server {
  const Url& url;
  const std::shared_ptr<boost::asio::ssl::context>& tls;
};

// Every status is a response here. Errors: unavailable (no connection, lost in the middle, not
// HTTP), permission_denied (one end does not trust the other's certificate), invalid_argument (no
// TLS is spoken there), timed_out, cancelled, too_large, io_failed (the body's file), or what the
// sink returned. With `kept` the exchange goes over that connection if it is one to this server and
// still good, and leaves there what the next may use, if the server keeps it open.
Exchange perform(const Server& server, const WireRequest& request, const BodySink& sink,
                 std::chrono::milliseconds limit, TimeLimit kind, const std::stop_token& stop,
                 KeptConnection* kept = nullptr);

}  // namespace hone
