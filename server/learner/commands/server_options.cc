#include "server/learner/commands/server_options.h"

#include <CLI/CLI.hpp>

namespace hone {

void add_server_options(CLI::App& app, ClientFlags& flags) {
  app.add_option("--url", flags.url,
                 "The coordinator, or several over one database: A,B [HONE_URL]");
  app.add_option("--token-file", flags.token_file, "File of the token [HONE_TOKEN_FILE]");
  app.add_option("--ca", flags.ca, "Whom to trust with https:// [HONE_CA_FILE]");
  app.add_option("--cert", flags.certificate, "Certificate to show [HONE_CERT_FILE]");
  app.add_option("--key", flags.key, "Its key [HONE_KEY_FILE]");
}

}  // namespace hone
