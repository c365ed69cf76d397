// The REST client of our own programs: blocking calls with time limits against honed.
//
// Of several honeds over one database (endpoints.h) one is used until it does not answer, or says
// that it is unavailable; then the next one is, at once, and there is a pause only when all of them
// have failed. A stream goes on at the next one where it was cut off. Every request has a
// connection of its own, unless its caller keeps one (kept_connection.h), so that a Client holds no
// state between calls and may be used from several threads at once. Errors of the server
// arrive as the Error that its problem document describes; a server that does not answer is
// `unavailable`, one that answers too late `timed_out`, a stop request `cancelled`; one whose
// certificate is not trusted, or that does not trust ours, `permission_denied`. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/client/client_options.h"
#include "common/client/endpoints.h"
#include "common/json/document.h"

namespace boost::asio::ssl {
class context;
}

namespace hone {

class KeptConnection;
struct WireRequest;
using BodySink = std::function<Result<bool>(std::string_view piece)>;

struct HttpHeader {
  std::string name;
  std::string value;
};

// Which requests are sent again when the server was unavailable. A request that never reached it
// (connection refused) is always sent again.
enum class Retry {
  by_method,  // GET, PUT and DELETE; POST only with an Idempotency-Key header
  always,     // the caller knows that a repetition does no harm (completing a lease)
  never,
};

struct RequestOptions {
  std::vector<HttpHeader> headers{};
  std::optional<std::chrono::milliseconds> timeout{};  // instead of the client's; for long polls
  Retry retry = Retry::by_method;
  std::stop_token stop{};
  // The caller's, which stays open for its next request; null: one of the request's own.
  KeptConnection* connection = nullptr;
  // too_large for a longer answer, of which no more is read; by default kMaxReplyBytes.
  std::optional<std::uint64_t> most_reply_bytes{};
};

struct Response {
  int status = 0;
  std::vector<HttpHeader> headers;  // names in lower case
  std::string body;

  // The first header of this lower-case name, or "".
  std::string_view header(std::string_view name) const;
};

// One server-sent event.
struct ServerEvent {
  std::string id;
  std::string event;
  std::string data;
};

class Client {
 public:
  // Errors of Endpoints::parse for the options' url; invalid_argument for a file of options.tls
  // that cannot be used. Does not connect.
  static Result<Client> create(ClientOptions options);

  // `path` starts with '/' and may have a query. The body of a success as JSON; null for an empty
  // one (204). Everything but 2xx is an Error.
  Result<Json> get(std::string_view path, const RequestOptions& options = {}) const;
  Result<Json> post(std::string_view path, const Json& body,
                    const RequestOptions& options = {}) const;
  Result<Json> put(std::string_view path, const Json& body,
                   const RequestOptions& options = {}) const;
  Result<Json> remove(std::string_view path, const RequestOptions& options = {}) const;

  // The same with status and headers, for 201 against 200, ETag or text bodies.
  // `body` is empty for none. 304 counts as a success too. Method is in capitals.
  Result<Response> exchange(std::string_view method, std::string_view path, std::string_view body,
                            const RequestOptions& options = {}) const;

  // Makes the file's content known to the server as artifact `sha256`; sends it only if the server
  // does not hold it yet. A large file is sent piece by piece, and goes on where it was when the
  // connection was lost or the server restarted. invalid_argument if the content has another hash,
  // disk_full if the server has no room.
  Result<void> upload_file(const std::filesystem::path& path, std::string_view sha256,
                           const std::stop_token& stop = {}) const;

  // Writes the artifact to `path`, whole and with its hash checked or not at all; what one server
  // began and lost is fetched anew from the next. too_large past `limit` bytes.
  Result<void> download_file(std::string_view sha256, const std::filesystem::path& path,
                             std::uint64_t limit, const std::stop_token& stop = {}) const;

  // GET whose body, of whatever length, is given to `receive` as it comes; false from that ends the
  // reading, which is a success, as is the end. Not repeated: what was received stays so
  // (line_stream.h goes on where it was). unavailable when the connection is lost, timed_out after
  // a minute of silence.
  Result<void> stream(std::string_view path,
                      const std::function<Result<bool>(std::string_view piece)>& receive,
                      const std::stop_token& stop = {}) const;

  // Reads server-sent events until `receive` returns false (success), the server ends the stream
  // (success) or the stop token asks (cancelled). A lost connection is taken up again after the
  // last event seen; unavailable when that fails for longer than the client's retries.
  Result<void> events(std::string_view path, const std::function<bool(const ServerEvent&)>& receive,
                      const std::stop_token& stop = {}) const;

  // As it was given: one URL, or several with commas between them.
  const std::string& url() const { return options_.url; }
  const ClientOptions& options() const { return options_; }

 private:
  using TlsContexts = std::vector<std::shared_ptr<boost::asio::ssl::context>>;

  Client(ClientOptions options, Endpoints endpoints, TlsContexts tls);

  Result<void> download_once(std::string_view sha256, const std::filesystem::path& path,
                             std::uint64_t limit, const std::stop_token& stop) const;
  // `headers` with token and user agent added.
  std::vector<HttpHeader> headers_for(std::vector<HttpHeader> headers) const;
  // The file by an upload that can be interrupted; false if the server does not offer them.
  Result<bool> upload_resumably(const std::filesystem::path& path, std::string_view sha256,
                                std::int64_t size, const std::stop_token& stop) const;
  // The exchange with its repetitions; everything but 2xx and 304 is an Error.
  Result<Response> send(const WireRequest& request, const BodySink& sink, bool repeatable,
                        std::chrono::milliseconds limit, const std::stop_token& stop,
                        KeptConnection* connection = nullptr) const;

  ClientOptions options_;
  Endpoints endpoints_;
  TlsContexts tls_;  // of each endpoint; null with http://
};

// "a b/ü" as it stands in a path segment or query value: "a%20b%2F%C3%BC".
std::string percent_encode(std::string_view text);

}  // namespace hone
