// hone up: the coordinator and a worker on this machine, until Ctrl-C.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/child_process.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/log_message.h"
#include "build_integration/cli/text_table.h"
#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "common/base/text.h"
#include "common/base/token.h"
#include "common/protocol/locations.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kStartPatience{60};
constexpr std::chrono::milliseconds kWatchPause{100};
constexpr std::chrono::seconds kStopPatience{40};
constexpr std::string_view kWorkerTokenFile = "worker.token";
constexpr std::size_t kMaxSmallFile = 4096;

struct UpOptions {
  std::string data;
  std::string listen;
  std::string database;
  std::string name = "local";
  std::string job_user;
  std::vector<std::string> shared;
  std::size_t slots = 0;
  bool require_sandbox = false;
  bool no_worker = false;
};

// One benchmark for every two processors: the other one carries the builds and everything else, so
// that a measurement has a processor for itself.
std::size_t default_slots() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency() / 2);
}

// What it said of its options is what is wrong with ours.
Error ended_early(std::string_view program, ChildProcess& child, const std::string& how) {
  constexpr std::size_t kTail = std::size_t{64} << 10U;
  const std::string message = last_log_message(child.log_tail(kTail), program);
  if (!child.exit_code()) {
    // Killed, and so without a word: an error from before may be why, or not.
    return fail(ErrorCode::unavailable,
                fmt::format("{} ended: {}{}", program, how,
                            message.empty() ? "" : "; the last error in its log: " + message));
  }
  const bool bad_input = child.exit_code() == exit_code(ErrorCode::invalid_argument);
  return fail(bad_input ? ErrorCode::invalid_argument : ErrorCode::unavailable,
              message.empty() ? fmt::format("{} ended: {}", program, how)
                              : fmt::format("{} ended: {} ({})", program, message, how));
}

// What tells one writing of a file from another: a new one has another inode or time.
struct FileIdentity {
  ino_t inode = 0;
  timespec changed = {};
  bool operator==(const FileIdentity& other) const {
    return inode == other.inode && changed.tv_sec == other.changed.tv_sec &&
           changed.tv_nsec == other.changed.tv_nsec;
  }
};
FileIdentity identity_of(const std::filesystem::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? FileIdentity{status.st_ino, status.st_mtim}
                                            : FileIdentity{};
}

// The URL that honed says it listens on. A file left by an earlier run does not count.
Result<std::string> wait_for_address(ChildProcess& honed, const std::filesystem::path& file,
                                     const FileIdentity& before, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  while (sleep_unless_stopped(std::chrono::milliseconds(50), stop)) {
    if (const auto how = honed.ended()) {
      return ended_early("honed", honed, *how);
    }
    if (!(identity_of(file) == before)) {
      HONE_TRY(const std::string text, read_file(file, kMaxSmallFile));
      if (!trim(text).empty()) {
        return "http://" + std::string(trim(text));
      }
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(ErrorCode::timed_out,
                  fmt::format("honed did not start within {} s: {}", kStartPatience.count(),
                              last_log_message(honed.log_tail(), "honed")));
    }
  }
  return fail(ErrorCode::cancelled, "stopped while honed was starting");
}

Result<void> wait_until_ready(ChildProcess& honed, const Client& client,
                              const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  RequestOptions asking;
  asking.retry = Retry::never;
  asking.stop = stop;
  while (true) {
    if (const auto how = honed.ended()) {
      return ended_early("honed", honed, *how);
    }
    const Result<Response> ready = client.exchange("GET", "/readyz", "", asking);
    if (ready) {
      return {};
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return ready.error().within("honed does not become ready");
    }
    if (!sleep_unless_stopped(kWatchPause, stop)) {
      return fail(ErrorCode::cancelled, "stopped while honed was starting");
    }
  }
}

Result<Client> client_for(const std::string& url, const std::string& token) {
  ClientOptions options;
  options.url = url;
  options.token = token;
  return Client::create(std::move(options));
}

