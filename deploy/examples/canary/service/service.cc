// zstd_service: POST /compress?level=N and POST /decompress, one thread a connection. What is
// compressed comes back with its fingerprint (X-Fingerprint). Each answer says how long it took
// (Server-Timing: app;dur=MILLISECONDS), and the histogram counts the same number.
//
//   zstd_service --listen PORT --metrics PORT [--faults LIST]
//
// Loopback only. At most kConnections connections, kBody bytes a body, kIdle seconds of silence.
#include <time.h>
#include <zstd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "faults.h"
#include "fingerprint.h"
#include "metrics.h"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Clock = std::chrono::steady_clock;
using Reply = http::response<http::string_body>;

constexpr int kConnections = 256;
constexpr std::size_t kBody = std::size_t{4} << 20U;
constexpr timeval kIdle{.tv_sec = 60, .tv_usec = 0};

struct Service {
  Metrics& metrics;
  Faults faults;
  SlowTenth slow{};
  std::atomic<int> connections{0};
};

Reply answer_with(http::status status, std::string body) {
  Reply reply(status, 11);
  reply.set(http::field::content_type, "application/octet-stream");
  reply.body() = std::move(body);
  return reply;
}

std::string fingerprint_of(const std::string& text) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  char hex[34];
  std::snprintf(hex, sizeof hex, "%016llx%016llx",
                static_cast<unsigned long long>(words_fingerprint(bytes, text.size())),
                static_cast<unsigned long long>(slopes_fingerprint(bytes, text.size())));
  return hex;
}

Reply compress(const std::string& text, int level) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), level);
  if (ZSTD_isError(size) != 0) {
    return answer_with(http::status::internal_server_error, ZSTD_getErrorName(size));
  }
  packed.resize(size);
  Reply reply = answer_with(http::status::ok, std::move(packed));
  reply.set("X-Fingerprint", fingerprint_of(text));
  return reply;
}

Reply decompress(const std::string& packed) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kBody) {
    return answer_with(http::status::bad_request, "no zstd frame of a known size");
  }
  std::string text(size, '\0');
  const std::size_t written =
      ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(written) != 0) {
    return answer_with(http::status::bad_request, ZSTD_getErrorName(written));
  }
  return answer_with(http::status::ok, std::move(text));
}

int level_of(std::string_view target) {
  const std::size_t at = target.find("?level=");
  const int level =
      at == std::string_view::npos ? 3 : std::atoi(std::string(target.substr(at + 7)).c_str());
  return level < 1 || level > 19 ? 3 : level;
}

Reply answer(const http::request<http::string_body>& request) {
  const std::string_view target(request.target().data(), request.target().size());
  if (target == "/healthz") {
    return answer_with(http::status::ok, "ok\n");
  }
  if (request.method() != http::verb::post) {
    return answer_with(http::status::method_not_allowed, "POST to /compress or /decompress\n");
  }
  if (target.starts_with("/compress")) {
    return compress(request.body(), level_of(target));
  }
  return target == "/decompress" ? decompress(request.body())
                                 : answer_with(http::status::not_found, "no such path\n");
}

// Processor time of this thread so far.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void serve(Service& service, asio::ip::tcp::socket socket) {
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &kIdle, sizeof kIdle);
  socket.set_option(asio::ip::tcp::no_delay(true));
  std::mt19937_64 random(std::random_device{}());
  beast::flat_buffer buffer;
  for (beast::error_code error; !error;) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(kBody);
    http::read(socket, buffer, parser, error);
    if (error) {
      return;
    }
    const auto start = Clock::now();
    const double worked = thread_seconds();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    Reply reply = answer(parser.get());
    if (suffer(service.faults, elapsed(), service.slow, random)) {
      reply = answer_with(http::status::internal_server_error, "planted\n");
    }
    const double seconds = elapsed();
    reply.set("Server-Timing", "app;dur=" + std::to_string(1000 * seconds));
    reply.keep_alive(parser.get().keep_alive());
    reply.prepare_payload();
    http::write(socket, reply, error);
    if (parser.get().target() != "/healthz") {
      service.metrics.served(seconds, thread_seconds() - worked, reply.result_int() >= 500);
    }
    if (!reply.keep_alive()) {
      return;
    }
  }
}

int run(unsigned short port, const std::string& metrics_address, const Faults& faults) {
  Metrics metrics(metrics_address);
  Service service{metrics, faults};
  if (faults.crash > 0) {
    std::thread([seconds = faults.crash] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      std::abort();
    }).detach();
  }
  asio::io_context context;
  asio::ip::tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), port});
  std::printf("serving\n");
  std::fflush(stdout);
  for (;;) {
    asio::ip::tcp::socket socket(context);
    acceptor.accept(socket);
    if (++service.connections > kConnections) {
      --service.connections;
      continue;
    }
    std::thread([&service, socket = std::move(socket)]() mutable {
      try {
        serve(service, std::move(socket));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "zstd_service: %s\n", error.what());
      }
      --service.connections;
    }).detach();
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string listen;
  std::string metrics;
  std::optional<Faults> faults = Faults{};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--listen") {
      listen = argv[i + 1];
    } else if (option == "--metrics") {
      metrics = argv[i + 1];
    } else if (option == "--faults") {
      faults = parse_faults(argv[i + 1]);
    }
  }
  const int port = std::atoi(listen.c_str());
  if (port < 1 || port > 65535 || metrics.empty() || !faults) {
    std::fprintf(stderr, "usage: zstd_service --listen PORT --metrics PORT [--faults LIST]\n");
    return 2;
  }
  try {
    return run(static_cast<unsigned short>(port), "127.0.0.1:" + metrics, *faults);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "zstd_service: %s\n", error.what());
    return 1;
  }
}
