// What every command of `hone` gets, and how commands register themselves.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/client/client.h"
#include "common/json/document.h"

namespace CLI {
class App;
}

namespace hone {

struct CommandContext {
  // Options of all commands.
  ClientFlags server;
  bool json = false;

  std::stop_token stop;                 // Ctrl-C
  std::function<Result<int>()> action;  // set by the command that was given; its exit code

  // The client that options, environment and files describe.
  Result<Client> client() const;
};

// Each adds one command with its options to `app`; the context must outlive the parse.
void add_backup(CLI::App& app, CommandContext& context);  // backup, restore
void add_up(CLI::App& app, CommandContext& context);
void add_tune(CLI::App& app, CommandContext& context);
void add_bench(CLI::App& app, CommandContext& context);
void add_env(CLI::App& app, CommandContext& context);
void add_job(CLI::App& app, CommandContext& context);
void add_campaign(CLI::App& app, CommandContext& context);
void add_completion(CLI::App& app, CommandContext& context);
void add_target(CLI::App& app, CommandContext& context);
void add_policy(CLI::App& app, CommandContext& context);
void add_report(CLI::App& app, CommandContext& context);
void add_audit(CLI::App& app, CommandContext& context);
void add_canary(CLI::App& app, CommandContext& context);
void add_service(CLI::App& app, CommandContext& context);
void add_token(CLI::App& app, CommandContext& context);
void add_worker(CLI::App& app, CommandContext& context);
void add_artifact(CLI::App& app, CommandContext& context);

// Standard output, flushed. print_json indents.
void print(std::string_view text);
void print_json(const Json& document);

}  // namespace hone
