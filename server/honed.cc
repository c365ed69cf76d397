#include "server/honed.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/base/log.h"
#include "common/base/token.h"
#include "common/protocol/machine_info.h"
#include "server/api/api.h"
#include "server/campaigns/controller.h"
#include "server/canaries/budget_watch.h"
#include "server/canaries/canary_controller.h"
#include "server/data_folder.h"
#include "server/descriptor_limit.h"
#include "server/disk_guard.h"
#include "server/first_token.h"
#include "server/http/http_server.h"
#include "server/http/tls_identity.h"
#include "server/jobs/artifact_sweeper.h"
#include "server/jobs/background.h"
#include "server/jobs/claimer.h"
#include "server/jobs/gatherer.h"
#include "server/jobs/lease_sweeper.h"
#include "server/jobs/retention.h"
#include "server/jobs/upload_sweeper.h"
#include "server/sessions/log_writer.h"
#include "server/sessions/session_compiler.h"
#include "server/sessions/session_expiry.h"
#include "server/store/audited_store.h"
#include "server/store/cluster/private_cluster.h"

namespace hone {
namespace {

namespace asio = boost::asio;
constexpr auto kToken = asio::as_tuple(asio::use_awaitable);

constexpr std::chrono::milliseconds kGrace{10'000};
// How long PostgreSQL may take to write what it has in memory; one that hangs writes nothing.
constexpr std::chrono::seconds kClusterPatience{30};
constexpr std::chrono::seconds kHungPatience{2};
constexpr std::chrono::milliseconds kCampaignInterval{2'000};
constexpr std::chrono::milliseconds kCertificateInterval{2'000};
constexpr std::chrono::milliseconds kCanaryInterval{1'000};
// That ask Prometheus, each at most 5 s: so many silent ones leave the other services alone.
constexpr std::size_t kCanaryThreads = 8;
constexpr std::size_t kBudgetThreads = 4;  // likewise, so that canaries wait for no other service

// One run of honed. Everything happens on the thread that runs context_.
class Honed {
 public:
  Honed(const HonedOptions& options, DataFolder folder)
      : options_(options),
        folder_(std::move(folder)),
        signals_(context_, SIGINT, SIGTERM),
        hangups_(context_, SIGHUP, SIGUSR1, SIGUSR2),
        stop_(context_),
        drained_(context_),
        background_(context_.get_executor(), [this] {
          request_stop(fail(ErrorCode::internal, "a part of honed failed; its log says which"));
        }) {
    stop_.expires_at(asio::steady_timer::time_point::max());
  }

  Result<void> run() {
    std::optional<Result<void>> end;
    wait_for_signal();
    wait_for_hangup();
    asio::co_spawn(context_, live(), [&](const std::exception_ptr& failure, Result<void> result) {
      if (failure != nullptr) {
        result = fail(ErrorCode::internal, "honed failed");
      }
      end.emplace(std::move(result));
      context_.stop();
    });
    context_.run();
    return end ? *end : failure_;
  }

  // Whether a request outlasted the stop: it uses what is here.
  bool is_used() const { return server_ && server_->connections() > 0; }

 private:
  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) {
        return;
      }
      log_info("stopping", {{"signal", number}});
      if (stop_requested_ && server_) {
        server_->abort();  // the second one: no more grace
        drained_.cancel();
      }
      request_stop(Result<void>());
      wait_for_signal();
    });
  }

  // What tools send to daemons to have them read their files again ends none.
  void wait_for_hangup() {
    hangups_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) {
        return;
      }
      if (number == SIGHUP && tls_) {
        tls_->reload();
      } else {
        log_info("signal_ignored", {{"signal", number}});
      }
      wait_for_hangup();
    });
  }

  // Certificates are renewed without a word to us.
  static asio::awaitable<void> watch_certificate(TlsIdentity& identity, Background& background) {
    while (!background.stopping()) {
      co_await background.sleep(kCertificateInterval);
      identity.look();
    }
  }

  void request_stop(Result<void> reason) {
    if (!stop_requested_) {
      failure_ = std::move(reason);
    }
    stop_requested_ = true;
    if (api_) {
      api_->draining = true;
    }
    stop_.cancel();
  }

  asio::awaitable<Result<void>> live() {
    const Result<void> started = co_await start();
    if (started.has_value() && !stop_requested_) {
      co_await stop_.async_wait(kToken);
    }
    co_await shut_down();
    co_return started.has_value() ? failure_ : started;
  }

  asio::awaitable<Result<void>> start() {
    const Result<void> database = co_await start_database();
    HONE_CO_CHECK(database);
    if (stop_requested_) {
      co_return Result<void>();
    }
    ArtifactsOptions place;
    place.place = options_.artifacts;
    place.local = folder_.artifacts();
    place.max_bytes = options_.max_artifact_bytes;
    place.reserve_bytes = options_.min_free_bytes;
    Result<std::unique_ptr<Artifacts>> artifacts = co_await open_artifacts(std::move(place));
    HONE_CO_TRY(artifacts_, std::move(artifacts));
    AuditedStore audited(*store_, AuditEntry{.action = "token.create", .kind = "token"});
    const Result<void> token = co_await ensure_first_token(audited.tokens(), folder_);
    HONE_CO_CHECK(token);

    ApiOptions api;
    api.lease_seconds = options_.lease_seconds;
    api.queued_jobs = options_.max_queued_jobs;
    api.artifact_days = options_.artifact_days;
    api_.emplace(Api{*store_, *artifacts_, metrics_, api, {}});
    api_->data_folder = folder_.path();
    ClaimerOptions claims;
    claims.took = [this](double seconds) { metrics_.claim_took(seconds); };
    claimer_.emplace(context_.get_executor(), *store_, std::move(claims));
    api_->claimer = &*claimer_;
    completions_.emplace(context_.get_executor(), [this](std::vector<Completion> completions) {
      return store_->jobs(Lane::work).complete_many(std::move(completions));
    });
    api_->completions = &*completions_;
    serve_sessions();
    router_.emplace(make_router(*api_));
    HONE_CO_TRY(HttpOptions http, http_options());
    HONE_CO_TRY(server_, HttpServer::listen(context_.get_executor(), std::move(http), *router_,
                                            http_hooks()));
    api_->http_connections = [this] { return server_ ? server_->connections() : 0; };
    SweeperOptions sweeper;
    sweeper.lease_seconds = options_.lease_seconds;
    background_.spawn("leases",
                      sweep_leases(*store_, background_, sweeper,
                                   [this](const EndedLease&) { metrics_.lease_ended("expired"); }));
    background_.spawn("artifacts", sweep_artifacts(*store_, *artifacts_, background_,
                                                   {.unused_days = options_.artifact_days}));
    background_.spawn("uploads", sweep_uploads(*store_, *artifacts_->spool, background_, {}));
    background_.spawn("retention", keep_removing(
                                       *store_, background_, options_.retention, RetentionTimes(),
                                       [this](Retained what, std::int64_t rows) {
                                         metrics_.removed(to_string(what), rows);
                                       },
                                       [this] { metrics_.retention_finished(); }));
    canary_threads_.emplace(kCanaryThreads);
    CanaryWorld world = real_canary_world(context_.get_executor(), canary_threads_->gate());
    world.window_taken = [this](WindowOutcome outcome) {
      metrics_.canary_window(to_string(outcome));
    };
    world.reward_failed = [this](bool passing) { metrics_.canary_reward_failed(passing); };
    canaries_.emplace(*store_, std::move(world), random_hex(8));
    budget_threads_.emplace(kBudgetThreads);
    budgets_.emplace(*store_, real_canary_world(context_.get_executor(), budget_threads_->gate()));
    background_.spawn("budgets", run_budget_watch(*budgets_, background_));
    background_.spawn("canaries", run_canaries(*canaries_, background_, kCanaryInterval));
    background_.spawn("campaigns", run_campaigns(*store_, background_, kCampaignInterval));
    server_->start();
    HONE_CO_CHECK(folder_.write_address(server_->address()));
    std::printf("honed listens on %s://%s\n", tls_ ? "https" : "http", server_->address().c_str());
    std::fflush(stdout);
    if (!tls_ && !options_.address.starts_with("127.") && options_.address != "::1") {
      log_warning("listens_beyond_loopback",
                  {{"address", options_.address},
                   {"advice",
                    "tokens travel unencrypted: give --tls-cert and --tls-key, or put a TLS proxy "
                    "or a tunnel in front"}});
    }
    log_info("started", {{"address", server_->address()}, {"data", folder_.path().string()}});
    co_return Result<void>();
  }

  HttpHooks http_hooks() {
    HttpHooks hooks = make_hooks(*store_, metrics_);
    hooks.cut = [this] { end_sessions(); };
    return hooks;
  }

  // A step may take longer than anybody waits for a stop.
  void end_sessions() {
    if (sessions_) {
      sessions_->log.end_all("honed stopped");
      sessions_->host.stop();
    }
  }

  Result<HttpOptions> http_options() {
    HttpOptions http;
    http.address = options_.address;
    http.port = options_.port;
    http.allowed_hosts = options_.allowed_hosts;
    http.limits.connections = static_cast<std::size_t>(options_.max_connections);
    http.limits.token = {static_cast<double>(options_.rate_limit),
                         static_cast<std::size_t>(options_.max_token_requests),
                         static_cast<std::size_t>(options_.max_token_streams),
                         static_cast<std::size_t>(options_.max_token_requests)};
    http.require_worker_certificate = options_.require_worker_certificate;
    if (!options_.tls_cert.empty()) {
      HONE_TRY(TlsIdentity identity,
               TlsIdentity::load({options_.tls_cert, options_.tls_key, options_.tls_client_ca}));
      tls_.emplace(std::move(identity));
      http.tls = [this] { return tls_->context(); };
      background_.spawn("certificate", watch_certificate(*tls_, background_));
    }
    return http;
  }

  // Where hone-session is installed; without it the API says that there are none.
  void serve_sessions() {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::filesystem::path program = self.parent_path() / "hone-session";
    if (failed || !std::filesystem::exists(program, failed)) {
      log_info("no_sessions", {{"missing", program.string()}});
      return;
    }
    const Result<std::string> compiler = session_compiler(program);
    if (!compiler) {
      log_warning("session_compiler_unknown", {{"why", compiler.error().message}});
    }
    sessions_.emplace(context_.get_executor(), SessionHostOptions{program, {}}, SessionLimits{},
                      LogPlace{machine_info(), compiler ? *compiler : "unknown"});
    api_->sessions = &*sessions_;
    background_.spawn("sessions", expire_sessions(*sessions_, background_));
    background_.spawn("session_owners", watch_owners(*sessions_, *store_, background_));
    log_writer_.emplace(context_.get_executor(), sessions_->log.queue(), [this](LogBatch batch) {
      return store_->transitions().add(std::move(batch));
    });
    background_.spawn("session_log", log_writer_->run(background_));
  }

  asio::awaitable<Result<void>> start_database() {
    StoreOptions store;
    store.database_url = options_.database_url;
    if (store.database_url.empty()) {
      ClusterOptions cluster;
      cluster.folder = folder_.postgres();
      Result<std::unique_ptr<PrivateCluster>> started =
          co_await PrivateCluster::start(std::move(cluster));
      HONE_CO_TRY(cluster_, std::move(started));
      store.database_url = cluster_->database_url();
      background_.spawn("postgres", supervise());
    }
    Result<std::unique_ptr<Store>> opened =
        co_await Store::open(context_.get_executor(), std::move(store));
    HONE_CO_TRY(store_, std::move(opened));
    if (cluster_) {
      background_.spawn("disk", guard_disk(*store_, background_, {folder_.postgres()}));
    }
    co_return Result<void>();
  }

  asio::awaitable<void> supervise() {
    const Result<void> ended = co_await cluster_->supervise();
    if (!ended.has_value()) {
      request_stop(ended);
    }
  }

  // In the order in which each part is no longer needed by the ones before it.
  asio::awaitable<void> shut_down() {
    stop_requested_ = true;
    if (server_ && options_.drain_seconds > 0) {
      // Who asks whether we are ready sends its clients elsewhere meanwhile.
      drained_.expires_after(std::chrono::seconds(options_.drain_seconds));
      co_await drained_.async_wait(kToken);
    }
    if (server_) {
      co_await server_->stop(kGrace);
    }
    end_sessions();
    background_.request_stop();
    if (canary_threads_) {
      // What is being asked of a Prometheus is the last: slow ones would hold the stop up.
      canary_threads_->gate()->threads = nullptr;
    }
    if (budget_threads_ && budgets_) {
      budgets_->stop();
      budget_threads_->gate()->threads = nullptr;
    }
    if (claimer_) {
      claimer_->stop();
    }
    bool hangs = false;
    if (store_) {
      const Result<void> answer = co_await store_->ping();
      hangs = !answer.has_value();
    }
    if (log_writer_) {
      co_await log_writer_->finish(hangs ? kHungPatience : kGrace);
    }
    if (store_) {
      store_->close();
    }
    if (store_ && hangs) {
      log_warning("database_hangs", {{"advice", "what it was asked last may not be done"}});
      store_->cut();
    }
    if (cluster_) {
      const Result<void> stopped =
          co_await cluster_->stop(hangs ? kHungPatience : kClusterPatience);
      if (!stopped.has_value()) {
        log_error("postgres_stop_failed", {{"reason", stopped.error().message}});
      }
    }
    co_await background_.join();
    signals_.cancel();
    hangups_.cancel();
    log_info("stopped");
  }

  const HonedOptions& options_;
  DataFolder folder_;
  asio::io_context context_{1};
  asio::signal_set signals_;
  asio::signal_set hangups_;
  asio::steady_timer stop_;     // cancelled when a stop is requested
  asio::steady_timer drained_;  // cancelled when a second one is
  Background background_;
  Metrics metrics_;
  std::unique_ptr<PrivateCluster> cluster_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Artifacts> artifacts_;
  std::optional<BlockingPool> canary_threads_;
  std::optional<CanaryController> canaries_;
  std::optional<BlockingPool> budget_threads_;
  std::optional<BudgetWatch> budgets_;
  std::optional<Claimer> claimer_;
  std::optional<Gatherer<Completion>> completions_;
  std::optional<Sessions> sessions_;
  std::optional<LogWriter> log_writer_;
  std::optional<Api> api_;
  std::optional<Router> router_;
  std::optional<TlsIdentity> tls_;
  std::unique_ptr<HttpServer> server_;
  Result<void> failure_;
  bool stop_requested_ = false;
};

}  // namespace

Result<void> run_honed(const HonedOptions& options) {
  HONE_TRY(DataFolder folder, DataFolder::open(options.data));
  std::error_code ignored;
  if (std::filesystem::exists(folder.unfinished_restore(), ignored)) {
    return fail(ErrorCode::conflict,
                "a restore into " + folder.path().string() +
                    " was cut short: empty the folder, and restore the backup again");
  }
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit(static_cast<std::size_t>(options.max_connections));
  auto honed = std::make_unique<Honed>(options, std::move(folder));
  Result<void> end = honed->run();
  if (honed->is_used()) {
    static_cast<void>(honed.release());  // ends with the process
  }
  return end;
}

}  // namespace hone