// A token of role worker in the data folder, made at the first start; a worker needs no more.
Result<std::filesystem::path> worker_token(const Client& admin, const std::filesystem::path& data,
                                           const std::string& name) {
  std::filesystem::path file = data / kWorkerTokenFile;
  if (const Result<std::string> token = read_token_file(file)) {
    HONE_TRY(const Client worker, client_for(admin.url(), *token));
    const Result<Json> answer = worker.get("/v1/targets?limit=1");
    if (answer || answer.error().code != ErrorCode::unauthenticated) {
      return file;
    }
  }
  Json body = Json::object();
  // The store may hold an older token of the plain name whose file is gone.
  body["name"] = fmt::format("worker-{}-{}", name, random_hex(4));
  body["role"] = "worker";
  HONE_TRY(const Json answer, admin.post("/v1/tokens", body));
  HONE_TRY(const std::string token, text_field_of(answer, "token"));
  HONE_CHECK(write_file_atomically(file, token + "\n", 0600));
  return file;
}

Result<ChildProcess> start_honed(const UpOptions& options, const std::filesystem::path& data,
                                 const std::filesystem::path& log) {
  HONE_TRY(const std::filesystem::path program, program_beside_us("honed"));
  std::vector<std::string> arguments = {program.string(), "--data", data.string()};
  if (!options.listen.empty()) {
    arguments.insert(arguments.end(), {"--listen", options.listen});
  }
  if (!options.database.empty()) {
    arguments.insert(arguments.end(), {"--database", options.database});
  }
  return ChildProcess::start(arguments, log);
}

Result<ChildProcess> start_worker(const UpOptions& options, const Client& admin,
                                  const std::filesystem::path& data,
                                  const std::filesystem::path& log) {
  HONE_TRY(const std::filesystem::path program, program_beside_us("hone-worker"));
  HONE_TRY(const std::filesystem::path launcher, program_beside_us("hone-cc"));
  HONE_TRY(const std::filesystem::path token, worker_token(admin, data, options.name));
  std::vector<std::string> arguments = {
      program.string(),
      "--url",
      admin.url(),
      "--token-file",
      token.string(),
      "--name",
      options.name,
      "--work",
      (data / "worker").string(),
      "--launcher",
      launcher.string(),
      "--slots",
      std::to_string(options.slots == 0 ? default_slots() : options.slots)};
  if (!options.job_user.empty()) {
    arguments.insert(arguments.end(), {"--job-user", options.job_user});
  }
  for (const std::string& path : options.shared) {
    arguments.insert(arguments.end(), {"--share", path});
  }
  arguments.insert(arguments.end(), {"--hide", data.string()});
  if (options.require_sandbox) {
    arguments.emplace_back("--require-sandbox");
  }
  return ChildProcess::start(arguments, log);
}

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

void announce(const CommandContext& context, const UpOptions& options, const std::string& url,
              const std::filesystem::path& data) {
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
    print(fmt::format("\nFor other terminals:\n  export HONE_URL={} HONE_TOKEN_FILE={}\n", url,
                      token.string()));
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
  const FileIdentity old_address = identity_of(address_file);
  HONE_TRY(ChildProcess honed, start_honed(options, data, data / "logs" / "honed.log"));
  std::optional<ChildProcess> worker;

  const auto serve = [&]() -> Result<void> {
    HONE_TRY(const std::string url,
             wait_for_address(honed, address_file, old_address, context.stop));
    HONE_TRY(const Client open, client_for(url, ""));
    HONE_CHECK(wait_until_ready(honed, open, context.stop));
    if (!options.no_worker) {
      HONE_TRY(const std::string token, read_token_file(data / kAdminTokenFile));
      HONE_TRY(const Client admin, client_for(url, token));
      HONE_TRY(ChildProcess started,
               start_worker(options, admin, data, data / "logs" / "worker.log"));
      worker.emplace(std::move(started));
    }
    announce(context, options, url, data);
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
  running
      ->add_option("--slots", options->slots,
                   "Benchmarks at a time [default: one for every two processors]")
      ->check(CLI::Range(1, 1024));
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
