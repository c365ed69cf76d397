#include "common/client/client_options.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/base/trace_context.h"
#include "common/client/endpoints.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kMaxTokenBytes = 4096;
constexpr std::size_t kMaxConfigBytes = 65536;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

struct ConfigFile {
  std::filesystem::path path;  // empty: there is none
  std::string url;
  std::string token_file;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
};

// ~/.config/hone/client.json, strictly; nothing in it if there is no such file.
Result<ConfigFile> read_config_file() {
  const std::filesystem::path folder = user_config_folder();
  if (folder.empty()) {
    return ConfigFile{};
  }
  const std::filesystem::path path = folder / "client.json";
  const Result<std::string> text = read_file(path, kMaxConfigBytes);
  if (!text.has_value()) {
    if (text.error().code == ErrorCode::not_found) {
      return ConfigFile{};
    }
    return text.error();
  }
  const Result<Json> document = parse_json(*text, {.bytes = kMaxConfigBytes, .depth = 8});
  if (!document.has_value()) {
    return document.error().within(path.string());
  }
  ConfigFile config;
  config.path = path;
  Problems problems;
  ObjectReader reader(*document, "", problems, UnknownKeys::refuse);
  config.url = reader.optional_text("url").value_or("");
  config.token_file = reader.optional_text("token_file").value_or("");
  config.ca_file = reader.optional_text("ca_file").value_or("");
  config.cert_file = reader.optional_text("cert_file").value_or("");
  config.key_file = reader.optional_text("key_file").value_or("");
  reader.finish();
  if (const auto error = problems.as_error("client configuration")) {
    return error->within(path.string());
  }
  return config;
}

// The first that is not empty.
std::string first_of(const std::string& a, const std::string& b, const std::string& c) {
  return !a.empty() ? a : !b.empty() ? b : c;
}

ClientTls tls_of(const ClientFlags& flags, const ConfigFile& config) {
  ClientTls tls;
  tls.ca = first_of(flags.ca, variable("HONE_CA_FILE"), config.ca_file);
  tls.certificate = first_of(flags.certificate, variable("HONE_CERT_FILE"), config.cert_file);
  tls.key = first_of(flags.key, variable("HONE_KEY_FILE"), config.key_file);
  return tls;
}

// Whether all of these URLs lead to the honed of a data folder, by the address that it noted there.
bool lead_to_honed_of(const std::filesystem::path& data, const std::string& urls) {
  const Result<std::string> address = read_file(data / kAddressFile, kMaxTokenBytes);
  return address.has_value() && all_lead_to(urls, trim(*address));
}

// The first token of a honed on this machine, which nobody named: for that honed alone.
void find_token(ClientOptions& options) {
  const std::filesystem::path data = default_data_folder();
  if (data.empty()) {
    return;
  }
  const std::filesystem::path file = data / kAdminTokenFile;
  Result<std::string> token = read_token_file(file);
  if (!token.has_value()) {
    return;
  }
  if (!lead_to_honed_of(data, options.url)) {
    options.token_note = "no token was named, and the one in " + file.string() +
                         " is for the honed of that folder alone, which " + options.url + " is not";
    return;
  }
  options.token = *std::move(token);
  options.token_note = "the token is the one in " + file.string();
  options.secrets.push_back(file);
}

}  // namespace

Result<std::string> read_token_file(const std::filesystem::path& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) {
    const int reason = errno;
    if (reason == ENOENT) {
      return fail(ErrorCode::not_found, "there is no token file " + path.string());
    }
    Error error = system_error("cannot open the token file " + path.string(), reason);
    if (reason == EACCES) {
      error.code = ErrorCode::permission_denied;
    }
    return error;
  }
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) {
    return system_error("cannot look at the token file " + path.string(), errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, path.string() + " is no file");
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(
        ErrorCode::permission_denied,
        "the token file " + path.string() + " is open to others than its owner; chmod 600 it");
  }
  std::string text(kMaxTokenBytes + 1, '\0');
  const ssize_t got = pread(file.get(), text.data(), text.size(), 0);
  if (got < 0) {
    return system_error("cannot read the token file " + path.string(), errno);
  }
  text.resize(static_cast<std::size_t>(got));
  std::string token(trim(text));
  // What may stand in an Authorization header (RFC 6750), so that no file can forge header lines.
  static constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
  if (token.empty() || text.size() > kMaxTokenBytes ||
      token.find_first_not_of(kAllowed) != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "the file " + path.string() + " holds no token");
  }
  return token;
}

Result<ClientTls> resolve_client_tls(const ClientFlags& flags) {
  HONE_TRY(const ConfigFile config, read_config_file());
  return tls_of(flags, config);
}

Result<ClientOptions> resolve_client_options(const ClientFlags& flags) {
  HONE_TRY(const ConfigFile config, read_config_file());
  ClientOptions options;
  if (const auto trace = parse_traceparent(variable("TRACEPARENT"))) {
    options.traceparent = traceparent_of(*trace);
  }
  const std::string url = first_of(flags.url, variable("HONE_URL"), config.url);
  if (!url.empty()) {
    options.url = url;
  }
  options.tls = tls_of(flags, config);
  for (const std::filesystem::path& path : {config.path, options.tls.key}) {
    if (!path.empty()) {
      options.secrets.push_back(path);
    }
  }
  const std::string named =
      first_of(flags.token_file, variable("HONE_TOKEN_FILE"), config.token_file);
  if (!named.empty()) {
    HONE_TRY(options.token, read_token_file(named));
    options.token_note = "the token is the one in " + named;
    options.secrets.emplace_back(named);
    return options;
  }
  find_token(options);
  return options;
}

}  // namespace hone
