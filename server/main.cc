// honed, the coordinator: reads the command line and runs it.
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "common/base/log.h"
#include "common/completion/bash_completion.h"
#include "common/protocol/locations.h"
#include "server/honed.h"

namespace hone {
namespace {

const std::map<std::string, LogLevel> kLevels{{"debug", LogLevel::debug},
                                              {"info", LogLevel::info},
                                              {"warning", LogLevel::warning},
                                              {"error", LogLevel::error},
                                              {"off", LogLevel::off}};

int report(const Error& error) {
  std::fprintf(stderr, "honed: %s\n", error.describe().c_str());
  return exit_code(error.code);
}

int run_main(int argc, char** argv) {
  HonedOptions options;
  options.data = default_data_folder();
  std::string data = options.data.string();
  std::string listen = options.address + ":" + std::to_string(kDefaultPort);
  LogLevel level = LogLevel::info;

  CLI::App app("The coordinator of Hone: REST API, queue of jobs, store, campaigns.", "honed");
  app.set_version_flag("--version", "honed " HONE_VERSION);
  add_bash_completion(app);
  app.add_option("--data", data, "Data folder; one honed per folder")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--listen", listen, "Address and port; port 0 takes any free one")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str();
  app.add_option("--database", options.database_url,
                 "A PostgreSQL to use instead of a private one in the data folder")
      ->type_name("URL")
      ->envname("HONE_DATABASE");
  app.add_option("--allow-host", options.allowed_hosts,
                 "A further Host header to answer to (behind a proxy); may be repeated")
      ->type_name("HOST[:PORT]");
  app.add_option("--max-artifact-bytes", options.max_artifact_bytes, "Largest upload")
      ->type_name("BYTES")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 44U))
      ->capture_default_str();
  app.add_option("--artifacts", options.artifacts,
                 "Where artifacts are kept instead of the data folder: a folder, or "
                 "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&path_style=1 with "
                 "credentials as AWS tools have them")
      ->type_name("DIR|URL")
      ->envname("HONE_ARTIFACTS");
  app.add_option("--min-free-bytes", options.min_free_bytes,
                 "Uploads are refused when less would stay free on the disk [1 GiB, or 5 % of a "
                 "smaller disk]")
      ->type_name("BYTES")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 50U));
  app.add_option("--artifact-days", options.artifact_days,
                 "How long an artifact is kept that nobody needs or uses; 0: for ever")
      ->type_name("DAYS")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{36'500}))
      ->capture_default_str();
  app.add_option("--lease-seconds", options.lease_seconds,
                 "How long a worker may be silent before its job goes to another")
      ->type_name("SECONDS")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{86'400}))
      ->capture_default_str();
  app.add_option("--session-log-days", options.session_log_days,
                 "How long the log of compile sessions is kept; 0: for ever")
      ->type_name("DAYS")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{36'500}))
      ->capture_default_str();
  app.add_option("--log-level", level, "debug, info, warning, error or off")
      ->type_name("LEVEL")
      ->transform(CLI::CheckedTransformer(kLevels));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_code(ErrorCode::invalid_argument);
  }

  set_log_level(level);
  options.data = data;
  const Result<ListenAddress> address = parse_listen_address(listen);
  if (!address.has_value()) {
    return report(address.error());
  }
  options.address = address->address;
  options.port = address->port;
  const Result<void> ended = run_honed(options);
  return ended.has_value() ? 0 : report(ended.error());
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::run_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "honed: %s\n", error.what());
    return 1;
  }
}
