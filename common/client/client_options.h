// Where the client finds its server and its token. Thread safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/locations.h"

namespace hone {

// Files for https:// URLs, all PEM.
struct ClientTls {
  std::filesystem::path ca{};  // who signs the server's certificate; empty: as the system has
  std::filesystem::path certificate{};  // shown to a server that asks; empty: none
  std::filesystem::path key{};
};

struct ClientOptions {
  std::string url{kDefaultUrl};  // or several, "A,B": endpoints.h
  ClientTls tls{};
  std::string token;       // empty: none is sent; only health answers then
  std::string token_note;  // which file that is from, or why none is sent; ends a refusal's text
  std::chrono::milliseconds timeout{30'000};   // of one request, from connect to the last byte
  int retries = 5;                             // further tries after the server was unavailable
  std::chrono::milliseconds first_pause{100};  // doubles with every try, plus up to half of it
  std::string traceparent;  // W3C trace context of whoever calls us, sent with every request
  // Where the token, the key and client.json's settings were found: what no program may see that
  // our caller runs for others.
  std::vector<std::filesystem::path> secrets{};
};

// The token in a file, without white space around it. permission_denied if anybody but the owner
// may read the file, not_found, invalid_argument if it holds no token. The message names the path,
// never the content.
Result<std::string> read_token_file(const std::filesystem::path& path);

// What the command line says; empty: not given.
struct ClientFlags {
  std::string url{};
  std::string token_file{};
  std::string ca{};
  std::string certificate{};
  std::string key{};
};

// URL and token as the command line, the environment and the files say, in this order:
//   url         flags.url,         HONE_URL,        ~/.config/hone/client.json "url",  kDefaultUrl
//   token file  flags.token_file,  HONE_TOKEN_FILE, client.json "token_file", and last
//               admin.token in default_data_folder() if it can be read, and if every URL is the
//               address that its honed noted beside it: it is sent to nobody else
//   tls         flags.ca,          HONE_CA_FILE,    client.json "ca_file"
//               flags.certificate, HONE_CERT_FILE,  client.json "cert_file"
//               flags.key,         HONE_KEY_FILE,   client.json "key_file"
// An empty flag or variable counts as not given. No token file at all gives an empty token (the
// server's answer then says what is missing); a file that was named but cannot be read is an error.
// The trace is TRACEPARENT's, where that is well-formed.
Result<ClientOptions> resolve_client_options(const ClientFlags& flags = {});
// Its tls alone, for a server and a token that the caller knows.
Result<ClientTls> resolve_client_tls(const ClientFlags& flags);

}  // namespace hone
