// hone up: the coordinator and a worker on this machine, until Ctrl-C.
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/child_process.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/local_services.h"
#include "common/protocol/locations.h"
#include "common/protocol/worker.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kWatchPause{100};
constexpr std::chrono::seconds kStopPatience{40};

Result<std::filesystem::path> prepare_data_folder(const UpOptions& options) {
  std::filesystem::path data =
      options.data.empty() ? default_data_folder() : std::filesystem::path(options.data);
  if (data.empty()) {
    return fail(ErrorCode::invalid_argument, "there is no home folder: give --data DIR");
  }
  std::error_code error;
  data = std::filesystem::absolute(data, error).lexically_normal();
  std::filesystem::create_directories(data.parent_path(), error);
  // Builds and the database run as other users below the folder: they may pass, not look.
  if (::mkdir(data.c_str(), 0711) != 0 && errno != EEXIST) {
    return system_error("cannot make " + data.string(), errno);
  }
  if (::mkdir((data / "logs").c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("cannot make " + (data / "logs").string(), errno);
  }
  return data;
}

void announce(const CommandContext& context, const UpOptions& options, const Server& server,
              const std::filesystem::path& data) {
  const std::string& url = server.url;
  const std::filesystem::path token = data / kAdminTokenFile;
  if (context.json) {
    Json event = Json::object();
    event["event"] = "ready";
    event["url"] = url;
    event["token_file"] = token.string();
    event["data"] = data.string();
    event["slots"] = options.no_worker ? 0 : (options.slots == 0 ? default_slots() : options.slots);
    print(dump_json(event) + "\n");
    return;
  }
  print(fmt::format("honed    {}, data in {}\n", url, data.string()));
  if (!options.no_worker) {
    const std::size_t slots = options.slots == 0 ? default_slots() : options.slots;
    print(fmt::format("worker   {}, {} benchmark{} at a time\n", options.name, slots,
                      slots == 1 ? "" : "s"));
  }
  print(fmt::format("page     {}/ (asks for a token)\n", url));
  print(fmt::format("token    {} (role admin)\nlogs     {}\n", token.string(),
                    (data / "logs").string()));
  if (url != kDefaultUrl || data != default_data_folder()) {
    print(fmt::format("\nFor other terminals:\n  export HONE_URL={} HONE_TOKEN_FILE={}{}{}\n", url,
                      token.string(),
                      server.tls.ca.empty() ? "" : " HONE_CA_FILE=", server.tls.ca.string()));
  }
  print("\nCtrl-C stops both.\n");
}

// Until a stop request (success) or one of the two ends.
Result<void> watch(ChildProcess& honed, std::optional<ChildProcess>& worker,
                   const std::stop_token& stop) {
  while (sleep_unless_stopped(kWatchPause, stop)) {
    if (const auto how = honed.ended()) {
      return ended_early("honed", honed, *how);
    }
    if (worker) {
      if (const auto how = worker->ended()) {
        return ended_early("hone-worker", *worker, *how);
      }
    }
  }
  return {};
}

Result<int> up(const CommandContext& context, const UpOptions& options) {
  HONE_TRY(const std::filesystem::path data, prepare_data_folder(options));
  const std::filesystem::path address_file = data / kAddressFile;
  const FileIdentity old_address = file_identity(address_file);
  Server server;
  HONE_TRY(server.tls, resolve_client_tls(context.server));
  HONE_TRY(ChildProcess honed, start_honed(options, data, data / "logs" / "honed.log"));
  std::optional<ChildProcess> worker;

  const auto serve = [&]() -> Result<void> {
    HONE_TRY(const std::string address,
             wait_for_address(honed, address_file, old_address, context.stop));
    server.url = (options.tls_cert.empty() ? "http://" : "https://") + address;
    HONE_CHECK(wait_until_ready(honed, server, context.stop));
    if (!options.no_worker) {
      HONE_TRY(ChildProcess started,
               start_worker(options, server, data, data / "logs" / "worker.log"));
      worker.emplace(std::move(started));
    }
    announce(context, options, server, data);
    return watch(honed, worker, context.stop);
  };
  const Result<void> served = serve();

  // The worker first, so that it can hand its leases back.
  bool clean = true;
  if (worker) {
    clean = worker->stop(kStopPatience) && clean;
  }
  clean = honed.stop(kStopPatience) && clean;
  const bool stopped = context.stop.stop_requested();
  if (!served && (served.error().code != ErrorCode::cancelled || !stopped)) {
    return served.error();
  }
  if (!clean) {
    fmt::print(stderr, "hone: not everything stopped cleanly, see {}\n", (data / "logs").string());
    return 1;
  }
  if (!context.json) {
    print("Stopped.\n");
  }
  return kExitOk;
}

}  // namespace

void add_up(CLI::App& app, CommandContext& context) {
  CLI::App* const running =
      app.add_subcommand("up", "Run the coordinator and a worker on this machine until Ctrl-C");
  const auto options = std::make_shared<UpOptions>();
  running->add_option(
      "--data", options->data,
      fmt::format("Folder of all data [default: {}]", default_data_folder().string()));
  running->add_option("--listen", options->listen,
                      "Address and port; port 0 takes a free one [default: 127.0.0.1:7077]");
  running->add_option("--database", options->database,
                      "PostgreSQL to use instead of a private one (postgresql:// URL)");
  running->add_option("--tls-cert", options->tls_cert,
                      "Speak HTTPS with this certificate (PEM), which names the address that is "
                      "listened on; --ca says whom the worker trusts");
  running->add_option("--tls-key", options->tls_key, "The certificate's key (PEM)");
  running->add_option("--tls-client-ca", options->tls_client_ca,
                      "Ask clients for certificates, which must be signed by one of these (PEM); "
                      "--cert and --key are the worker's");
  running
      ->add_option("--slots", options->slots,
                   "Benchmarks at a time [default: one for every two processors]")
      ->check(CLI::Range(std::int64_t{1}, kMostSlots));
  running->add_option("--name", options->name, "The worker's name")->capture_default_str();
  running->add_option("--job-user", options->job_user,
                      "User that all builds and benchmarks run as, when run by root [default: a "
                      "user without account for each slot]");
  running->add_option("--share", options->shared,
                      "File or folder that jobs may read besides the system and their own folders; "
                      "may be repeated");
  running->add_flag("--require-sandbox", options->require_sandbox,
                    "Do not start unless this machine lets jobs be locked in completely");
  running->add_flag("--no-worker", options->no_worker, "The coordinator alone");
  running->callback([&context, options] {
    context.action = [&context, options] { return up(context, *options); };
  });
}

}  // namespace hone
