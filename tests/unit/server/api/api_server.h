// The real API on an ephemeral port over a real private PostgreSQL, on a thread of its own.
//
// One for all tests of the program: they use names of their own and so do not meet.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/client/client.h"
#include "server/api/api.h"
#include "server/jobs/background.h"
#include "server/sessions/log_writer.h"
#include "server/sessions/sessions.h"
#include "server/store/cluster/private_cluster.h"
#include "tests/support/raw_http_client.h"

namespace hone {

class ApiServer {
 public:
  static ApiServer& instance();

  std::uint16_t port() const { return server_->port(); }
  const Router& router() const { return *router_; }
  std::string url() const { return "http://" + server_->address(); }
  // The token of a role; one for all uses.
  const std::string& token(Role role) const { return tokens_.at(static_cast<std::size_t>(role)); }
  // A client with that role's token.
  Client client(Role role = Role::admin) const;

  // Runs a coroutine of the store on the server's thread and waits for it.
  template <class T>
  Result<T> on_store(std::function<Async<T>(Store&)> work) {
    return boost::asio::co_spawn(
               context_, [&]() { return work(*store_); }, boost::asio::use_future)
        .get();
  }
  // Runs a coroutine over an API of its own, with other options over the same store, on the
  // server's thread and waits for it.
  template <class T>
  Result<T> on_api(const ApiOptions& options, std::function<Async<T>(Api&)> work) {
    return boost::asio::co_spawn(
               context_, [&]() { return on_api_here<T>(options, work); }, boost::asio::use_future)
        .get();
  }
  // Ends the leases whose time is over, as the sweeper does every second.
  std::vector<EndedLease> sweep();

  // SQL beside the server, as an administrator would; gives the first column of the first row.
  std::string sql(const std::string& text) const;

  std::string database_url() const { return cluster_->database_url(); }
  // Where uploads come in.
  std::filesystem::path uploads() const { return folder_.path() / "artifacts" / "uploads"; }
  // Until what the session log holds is in the database.
  void wait_for_log();
  // As if honed had been told to stop.
  void set_draining(bool draining);
  // Of the running session server.
  pid_t session_server() const { return sessions_->host.process(); }

  // A raw request; gives the raw answer.
  RawResponse ask(const std::string& method, const std::string& target, const std::string& headers,
                  const std::string& body = "", Role role = Role::admin) const;
  // The same with any token.
  RawResponse ask_as(const std::string& secret, const std::string& method,
                     const std::string& target, const std::string& headers,
                     const std::string& body = "") const;

  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

 private:
  template <class T>
  Async<T> on_api_here(ApiOptions options, std::function<Async<T>(Api&)> work) {
    Api api{*store_, *artifacts_, metrics_, options, {}};
    Async<T> working = work(api);
    Result<T> done = co_await std::move(working);
    co_return done;
  }
  ApiServer();
  boost::asio::awaitable<void> start(std::promise<void>* started);
  boost::asio::awaitable<void> stop();

  TemporaryFolder folder_;
  boost::asio::io_context context_{1};
  Metrics metrics_;
  std::unique_ptr<PrivateCluster> cluster_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Artifacts> artifacts_;
  std::optional<Claimer> claimer_;
  std::optional<Gatherer<Completion>> completions_;
  std::optional<Sessions> sessions_;
  std::optional<Background> background_;
  std::optional<LogWriter> log_writer_;
  std::optional<Api> api_;
  std::optional<Router> router_;
  std::unique_ptr<HttpServer> server_;
  std::vector<std::string> tokens_;
  std::thread thread_;
};

// A problem document, after checking that the response is one and names its status.
Json problem_of(const RawResponse& response);
// Pointers of the fields that it names.
std::vector<std::string> pointers_of(const Json& problem);

// A target that needs nothing outside: registered by its name.
Json simple_target(const std::string& name);
void register_target(const std::string& name);
// A campaign's or job's rule that tunes everything.
Json knob_rule(int count);
// A result as a worker reports it.
Json ok_result(double value, double low, const std::string& verdict);

// A text of a document; one that is missing, or no text, fails the test.
inline std::string text_of(const Json& document, const char* key) {
  return document.at(key).get<std::string>();
}

}  // namespace hone
