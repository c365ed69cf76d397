#include "build_integration/cli/command_context.h"

#include <cstdio>

#include <fmt/format.h>

namespace hone {

Result<Client> CommandContext::client() const {
  HONE_TRY(ClientOptions options, resolve_client_options(server));
  return Client::create(std::move(options));
}

void print(std::string_view text) {
  fmt::print(stdout, "{}", text);
  std::fflush(stdout);
}

void print_json(const Json& document) {
  print(dump_json_pretty(document) + "\n");
}

}  // namespace hone
