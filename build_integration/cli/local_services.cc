#include "build_integration/cli/local_services.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/log_message.h"
#include "common/base/file.h"
#include "common/base/program_beside.h"
#include "common/base/text.h"
#include "common/base/token.h"
#include "common/protocol/locations.h"

namespace hone {
namespace {

constexpr std::chrono::seconds kStartPatience{60};
constexpr std::chrono::milliseconds kWatchPause{100};
constexpr std::string_view kWorkerTokenFile = "worker.token";
constexpr std::size_t kMaxSmallFile = 4096;

Result<Client> client_for(const Server& server, const std::string& token) {
  ClientOptions options;
  options.url = server.url;
  options.tls = server.tls;
  options.token = token;
  return Client::create(std::move(options));
}

// A token of role worker in the data folder, made at the first start; a worker needs no more.
Result<std::filesystem::path> worker_token(const Server& server, const std::filesystem::path& data,
                                           const std::string& name) {
  std::filesystem::path file = data / kWorkerTokenFile;
  if (const Result<std::string> token = read_token_file(file)) {
    HONE_TRY(const Client worker, client_for(server, *token));
    const Result<Json> answer = worker.get("/v1/targets?limit=1");
    if (answer || answer.error().code != ErrorCode::unauthenticated) {
      return file;
    }
  }
  Json body = Json::object();
  // The store may hold an older token of the plain name whose file is gone.
  body["name"] = fmt::format("worker-{}-{}", name, random_hex(4));
  body["role"] = "worker";
  HONE_TRY(const std::string admin_token, read_token_file(data / kAdminTokenFile));
  HONE_TRY(const Client admin, client_for(server, admin_token));
  HONE_TRY(const Json answer, admin.post("/v1/tokens", body));
  HONE_TRY(const std::string token, text_field_of(answer, "token"));
  HONE_CHECK(write_file_atomically(file, token + "\n", 0600));
  // That older one may still have the worker's name. A worker that is not known has none to free.
  const Result<Json> freed = admin.post("/v1/workers/" + name + "/free", Json::object());
  if (!freed && freed.error().code != ErrorCode::not_found) {
    return freed.error();
  }
  return file;
}

// Those options whose file was given.
void add_files(std::vector<std::string>& arguments,
               const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [option, file] : files) {
    if (!file.empty()) {
      arguments.insert(arguments.end(), {option, file});
    }
  }
}

// `hone up` ends as what it runs does, whose exit codes are ours.
ErrorCode code_of(int exit) {
  for (const ErrorCode code : {ErrorCode::invalid_argument, ErrorCode::permission_denied,
                               ErrorCode::not_found, ErrorCode::conflict, ErrorCode::unavailable}) {
    if (exit == exit_code(code)) {
      return code;
    }
  }
  return exit == 0 ? ErrorCode::unavailable : ErrorCode::io_failed;
}

}  // namespace

std::size_t default_slots() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency() / 2);
}

FileIdentity file_identity(const std::filesystem::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? FileIdentity{status.st_ino, status.st_mtim}
                                            : FileIdentity{};
}

Error ended_early(std::string_view program, ChildProcess& child, const std::string& how) {
  constexpr std::size_t kTail = std::size_t{64} << 10U;
  const std::string message = last_log_message(child.log_tail(kTail), program);
  if (!child.exit_code()) {
    // Killed, and so without a word: an error from before may be why, or not.
    return fail(ErrorCode::unavailable,
                fmt::format("{} ended: {}{}", program, how,
                            message.empty() ? "" : "; the last error in its log: " + message));
  }
  return fail(code_of(*child.exit_code()),
              message.empty() ? fmt::format("{} ended: {}", program, how)
                              : fmt::format("{} ended: {} ({})", program, message, how));
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
  add_files(arguments, {{"--tls-cert", options.tls_cert},
                        {"--tls-key", options.tls_key},
                        {"--tls-client-ca", options.tls_client_ca}});
  return ChildProcess::start(arguments, log);
}

Result<std::string> wait_for_address(ChildProcess& honed, const std::filesystem::path& file,
                                     const FileIdentity& before, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  while (sleep_unless_stopped(std::chrono::milliseconds(50), stop)) {
    if (const auto how = honed.ended()) {
      return ended_early("honed", honed, *how);
    }
    if (!(file_identity(file) == before)) {
      HONE_TRY(const std::string text, read_file(file, kMaxSmallFile));
      if (!trim(text).empty()) {
        return std::string(trim(text));
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

Result<void> wait_until_ready(ChildProcess& honed, const Server& server,
                              const std::stop_token& stop) {
  HONE_TRY(const Client client, client_for(server, ""));
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

Result<ChildProcess> start_worker(const UpOptions& options, const Server& server,
                                  const std::filesystem::path& data,
                                  const std::filesystem::path& log) {
  HONE_TRY(const std::filesystem::path program, program_beside_us("hone-worker"));
  HONE_TRY(const std::filesystem::path launcher, program_beside_us("hone-cc"));
  HONE_TRY(const std::filesystem::path token, worker_token(server, data, options.name));
  std::vector<std::string> arguments = {
      program.string(),
      "--url",
      server.url,
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
  add_files(arguments, {{"--ca", server.tls.ca.string()},
                        {"--cert", server.tls.certificate.string()},
                        {"--key", server.tls.key.string()}});
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

}  // namespace hone
