// Fuzzes the HTTP server: bytes into a real HttpServer over loopback, one connection an input.
// Input: a byte that chooses how the client ends and the size of pieces, then what it sends; it
// waits for what the server has to say wherever the three bytes "\xff\xfe|" stand.
//
// Every request that the server tells of is answered by one whole, well-formed reply below 500 that
// agrees with what was told (http_replies.h), and no connection outlives its client. Sent again in
// pieces, which the server reads one by one, the same is answered alike.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/json/document.h"
#include "server/http/http_server.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/http_replies.h"

namespace hone {
namespace {

using Answer = boost::asio::awaitable<Result<Reply>>;

constexpr std::string_view kPause = "\xff\xfe|";
constexpr std::chrono::seconds kPatience{20};  // of the limits that the server has, the idle one

Answer greet(Request& request) {
  Reply reply;
  reply.body = dump_json(Json{{"id", request.path_value("id")}, {"body", request.body}});
  co_return reply;
}

Answer read_document(Request& request) {
  if (request.body.empty()) {
    Reply none;
    none.status = 204;
    co_return none;
  }
  Result<Json> document = parse_json(request.body, {.bytes = request.body.size(), .depth = 16});
  HONE_CO_TRY(const Json body, std::move(document));
  Reply reply;
  reply.status = 201;
  reply.headers.emplace_back("Location", "/things/" + request.path_value("id"));
  reply.body = dump_json(body);
  co_return reply;
}

Answer upload(Request& request) {
  std::size_t size = 0;
  while (request.path_value("id") != "unread") {
    const Result<std::string_view> piece = co_await request.octets->next();
    if (!piece.has_value()) {
      co_return piece.error();
    }
    if (piece->empty()) {
      break;
    }
    size += piece->size();
  }
  Reply reply;
  reply.body = std::to_string(size);
  co_return reply;
}

Answer download(Request& request) {
  UniqueFd file(::memfd_create("download", MFD_CLOEXEC));
  const std::string content(300'000, 'x');
  FUZZ_CHECK(::write(file.get(), content.data(), content.size()) == 300'000);
  Reply reply;
  reply.content_type = "application/octet-stream";
  reply.headers.emplace_back("ETag", "\"" + request.path_value("id") + "\"");
  reply.file = FileBody{std::move(file), 300'000};
  co_return reply;
}

boost::asio::awaitable<void> repeat(MessageChannel& channel) {
  for (;;) {
    std::optional<std::string> message = co_await channel.receive();
    if (!message) {
      co_return;
    }
    const bool sent = co_await channel.send(*std::move(message));
    if (!sent) {
      co_return;
    }
  }
}

Answer talk(Request&) {
  Reply reply;
  reply.messages = [](MessageChannel& channel) { return repeat(channel); };
  co_return reply;
}

boost::asio::awaitable<bool> doze(boost::asio::any_io_executor executor) {
  boost::asio::steady_timer timer(executor, std::chrono::milliseconds(1));
  co_await timer.async_wait(boost::asio::use_awaitable);
  co_return true;
}

boost::asio::awaitable<bool> tell_events(Peer* peer, EventWriter& writer) {
  for (int i = 1; i <= 3; ++i) {
    co_await writer.event(std::to_string(i), "job", "{}");
  }
  co_await writer.heartbeat();
  // A client that sent more than was read can not be seen to leave, so this does not wait for ever.
  auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::awaitable<bool> dozing = doze(executor);
  const bool gone = !co_await wait_unless_gone(*peer, std::move(dozing));
  co_return !gone;
}

Answer events(Request& request) {
  Reply reply;
  reply.content_type = "text/event-stream";
  reply.events = [peer = request.peer](EventWriter& writer) { return tell_events(peer, writer); };
  co_return reply;
}

boost::asio::awaitable<bool> tell_pieces(PieceWriter& writer) {
  for (std::size_t i = 0; i < 40; ++i) {
    const bool written = co_await writer.piece(std::string(i * i, 'p'));
    if (!written) {
      co_return false;
    }
  }
  co_return true;
}

Answer pieces(Request&) {
  Reply reply;
  reply.content_type = "application/x-ndjson";
  reply.pieces = [](PieceWriter& writer) { return tell_pieces(writer); };
  co_return reply;
}

Answer wait(Request& request) {
  auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::awaitable<bool> dozing = doze(executor);
  const bool whole = co_await wait_unless_gone(*request.peer, std::move(dozing));
  Reply reply;
  reply.body = whole ? "true" : "false";
  co_return reply;
}

boost::asio::awaitable<Result<Caller>> authenticate(std::string token) {
  Caller caller;
  caller.name = token;
  caller.role = token == "s" ? Role::submitter : Role::viewer;
  if (token != "s" && token != "v") {
    co_return fail(ErrorCode::unauthenticated, "the token is not known");
  }
  co_return caller;
}

Router make_routes() {
  const Roles all{Role::viewer, Role::submitter};
  const Roles submitters{Role::submitter};
  Router router;
  router.add({.path = "/", .any_query = true, .handler = greet});
  router.add({.path = "/health", .handler = greet});
  router.add({.path = "/things/{id}", .roles = all, .query = {"a", "limit"}, .handler = greet});
  router.add({.method = HttpMethod::put,
              .path = "/things/{id}",
              .roles = submitters,
              .body = BodyKind::json,
              .body_limit = 1000,
              .handler = read_document});
  router.add({.method = HttpMethod::post,
              .path = "/things/{id}/poke",
              .roles = submitters,
              .body = BodyKind::optional_json,
              .handler = read_document});
  router.add({.method = HttpMethod::remove,
              .path = "/things/{id}",
              .roles = submitters,
              .handler = greet});
  router.add({.method = HttpMethod::put,
              .path = "/files/{id}",
              .roles = submitters,
              .body = BodyKind::octets,
              .body_limit = 3000,
              .handler = upload});
  router.add({.method = HttpMethod::patch,
              .path = "/files/{id}",
              .roles = submitters,
              .body = BodyKind::octets,
              .body_limit = 3000,
              .handler = upload});
  router.add({.path = "/files/{id}", .roles = all, .handler = download});
  router.add({.path = "/talk",
              .roles = submitters,
              .body = BodyKind::messages,
              .body_limit = 500,
              .handler = talk});
  router.add({.path = "/wait", .roles = all, .handler = wait});
  router.add({.path = "/pieces", .roles = all, .handler = pieces});
  router.add({.path = "/events", .roles = all, .handler = events});
  return router;
}

class World {
 public:
  World() : router_(make_routes()) {
    set_log_level(LogLevel::off);
    HttpOptions options;
    options.limits.header_bytes = 2048;
    options.limits.token.requests_per_second = 0;  // none, or answers would depend on the time
    HttpHooks hooks;
    hooks.authenticate = authenticate;
    hooks.finished = [this](const RequestRecord& record) {
      told_.push_back({std::string(record.method), record.status});
    };
    Result<std::unique_ptr<HttpServer>> made =
        HttpServer::listen(context_.get_executor(), options, router_, std::move(hooks));
    FUZZ_CHECK(made.has_value());
    server_ = *std::move(made);
    server_->start();
  }

  // What the server told of, when it was sent this in pieces of `piece` bytes.
  const std::vector<Told>& converse(std::string_view script, bool vanish, std::size_t piece) {
    told_.clear();
    heard_.clear();
    connect();
    while (!script.empty()) {
      const std::size_t end = std::min(script.find(kPause), script.size());
      for (std::size_t at = 0; at < end; at += piece) {
        send(script.substr(at, std::min(piece, end - at)));
        while (context_.poll() > 0) {
        }
      }
      listen_while_it_speaks();
      script.remove_prefix(std::min(end + kPause.size(), script.size()));
    }
    if (vanish) {
      const linger at_once{1, 0};
      ::setsockopt(client_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    } else {
      ::shutdown(client_.get(), SHUT_WR);
      listen_to_the_end();
    }
    client_.reset();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (server_->connections() > 0) {
      context_.run_one_for(std::chrono::milliseconds(100));
      FUZZ_CHECK(std::chrono::steady_clock::now() < until);
    }
    HttpReplies(heard_, told_, vanish).check();
    return told_;
  }

 private:
  void connect() {
    client_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    FUZZ_CHECK(
        ::connect(client_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const int at_once = 1;
    ::setsockopt(client_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    while (server_->connections() == 0) {
      context_.run_one_for(std::chrono::seconds(1));
    }
  }

  // A server that closed already is no fault.
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent =
          ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno != EAGAIN) {
        return;
      }
      context_.poll();
    }
  }

  // Whether something came; `ended` once nothing will any more.
  bool hear(bool& ended) {
    char piece[65536];
    const ssize_t got = ::recv(client_.get(), piece, sizeof piece, MSG_DONTWAIT);
    if (got > 0) {
      heard_.append(piece, static_cast<std::size_t>(got));
      return true;
    }
    ended = got == 0 || errno != EAGAIN;
    return false;
  }

  void listen_while_it_speaks() {
    bool ended = false;
    while (context_.poll() > 0 || hear(ended)) {
    }
  }

  void listen_to_the_end() {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (bool ended = false; !ended;) {
      if (!hear(ended) && !ended) {
        context_.run_one_for(std::chrono::milliseconds(1));
        FUZZ_CHECK(std::chrono::steady_clock::now() < until);
      }
    }
  }

  boost::asio::io_context context_{1};
  Router router_;
  std::unique_ptr<HttpServer> server_;
  UniqueFd client_;
  std::string heard_;
  std::vector<Told> told_;
};

// That what came in pieces was answered as what came whole, up to where that may depend on the
// pieces: a head that is none may be seen to be so sooner or later (400, or 431 once it is too
// long), and a WebSocket (101) takes all that follows.
void check_alike(const std::vector<Told>& whole, const std::vector<Told>& pieces) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const int status = whole[i].status;
    if (status == 400 || status == 101) {
      return;
    }
    FUZZ_CHECK(i < pieces.size());
    if (status == 431 && pieces[i].status == 400) {
      return;
    }
    FUZZ_CHECK(pieces[i].status == status && pieces[i].method == whole[i].method);
  }
  FUZZ_CHECK(pieces.size() == whole.size() || pieces[whole.size()].status == 400);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto* const world = new hone::World;  // its threads last as long as the process
  if (size == 0) {
    return 0;
  }
  const std::string_view script(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool vanish = data[0] % 8 == 7;
  const std::size_t piece = data[0] / 8;
  const std::vector<hone::Told> whole = world->converse(script, vanish, std::max(size, piece));
  if (!vanish && piece > 0) {
    hone::check_alike(whole, world->converse(script, false, piece));
  }
  return 0;
}
