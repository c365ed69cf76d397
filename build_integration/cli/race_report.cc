#include "build_integration/cli/race_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/text_table.h"
#include "common/base/printable.h"

namespace hone {

std::string race_text(const Race& race, const std::vector<std::string>& commands) {
  TextTable table({{"", Align::right},
                   {"race", Align::right},
                   {"blocks", Align::right},
                   {"candidate", Align::left, 100}});
  std::size_t place = 0;
  std::string failures;
  for (const RaceEntry& entry : race.entries) {
    const std::string& command = commands[entry.candidate];
    if (entry.outcome != Outcome::ok) {
      failures += fmt::format("{}: {} ({})\n", printable(command), to_string(entry.outcome),
                              printable(entry.reason));
    } else if (++place <= kRaceLines) {
      table.add({std::to_string(place), percent_text(entry.reward), std::to_string(entry.blocks),
                 command});
    }
  }
  std::string text =
      fmt::format("A race of {} candidates, {} samples; who wins one looks better than it is:\n{}",
                  race.entries.size(), race.runs, table.text());
  if (place > kRaceLines) {
    text += fmt::format("and {} more\n", place - kRaceLines);
  }
  return text + failures;
}

Json race_json(const Race& race, const std::vector<std::string>& commands) {
  Json document = Json::object();
  document["runs"] = race.runs;
  document["entries"] = Json::array();
  for (const RaceEntry& entry : race.entries) {
    Json item = Json::object();
    item["candidate"] = entry.candidate;
    item["command"] = commands[entry.candidate];
    item["outcome"] = std::string(to_string(entry.outcome));
    item["reason"] = entry.reason;
    item["blocks"] = entry.blocks;
    item["reward"] = entry.outcome == Outcome::ok ? Json(entry.reward) : Json(nullptr);
    document["entries"].push_back(std::move(item));
  }
  return document;
}

}  // namespace hone
