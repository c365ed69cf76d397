#include "server/learner/buffer/state_import.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/document.h"
#include "common/sessions/episode_state.h"
#include "common/sessions/opt_command.h"

namespace hone {
namespace {

constexpr std::size_t kShownBytes = 80;

Result<Json> row_of(const StateRow& row) {
  HONE_CHECK(row.state);
  const EpisodeState& state = *row.state;
  Result<OptCommand> command = parse_opt_command(state.commandline);
  if (!command) {
    return command.error().within(fmt::format(
        "column commandline: '{}{}'", std::string_view(state.commandline).substr(0, kShownBytes),
        state.commandline.size() > kShownBytes ? "..." : ""));
  }
  Json line = to_json(state);
  line["line"] = row.line;
  line["pipelines"] = command->pipelines;
  return Result<Json>(boost::system::in_place_value, std::move(line));
}

}  // namespace

Result<StateImport> import_states(std::string_view csv) {
  HONE_TRY(const std::vector<StateRow> rows, read_states(csv));
  StateImport import;
  for (const StateRow& row : rows) {
    const Result<Json> line = row_of(row);
    if (!line) {
      import.refused.push_back(fmt::format("line {}: {}", row.line, line.error().describe()));
      continue;
    }
    import.lines += dump_json(*line) + "\n";
    ++import.accepted;
  }
  return import;
}

}  // namespace hone
