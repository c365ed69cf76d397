// Progress of a campaign: one line that is rewritten on a terminal, a plain line whenever something
// changed elsewhere, one JSON event a change for machines. Writes to standard error, so that
// standard output holds the report alone (events go to standard output). Not thread safe.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/protocol/campaign.h"

namespace hone {

// "lz4  7/12 candidates  best +2.1 % [+1.3, +2.9] (race)  2 failed  0:48".
std::string progress_text(const CampaignView& campaign, std::chrono::seconds elapsed);

// The same as an event: {"event":"progress","campaign":...,"state":...,"finished":7,...}.
std::string progress_event(const CampaignView& campaign);

enum class ProgressStyle { terminal, lines, events, quiet };

class Progress {
 public:
  explicit Progress(ProgressStyle style) : style_(style) {}
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const CampaignView& campaign, std::chrono::seconds elapsed);
  // A line of its own, above the progress line.
  void note(const std::string& text);
  // Removes the progress line from the terminal.
  void finish();

 private:
  ProgressStyle style_;
  std::string last_;  // what was shown, without the clock
  bool line_open_ = false;
};

}  // namespace hone
