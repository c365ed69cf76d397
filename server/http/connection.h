// One client connection: reads requests, has them answered, writes replies, one after the other.
//
// A deadline guards every wait on the client: when it passes, the pending socket operation is
// cancelled, and what follows depends on what was waited for (408 for a slow header or body, the
// end for an idle connection). Held by a shared_ptr from the start of serve() to its end. For files
// of server/http. Not thread safe.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "server/http/http_server.h"

namespace hone {

// What all connections of a server share; outlives them.
struct ConnectionShared {
  HttpOptions options;
  const Router* router = nullptr;
  HttpHooks hooks;
  bool stopping = false;
};

class Connection final : public Peer,
                         private BodySource,
                         private EventWriter,
                         private PieceWriter,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared);

  // Serves until the connection ends, for whatever reason; throws nothing.
  static boost::asio::awaitable<void> serve(std::shared_ptr<Connection> self);
  // Tells the client that there are too many connections, and ends.
  static boost::asio::awaitable<void> turn_away(std::shared_ptr<Connection> self);

  // The server stops: an idle connection ends at once, a waiting handler is woken, any other ends
  // with its current answer.
  void begin_stop();
  // Ends at once.
  void abort();

  bool gone() const override;
  boost::asio::awaitable<void> wait_gone() override;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  enum class KeepAlive { yes, no };

  boost::asio::awaitable<void> run();
  // Waits for the next request's first byte; false when none comes.
  boost::asio::awaitable<bool> wait_for_request();
  boost::asio::awaitable<KeepAlive> serve_request();
  // Tells the hook.
  void note(RequestRecord& record, const Reply& reply, const Request& request,
            std::chrono::steady_clock::time_point started) const;
  // The reply to a header that was read; an exception becomes an internal error.
  boost::asio::awaitable<Result<Reply>> guarded_answer(Request& request, RequestRecord& record);
  // The same, body and handler included.
  boost::asio::awaitable<Result<Reply>> answer(Request& request, RequestRecord& record);
  // Steps of answer().
  Result<void> take_header(Request& request) const;
  Result<void> check_query(const Route& route, const Request& request) const;
  Result<void> check_body(const Route& route, const Request& request);
  Result<void> check_upgrade();
  boost::asio::awaitable<Result<void>> prepare_body(const Route& route, Request& request);

  // BodySource: the body of the current request.
  boost::asio::awaitable<Result<std::string_view>> next() override;
  // EventWriter: the current reply's stream.
  boost::asio::awaitable<bool> event(std::string id, std::string name, std::string data) override;
  boost::asio::awaitable<bool> heartbeat() override;
  // PieceWriter: likewise.
  boost::asio::awaitable<bool> piece(std::string bytes) override;

  boost::asio::awaitable<bool> write_reply(Reply& reply, bool head_only, KeepAlive keep_alive);
  boost::asio::awaitable<bool> write_file(FileBody& file);
  boost::asio::awaitable<bool> write_stream(Reply& reply);
  boost::asio::awaitable<bool> write_text(std::string text);
  // Answers by a WebSocket, and ends with it.
  boost::asio::awaitable<void> converse(const Reply& reply);
  boost::asio::awaitable<void> linger();
  boost::asio::awaitable<void> watch_socket();
  boost::asio::awaitable<void> wait_woken();

  void arm(std::chrono::milliseconds limit);
  void disarm();

  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<ConnectionShared> shared_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer wake_;  // never expires; cancelled to wake wait_gone()
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;     // of the current request
  std::uint64_t message_limit_ = 0;  // of a route that takes messages
  int error_status_ = 0;             // a finer status than the Error's code has, 0: none
  std::string allowed_;              // for the Allow header of a 405
  bool ambiguous_ = false;           // where this request ends is in doubt: nothing after it counts
  LogContext context_;               // of the current request, while it is answered
  std::chrono::steady_clock::time_point body_started_;
  std::chrono::milliseconds body_total_{0};
  std::string piece_;  // last given by next()
  bool idle_ = false;
  bool deadline_passed_ = false;
  bool peer_closed_ = false;
};

}  // namespace hone
