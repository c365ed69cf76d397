// hone campaign list | show | cancel
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/api_calls.h"
#include "build_integration/cli/choices.h"
#include "build_integration/cli/command_context.h"
#include "build_integration/cli/exit_status.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"

namespace hone {
namespace {

struct ListOptions {
  std::string target;
  std::string state;
};

std::string summary(const CampaignView& campaign) {
  std::string text = fmt::format(
      "campaign {}\ntarget {}, against -{}, seed {}\n{}{}{}: {} of {} candidates measured, {} "
      "failed{}\n",
      campaign.id, campaign.target, to_string(campaign.baseline), campaign.seed,
      to_string(campaign.state), campaign.reason.empty() ? "" : ", ", printable(campaign.reason),
      campaign.finished, campaign.candidates, campaign.failed,
      campaign.late == 0 ? "" : fmt::format(", {} late: the time was up", campaign.late));
  if (campaign.confirmed) {
    text += fmt::format("winner {}: {} on {} fresh pairs\n", campaign.winner_candidate,
                        reward_text(*campaign.confirmed), campaign.confirmed->pairs);
  } else if (campaign.best_race) {
    text += fmt::format("best so far {}: {} (race, not confirmed)\n", campaign.best_candidate,
                        reward_text(*campaign.best_race));
  }
  if (campaign.policy_version) {
    text += fmt::format("policy version {}\n", *campaign.policy_version);
  }
  text += fmt::format("created {}{}{}{}{}\n", campaign.created_at,
                      campaign.deadline.empty() ? "" : ", to be done by ", campaign.deadline,
                      campaign.finished_at.empty() ? "" : ", finished ", campaign.finished_at);
  return text;
}

Result<int> list(const CommandContext& context, const ListOptions& options) {
  HONE_TRY(const Client client, context.client());
  std::string path = "/v1/campaigns";
  char joint = '?';
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"target", options.target}, {"state", options.state}}) {
    if (!value.empty()) {
      path += fmt::format("{}{}={}", joint, name, percent_encode(value));
      joint = '&';
    }
  }
  HONE_TRY(const std::vector<Json> items, list_pages(client, path));
  if (context.json) {
    print_json(Json(items));
    return 0;
  }
  TextTable table({{"campaign"},
                   {"target"},
                   {"state"},
                   {"measured", Align::right},
                   {"confirmed gain"},
                   {"created"}});
  for (const Json& item : items) {
    HONE_TRY(const CampaignView campaign, parse_campaign_view(item));
    table.add({campaign.id, campaign.target, std::string(to_string(campaign.state)),
               fmt::format("{}/{}", campaign.finished, campaign.candidates),
               campaign.confirmed ? reward_text(*campaign.confirmed) : "–", campaign.created_at});
  }
  print(table.text());
  return 0;
}

Result<int> show(const CommandContext& context, const std::string& id) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const CampaignView campaign, get_campaign(client, id));
  if (context.json) {
    print_json(to_json(campaign));
  } else {
    print(summary(campaign));
  }
  return 0;
}

Result<int> cancel(const CommandContext& context, const std::string& id) {
  HONE_TRY(const Client client, context.client());
  HONE_TRY(const CampaignView campaign, cancel_campaign(client, id));
  if (context.json) {
    print_json(to_json(campaign));
  } else {
    print(fmt::format("Campaign {} is {}; {} results are kept.\n", campaign.id,
                      to_string(campaign.state), campaign.finished));
  }
  return 0;
}

}  // namespace

void add_campaign(CLI::App& app, CommandContext& context) {
  CLI::App* const campaign = app.add_subcommand("campaign", "Look at campaigns and cancel them");
  campaign->require_subcommand(1);

  CLI::App* const listing = campaign->add_subcommand("list", "List the campaigns");
  const auto options = std::make_shared<ListOptions>();
  listing->add_option("--target", options->target, "Only those of this target");
  listing->add_option("--state", options->state, "Only those in this state")
      ->check(one_of(kCampaignStateChoices));
  listing->callback([&context, options] {
    context.action = [&context, options] { return list(context, *options); };
  });

  const auto id = std::make_shared<std::string>();
  CLI::App* const showing = campaign->add_subcommand("show", "Show one campaign");
  showing->add_option("campaign", *id, "Its id")->required();
  showing->callback(
      [&context, id] { context.action = [&context, id] { return show(context, *id); }; });

  CLI::App* const cancelling =
      campaign->add_subcommand("cancel", "Stop a campaign; what was measured is kept");
  cancelling->add_option("campaign", *id, "Its id")->required();
  cancelling->callback(
      [&context, id] { context.action = [&context, id] { return cancel(context, *id); }; });
}

}  // namespace hone
