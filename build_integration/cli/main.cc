// hone: the command line for people and pipelines.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "common/base/interrupt.h"
#include "common/base/printable.h"
#include "common/base/text.h"
#include "common/protocol/problem.h"

namespace {

void print_error(const hone::Error& error, bool json) {
  if (json) {
    fmt::print(stderr, "{}\n", hone::dump_json(hone::problem_document(error)));
    return;
  }
  std::string text;
  const std::string description = error.describe();
  for (const std::string_view line : hone::split(description, '\n')) {
    text += hone::printable(line) + "\n";
  }
  fmt::print(stderr, "hone: {}", text);
  if (error.code == hone::ErrorCode::unavailable && text.starts_with("cannot reach")) {
    fmt::print(stderr,
               "      `hone up` starts a coordinator here; HONE_URL or --url names another\n");
  }
  if (error.code == hone::ErrorCode::unauthenticated) {
    fmt::print(stderr,
               "      --token-file or HONE_TOKEN_FILE names the file with a token; `hone up` says "
               "where its first one is\n");
  }
}

// A word where a command was wanted and none is named so; empty for any other mistake. CLI11 says
// only that a subcommand is required, since it looks for one before it looks at what is left.
std::string unknown_command(const CLI::App& app) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().back();
  }
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty() || left.front().starts_with('-')) {
    return "";
  }
  std::vector<std::string> names;
  for (const CLI::App* const known :
       deepest->get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    names.push_back(known->get_name());
  }
  if (names.empty()) {
    return "";
  }
  const std::string close = hone::closest(left.front(), names);
  return fmt::format("hone: \"{}\" is no command of `{}`{}: {}\n", hone::printable(left.front()),
                     deepest->get_display_name(),
                     close.empty() ? "" : ", did you mean \"" + close + "\"?",
                     hone::join(names, ", "));
}

int run(int argc, char** argv) {
  hone::CommandContext context;
  CLI::App app{"Hone: a product made faster than -O3, measured before it ships.", "hone"};
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", "hone " HONE_VERSION);
  app.add_option(
      "--url", context.server.url,
      "The coordinator, or several over one database: A,B [HONE_URL, else http://127.0.0.1:7077]");
  app.add_option("--token-file", context.server.token_file,
                 "File with the token [HONE_TOKEN_FILE, else admin.token of a local honed]");
  app.add_option("--ca", context.server.ca,
                 "Whom to trust with https:// [HONE_CA_FILE, else whom the system trusts]");
  app.add_option("--cert", context.server.certificate,
                 "Certificate to show with https:// [HONE_CERT_FILE]");
  app.add_option("--key", context.server.key, "Its key [HONE_KEY_FILE]");
  app.add_flag("--json", context.json, "Output for machines");
  app.footer(std::string(hone::kExitCodesHelp));
  hone::add_up(app, context);
  hone::add_tune(app, context);
  hone::add_report(app, context);
  hone::add_bench(app, context);
  hone::add_env(app, context);
  hone::add_job(app, context);
  hone::add_campaign(app, context);
  hone::add_target(app, context);
  hone::add_policy(app, context);
  hone::add_audit(app, context);
  hone::add_canary(app, context);
  hone::add_service(app, context);
  hone::add_token(app, context);
  hone::add_worker(app, context);
  hone::add_completion(app, context);
  hone::add_artifact(app, context);
  hone::add_backup(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_name() == "RequiredError") {
      if (const std::string text = unknown_command(app); !text.empty()) {
        fmt::print(stderr, "{}", text);
        return hone::exit_code(hone::ErrorCode::invalid_argument);
      }
    }
    // Help and version leave by this way too, with 0. Everything else is bad input: 2.
    return app.exit(error) == 0 ? hone::kExitOk
                                : hone::exit_code(hone::ErrorCode::invalid_argument);
  }
  context.stop = hone::stop_on_interrupt();
  const hone::Result<int> status = context.action();
  if (!status) {
    print_error(status.error(), context.json);
    return hone::exit_code(status.error().code);
  }
  return *status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "hone: {}\n", error.what());
    return 1;
  }
}
