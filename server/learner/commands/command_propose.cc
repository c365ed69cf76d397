// hone-learner propose
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "common/client/client.h"
#include "common/search/synergy_graph.h"
#include "server/learner/commands/command.h"
#include "server/learner/commands/server_options.h"
#include "server/learner/proposing/campaign_proposer.h"

namespace hone {
namespace {

struct ProposeOptions {
  ClientFlags server;
  std::string synergy;
  ProposerSettings settings;
};

Result<void> propose(const LearnerContext& context, const ProposeOptions& options) {
  HONE_TRY(ClientOptions connection, resolve_client_options(options.server));
  HONE_TRY(const Client client, Client::create(std::move(connection)));
  ProposerSettings settings = options.settings;
  settings.stop = context.stop;
  if (!options.synergy.empty()) {
    HONE_TRY(const SynergyGraph graph, read_synergy_graph(options.synergy));
    settings.successors = graph.weights();
  }
  settings.say = [](std::string_view text) { fmt::print(stderr, "hone-learner: {}\n", text); };
  return propose_for(client, settings);
}

}  // namespace

void add_propose(CLI::App& app, LearnerContext& context) {
  CLI::App* const proposing = app.add_subcommand(
      "propose", "Propose further candidates for a campaign, learning from those it has tried");
  const auto options = std::make_shared<ProposeOptions>();
  proposing
      ->add_option("campaign", options->settings.campaign,
                   "Its id; it must have been started with proposing_seconds")
      ->required();
  proposing
      ->add_option("--generation", options->settings.generation,
                   "Candidates a set: as many as the workers race at once")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  proposing->add_option("--file", options->settings.files,
                        "A source that may be treated apart, relative to the product's root; "
                        "repeat it, the hottest first");
  proposing->add_option("--synergy", options->synergy,
                        "Synergy graph by which passes are drawn in campaigns for size");
  add_server_options(*proposing, options->server);
  proposing->callback([&context, options] {
    context.action = [&context, options] { return propose(context, *options); };
  });
}

}  // namespace hone
