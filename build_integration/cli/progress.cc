#include "build_integration/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/budget.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/terminal.h"
#include "build_integration/cli/text_table.h"
#include "common/json/document.h"

namespace hone {
namespace {

// Everything but the clock: two equal texts are no news.
std::string status_text(const CampaignView& campaign) {
  std::string text = campaign.target;
  switch (campaign.state) {
    case CampaignState::waiting:
      text += "  waiting for candidates";
      break;
    case CampaignState::racing:
      text += fmt::format("  {}/{} candidates", campaign.finished, campaign.candidates);
      break;
    case CampaignState::confirming:
      text += fmt::format("  {}/{} candidates, confirming the best on fresh pairs",
                          campaign.finished, campaign.candidates);
      break;
    case CampaignState::finished:
    case CampaignState::cancelled:
    case CampaignState::failed:
      text += fmt::format("  {}/{} candidates, {}", campaign.finished, campaign.candidates,
                          to_string(campaign.state));
      break;
  }
  if (campaign.best_race) {
    text += fmt::format("  best so far {}", reward_text(*campaign.best_race));
  }
  if (campaign.failed > 0) {
    text += fmt::format("  {} failed", campaign.failed);
  }
  if (campaign.late > 0) {
    text += fmt::format("  {} late", campaign.late);
  }
  return text;
}

}  // namespace

std::string progress_text(const CampaignView& campaign, std::chrono::seconds elapsed) {
  return status_text(campaign) + "  " + clock_text(elapsed);
}

std::string progress_event(const CampaignView& campaign) {
  Json event = Json::object();
  event["event"] = "progress";
  event["campaign"] = campaign.id;
  event["target"] = campaign.target;
  event["state"] = to_string(campaign.state);
  event["candidates"] = campaign.candidates;
  event["finished"] = campaign.finished;
  event["failed"] = campaign.failed;
  event["late"] = campaign.late;
  event["best_candidate"] = campaign.best_candidate;
  event["best_race"] = campaign.best_race ? to_json(*campaign.best_race) : Json(nullptr);
  return dump_json(event);
}

void Progress::update(const CampaignView& campaign, std::chrono::seconds elapsed) {
  const std::string status = status_text(campaign);
  switch (style_) {
    case ProgressStyle::quiet:
      return;
    case ProgressStyle::terminal: {
      // One column is left free: writing the last one would wrap the line.
      const std::size_t width = std::max<std::size_t>(terminal_width(STDERR_FILENO), 20) - 1;
      fmt::print(stderr, "\r{}\x1b[K", clipped(progress_text(campaign, elapsed), width));
      std::fflush(stderr);
      line_open_ = true;
      return;
    }
    case ProgressStyle::lines:
      if (status != last_) {
        fmt::print(stderr, "{}\n", progress_text(campaign, elapsed));
      }
      break;
    case ProgressStyle::events:
      if (status != last_) {
        fmt::print(stdout, "{}\n", progress_event(campaign));
        std::fflush(stdout);
      }
      break;
  }
  last_ = status;
}

void Progress::note(const std::string& text) {
  if (style_ == ProgressStyle::quiet) {
    return;
  }
  finish();
  fmt::print(stderr, "{}\n", text);
}

void Progress::finish() {
  if (line_open_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    line_open_ = false;
  }
}

}  // namespace hone
