#include "tests/unit/server/api/api_server.h"

#include <sys/stat.h>

#include "common/base/log.h"
#include "server/sessions/session_expiry.h"
#include "server/store/pg/pg_connection.h"
#include "tests/support/database.h"

namespace hone {
namespace {

constexpr std::int64_t kMaxArtifact = 1'000'000;

}  // namespace

ApiServer& ApiServer::instance() {
  static ApiServer server;
  return server;
}

ApiServer::ApiServer() : folder_(*TemporaryFolder::create("api-test")) {
  set_log_level(LogLevel::off);
  chmod(folder_.path().c_str(), 0711);  // PostgreSQL may run as another user
  std::promise<void> started;
  thread_ = std::thread([this, &started] {
    boost::asio::co_spawn(context_, start(&started), [&started](const std::exception_ptr& failure) {
      if (failure != nullptr) {
        started.set_exception(failure);
      }
    });
    const auto work = boost::asio::make_work_guard(context_);
    context_.run();
  });
  started.get_future().get();
}

ApiServer::~ApiServer() {
  boost::asio::co_spawn(context_, stop(), boost::asio::use_future).get();
  context_.stop();
  thread_.join();
}

boost::asio::awaitable<void> ApiServer::start(std::promise<void>* started) {
  ClusterOptions cluster;
  cluster.folder = folder_.path() / "postgres";
  Result<std::unique_ptr<PrivateCluster>> running = co_await PrivateCluster::start(cluster);
  cluster_ = std::move(running).value();
  StoreOptions options;
  options.database_url = cluster_->database_url();
  options.retry.first = std::chrono::milliseconds(0);  // what a test hands back, it leases again
  Result<std::unique_ptr<Store>> store = co_await Store::open(context_.get_executor(), options);
  store_ = std::move(store).value();
  ArtifactsOptions place;
  place.local = folder_.path() / "artifacts";
  place.max_bytes = kMaxArtifact;
  place.reserve_bytes = 0;
  Result<std::unique_ptr<Artifacts>> artifacts = co_await open_artifacts(std::move(place));
  artifacts_ = std::move(artifacts).value();
  for (const char* role : {"viewer", "submitter", "worker", "learner", "admin"}) {
    Result<NewToken> token = co_await store_->tokens().create(role, *parse_role(role));
    tokens_.push_back(std::move(token).value().secret);
  }
  api_.emplace(Api{*store_, *artifacts_, metrics_, {}, {}});
  api_->options.lease_seconds = 2;
  claimer_.emplace(context_.get_executor(), *store_);
  api_->claimer = &*claimer_;
  completions_.emplace(context_.get_executor(), [this](std::vector<Completion> completions) {
    return store_->jobs().complete_many(std::move(completions));
  });
  api_->completions = &*completions_;
  api_->options.event_heartbeat = std::chrono::milliseconds(300);
  sessions_.emplace(context_.get_executor(),
                    SessionHostOptions{HONE_BINARY_DIR "/bin/hone-session", {}},
                    SessionLimits{.per_token = 3, .all = 10},
                    LogPlace{{"host", "a processor", 2, 4096, "Linux"}, "LLVM 19"});
  api_->sessions = &*sessions_;
  background_.emplace(context_.get_executor(), [] { ADD_FAILURE() << "a task failed"; });
  log_writer_.emplace(
      context_.get_executor(), sessions_->log.queue(),
      [this](LogBatch batch) { return store_->transitions().add(std::move(batch)); },
      LogWriterOptions{.interval = std::chrono::milliseconds(20)});
  background_->spawn("session_owners", watch_owners(*sessions_, *store_, *background_));
  background_->spawn("session_log", log_writer_->run(*background_));
  router_.emplace(make_router(*api_));
  server_ = HttpServer::listen(context_.get_executor(), {}, *router_, make_hooks(*store_, metrics_))
                .value();
  server_->start();
  started->set_value();
}

boost::asio::awaitable<void> ApiServer::stop() {
  co_await server_->stop(std::chrono::seconds(1));
  background_->request_stop();
  claimer_->stop();
  co_await log_writer_->finish(std::chrono::seconds(5));
  sessions_->host.stop();
  store_->close();
  const Result<void> stopped = co_await cluster_->stop();
  EXPECT_TRUE(stopped.has_value());
}

Client ApiServer::client(Role role) const {
  ClientOptions options;
  options.url = url();
  options.token = token(role);
  options.retries = 0;
  return *Client::create(std::move(options));
}

void ApiServer::wait_for_log() {
  for (int i = 0; i < 250; ++i) {
    std::promise<bool> empty;
    boost::asio::post(context_, [&] { empty.set_value(sessions_->log.queue().empty()); });
    if (empty.get_future().get()) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ADD_FAILURE() << "the log is not written";
}

void ApiServer::set_draining(bool draining) {
  boost::asio::post(context_, boost::asio::use_future([&] { api_->draining = draining; })).get();
}

std::vector<EndedLease> ApiServer::sweep() {
  sql("UPDATE serving SET until = now() + interval '1 hour'");  // as if somebody noted it just now
  return on_store<std::vector<EndedLease>>(
             [](Store& store) { return store.jobs().expire_leases(); })
      .value();
}

std::string ApiServer::sql(const std::string& text) const {
  boost::asio::io_context context;
  PgConnectOptions options;
  options.url = database_url();
  auto connection =
      test::run_on(context, PgConnection::connect(context.get_executor(), std::move(options)));
  if (!connection) {
    throw std::runtime_error(connection.error().message);
  }
  const PgOutcome<PgResult> result = test::run_on(context, (*connection)->run(text));
  if (!result) {
    throw std::runtime_error(result.error().message);
  }
  return result->empty() ? std::string() : std::string(result->value(0, 0).value_or(""));
}

RawResponse ApiServer::ask(const std::string& method, const std::string& target,
                           const std::string& headers, const std::string& body, Role role) const {
  return ask_as(token(role), method, target, headers, body);
}

RawResponse ApiServer::ask_as(const std::string& secret, const std::string& method,
                              const std::string& target, const std::string& headers,
                              const std::string& body) const {
  RawHttpClient client(port());
  std::string text = method + " " + target +
                     " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                     "Authorization: Bearer " + secret + "\r\n" + headers;
  if (!body.empty()) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  client.send(text + "\r\n" + body);
  return client.receive(method == "HEAD");
}

Json problem_of(const RawResponse& response) {
  EXPECT_EQ(response.header("Content-Type"), "application/problem+json")
      << response.head << response.body;
  const Result<Json> document = parse_json(response.body);
  EXPECT_TRUE(document.has_value()) << response.body;
  if (!document.has_value()) {
    return Json::object();
  }
  EXPECT_EQ((*document)["status"], response.status);
  return *document;
}

std::vector<std::string> pointers_of(const Json& problem) {
  std::vector<std::string> pointers;
  for (const Json& error : problem.value("errors", Json::array())) {
    pointers.push_back(error["pointer"].get<std::string>());
  }
  return pointers;
}

Json simple_target(const std::string& name) {
  Json target = Json::parse(R"({
    "source": {"git": {"url": "/srv/product"}},
    "build": {"commands": [["make"]], "binaries": ["product"]},
    "benchmark": {"command": ["{build}/product"]}
  })");
  target["name"] = name;
  target["source"]["git"]["commit"] = std::string(40, 'a');
  return target;
}

void register_target(const std::string& name) {
  const Result<Json> put =
      ApiServer::instance().client().put("/v1/targets/" + name, simple_target(name));
  ASSERT_TRUE(put.has_value()) << put.error().describe();
}

Json knob_rule(int count) {
  return Json{{"source", "*"},
              {"pipeline", "default<O3>"},
              {"knobs", {{"unroll-count", std::to_string(count)}}}};
}

Json ok_result(double value, double low, const std::string& verdict) {
  Json samples = Json::array();
  for (int pair = 0; pair < 12; ++pair) {
    for (const char* role : {"baseline", "candidate"}) {
      samples.push_back({{"pair", pair},
                         {"position", role[0] == 'b' ? 0 : 1},
                         {"block", pair / 4},
                         {"layout", 0},
                         {"metric", "cpu_time"},
                         {"role", role},
                         {"value", 0.2 + 0.001 * pair}});
    }
  }
  return Json{
      {"outcome", "ok"},
      {"verdict", verdict},
      {"reward",
       {{"value", value},
        {"low", low},
        {"high", 2 * value - low},
        {"confidence", 0.95},
        {"pairs", 12},
        {"detectable_effect", 0.01},
        {"noise", 0.01}}},
      {"samples", samples},
      {"decisions",
       Json::array({{{"source", "a.c"}, {"output", "a.o"}, {"tuned", true}, {"meant", true}}})},
      {"toolchain", {{"compiler", "Debian clang version 19.1.7 (3+b1)"}}}};
}

}  // namespace hone
