// One client connection: reads requests, has them answered, writes replies, one after the other.
//
// A deadline guards every wait on the client: when it passes, the pending socket operation is
// cancelled, and what follows depends on what was waited for (408 for a slow header or body, the
// end for an idle connection). What can be answered from memory is answered in the turn that read
// it, without a coroutine of its own. Held by a shared_ptr from the start of serve() to its end.
// For files of server/http. Not thread safe.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "common/net/byte_stream.h"
#include "server/http/body_memory.h"
#include "server/http/connection_line.h"
#include "server/http/http_server.h"
#include "server/http/request_parser.h"
#include "server/http/token_limits.h"

namespace hone {

// What all connections of a server share; outlives them.
struct ConnectionShared {
  HttpOptions options;
  const Router* router = nullptr;
  HttpHooks hooks;
  TokenLimits limits;
  BodyMemory bodies;
  ConnectionLine line;
  // A connection of this address is none of those without a token any more.
  std::function<void(const boost::asio::ip::address&)> no_longer_anonymous;
  std::size_t leaving = 0;  // connections that made way, and have not ended yet
  bool stopping = false;
};

class Connection final : public Peer,
                         public LineMember,
                         private BodySource,
                         private EventWriter,
                         private PieceWriter,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared);

  // Serves until the connection ends, for whatever reason; throws nothing.
  static boost::asio::awaitable<void> serve(std::shared_ptr<Connection> self);
  // Tells the client why it is not served, and ends.
  static boost::asio::awaitable<void> turn_away(std::shared_ptr<Connection> self, Error why);

  // The server stops: an idle connection ends at once, a waiting handler is woken, any other ends
  // with its current answer.
  void begin_stop();
  // Ends at once.
  void abort();
  bool made_way() const { return made_way_; }
  // It has one of the last places, which are for administrators and for what takes no token: it is
  // told so otherwise, and ends with its first answer. To be called before serve().
  void take_last_place();
  // Ends the wait whose deadline has passed. Called often enough by the server.
  void check_deadline(std::chrono::steady_clock::time_point now);

  // As a member of the line of those that may be ended.
  bool may_end() override;
  void make_way() override;
  const boost::asio::ip::address& address() const override { return address_; }
  bool anonymous() const override { return anonymous_; }
  const std::string& token_id() const override { return token_id_; }

  bool gone() const override;
  boost::asio::awaitable<void> wait_gone() override;

 private:
  enum class KeepAlive { yes, no };
  enum class Head { more, whole, bad };  // bad: why stands in refusal_
  using ReplyOf = std::shared_ptr<const Reply>;

  // One request, from its header to the end of its answer.
  struct Exchange {
    Request request;
    RequestTarget target;
    RequestRecord record;
    RouteMatch match;
    std::chrono::steady_clock::time_point started;
    bool identified = false;  // the caller is known, where one is needed
    bool admitted = false;    // all checks before the body were passed
    int status = 0;           // of an error: a finer one than its code has; 0: none
    TokenLimits::Hold hold;   // of the token's share, while the answer takes its time
    BodyMemory::Hold memory;  // of the request's body and the answer's, where they are large
  };

  // connection.cc: the life of a connection.
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<bool> begin();
  boost::asio::awaitable<KeepAlive> finish_request(Exchange& exchange, ReplyOf reply);
  void note(Exchange& exchange, int status) const;

  // connection_read.cc: a request's head.
  void begin_request();
  Head parse_head();
  // More of what the client sends, at most so many bytes, into buffer_; false when nothing came.
  boost::asio::awaitable<bool> fill(std::size_t most);
  boost::asio::awaitable<bool> read_head();

  // connection_wait.cc: waits on the client, and the end.
  boost::asio::awaitable<void> leave();
  boost::asio::awaitable<void> linger(std::uint64_t most);
  boost::asio::awaitable<void> watch_socket();
  boost::asio::awaitable<void> wait_woken();
  void arm(std::chrono::milliseconds limit);
  void disarm();

  // connection_answer.cc: from a header to a reply.
  ReplyOf answer_at_once(Exchange& exchange);
  boost::asio::awaitable<ReplyOf> answer(Exchange& exchange);
  boost::asio::awaitable<Result<Reply>> answer_in_time(Exchange& exchange);
  ReplyOf problem(const Exchange& exchange, const Error& error) const;
  Result<void> look(Exchange& exchange);
  Result<bool> identify_at_once(Exchange& exchange);
  Result<void> take_caller(Exchange& exchange, Caller caller);
  Result<void> count_for(const Caller& caller);
  Result<void> admit(Exchange& exchange);
  Result<void> check_query(const Route& route, const Request& request) const;
  Result<void> check_body(Exchange& exchange);
  Result<void> check_upgrade(Exchange& exchange) const;

  // connection_body.cc: the current request's body.
  boost::asio::awaitable<Result<void>> prepare_body(Exchange& exchange);
  boost::asio::awaitable<Result<std::string_view>> next() override;
  Result<void> hold_body(Exchange& exchange, std::size_t bytes);

  // connection_write.cc: whole replies.
  bool hold_answer(Exchange& exchange, const Reply& reply);
  void write_head(const Exchange& exchange, const Reply& reply, KeepAlive keep_alive);
  std::size_t write_at_once(std::string_view body);
  boost::asio::awaitable<bool> write_text(std::string_view text);
  boost::asio::awaitable<bool> write_rest(std::string_view body, std::size_t written);

  // connection_stream.cc: replies that take their time.
  boost::asio::awaitable<bool> write_file(const FileBody& file);
  boost::asio::awaitable<bool> write_stream(const Reply& reply);
  boost::asio::awaitable<bool> event(std::string id, std::string name, std::string data) override;
  boost::asio::awaitable<bool> heartbeat() override;
  boost::asio::awaitable<bool> piece(std::string bytes) override;

  // connection_messages.cc: answers by a WebSocket, and ends with it.
  class Conversation;
  boost::asio::awaitable<void> converse(const Exchange& exchange, const Reply& reply);

  ByteStream stream_;
  boost::asio::ip::address address_;
  std::shared_ptr<ConnectionShared> shared_;
  boost::asio::steady_timer wake_;  // never expires; cancelled to wake wait_gone(), a Conversation
  boost::beast::flat_buffer buffer_;
  RequestHead head_;
  std::optional<RequestParser> parser_;  // of the current request
  std::size_t head_taken_ = 0;           // bytes of its head that the parser has taken
  std::string reply_head_;
  std::string piece_;   // last given by next()
  LogContext context_;  // of the current request, while its answer takes its time
  std::string token_id_;
  TokenLimits::Hold place_;  // among the connections of that token
  std::chrono::steady_clock::time_point deadline_;
  std::chrono::steady_clock::time_point body_started_;
  std::chrono::milliseconds body_total_{0};
  int body_status_ = 0;  // as Exchange::status, of a body that failed
  Error refusal_;
  int refusal_status_ = 0;
  bool anonymous_ = true;
  bool heard_ = false;       // anything came
  bool last_place_ = false;  // as of take_last_place()
  bool ends_ = false;        // the next answer is the last
  bool made_way_ = false;
  bool certified_ = false;  // the client showed a certificate, which was verified
  bool idle_ = false;
  bool deadline_passed_ = false;
  bool peer_closed_ = false;
};

}  // namespace hone
