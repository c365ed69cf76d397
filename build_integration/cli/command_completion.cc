// hone completion bash, and what that script asks for while somebody types
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/command_context.h"
#include "common/completion/bash_completion.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

struct Looked {
  const char* kind;
  const char* path;
  const char* field;
};

// The newest ones: more is no help to somebody who types.
constexpr Looked kLooked[] = {{"target", "/v1/targets?limit=200", "name"},
                              {"campaign", "/v1/campaigns?limit=50", "id"},
                              {"job", "/v1/jobs?limit=50", "id"},
                              {"worker", "/v1/workers", "name"},
                              {"token", "/v1/tokens", "name"},
                              {"policy-key", "/v1/policy-keys", "name"}};

Result<int> print_values(const CommandContext& context, const std::string& kind) {
  HONE_TRY(const Client client, context.client());
  RequestOptions impatient;
  impatient.timeout = 2s;
  impatient.retry = Retry::never;
  impatient.stop = context.stop;
  for (const Looked& looked : kLooked) {
    if (kind == looked.kind) {
      HONE_TRY(const Json answer, client.get(looked.path, impatient));
      HONE_TRY(const Json items, field_of(answer, "items"));
      std::string text;
      for (const Json& item : items) {
        HONE_TRY(const std::string value, text_field_of(item, looked.field));
        text += value + "\n";
      }
      print(text);
    }
  }
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, CommandContext& context) {
  CLI::App* const completion =
      app.add_subcommand("completion", "Completion for a shell: eval \"$(hone completion bash)\"");
  completion->require_subcommand(1);
  completion->add_subcommand("bash", "For bash, of this program")->callback([&app, &context] {
    context.action = [&app]() -> Result<int> {
      CompletionLookups lookups;
      for (const Looked& looked : kLooked) {
        lookups[looked.kind] = std::string("completion values ") + looked.kind;
      }
      print(bash_completion(app, lookups));
      return 0;
    };
  });
  CLI::App* const values = completion->add_subcommand("values", "What the script asks for");
  values->group("");  // hidden
  const auto kind = std::make_shared<std::string>();
  values
      ->add_option("kind", *kind,
                   "What to list: target, campaign, job, worker, token or policy-key")
      ->required();
  values->callback([&context, kind] {
    context.action = [&context, kind] { return print_values(context, *kind); };
  });
}

}  // namespace hone
