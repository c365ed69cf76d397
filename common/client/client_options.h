// Where the client finds its server and its token. Thread safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "common/protocol/locations.h"

namespace hone {

struct ClientOptions {
  std::string url{kDefaultUrl};                // or several, "A,B": endpoints.h
  std::string token;                           // empty: none is sent; only health answers then
  std::chrono::milliseconds timeout{30'000};   // of one request, from connect to the last byte
  int retries = 5;                             // further tries after the server was unavailable
  std::chrono::milliseconds first_pause{100};  // doubles with every try, plus up to half of it
  std::string traceparent;  // W3C trace context of whoever calls us, sent with every request
};

// The token in a file, without white space around it. permission_denied if anybody but the owner
// may read the file, not_found, invalid_argument if it holds no token. The message names the path,
// never the content.
Result<std::string> read_token_file(const std::filesystem::path& path);

// URL and token as the command line, the environment and the files say, in this order:
//   url         flag_url,        HONE_URL,        ~/.config/hone/client.json "url",  kDefaultUrl
//   token file  flag_token_file, HONE_TOKEN_FILE, client.json "token_file", and last
//               admin.token in default_data_folder() if it can be read
// An empty flag or variable counts as not given. No token file at all gives an empty token (the
// server's answer then says what is missing); a file that was named but cannot be read is an error.
// The trace is TRACEPARENT's, where that is well-formed.
Result<ClientOptions> resolve_client_options(const std::string& flag_url = {},
                                             const std::string& flag_token_file = {});

}  // namespace hone
