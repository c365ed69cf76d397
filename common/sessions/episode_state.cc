#include "common/sessions/episode_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/sessions/csv.h"

namespace hone {
namespace {

constexpr auto kColumns =
    std::to_array<std::string_view>({"benchmark", "reward", "walltime", "commandline"});
constexpr std::size_t kShownBytes = 80;

Error bad(std::string_view column, std::string_view value, std::string_view right) {
  std::string shown(value.substr(0, kShownBytes));
  shown += value.size() > kShownBytes ? "..." : "";
  return fail(ErrorCode::invalid_argument,
              "column " + std::string(column) + ": '" + shown + "' must be " + std::string(right));
}

// As Python prints a float: the fewest digits that read back the same, and never an integer's.
std::string number_text(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  std::string text(digits, end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

Result<double> number_of(std::string_view column, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return bad(column, text, "a finite number, like 0.25");
  }
  return number;
}

Result<EpisodeState> state_of(const CsvRow& row, const std::vector<std::size_t>& places) {
  if (row.fields.size() != places.size()) {
    return fail(ErrorCode::invalid_argument,
                "it has " + std::to_string(row.fields.size()) + " columns, not the header's " +
                    std::to_string(places.size()) + " (a commandline with commas needs quotes)");
  }
  const auto text = [&](std::size_t column) {
    return std::string(trim(row.fields[places[column]]));
  };
  EpisodeState state;
  state.benchmark = text(0);
  state.commandline = text(3);
  if (state.benchmark.empty()) {
    return bad(kColumns[0], state.benchmark, "a program's URI");
  }
  if (const std::string reward = text(1); !reward.empty()) {
    HONE_TRY(state.reward, number_of(kColumns[1], reward));
  }
  if (const std::string walltime = text(2); !walltime.empty()) {
    HONE_TRY(state.walltime, number_of(kColumns[2], walltime));
    if (state.walltime < 0) {
      return bad(kColumns[2], walltime, "seconds, 0 or more");
    }
  }
  return state;
}

// For each of our columns where it stands.
Result<std::vector<std::size_t>> places_of(const CsvRow& header) {
  std::vector<std::size_t> places(kColumns.size(), header.fields.size());
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const auto column = std::ranges::find(kColumns, trim(header.fields[i]));
    const auto index = static_cast<std::size_t>(column - kColumns.begin());
    const bool known = index < kColumns.size();
    if (!known || places[index] < header.fields.size()) {
      return fail(ErrorCode::invalid_argument,
                  "line " + std::to_string(header.line) + ": column '" + header.fields[i] +
                      "' is " + (known ? "there twice" : "unknown") + ": the header must be " +
                      std::string(kStateCsvHeader));
    }
    places[index] = i;
  }
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    if (places[column] == header.fields.size()) {
      return fail(ErrorCode::invalid_argument, "line " + std::to_string(header.line) +
                                                   ": no column " + std::string(kColumns[column]) +
                                                   ": the header must be " +
                                                   std::string(kStateCsvHeader));
    }
  }
  return places;
}

}  // namespace

const std::string_view kStateCsvHeader = "benchmark,reward,walltime,commandline";

std::string to_csv(const EpisodeState& state) {
  return csv_field(state.benchmark) + "," + (state.reward ? number_text(*state.reward) : "") + "," +
         number_text(state.walltime) + "," + csv_field(state.commandline);
}

Json to_json(const EpisodeState& state) {
  return {{"benchmark", state.benchmark},
          {"commandline", state.commandline},
          {"walltime", state.walltime},
          {"reward", state.reward ? Json(*state.reward) : Json()}};
}

Result<std::vector<StateRow>> read_states(std::string_view text) {
  CsvReader reader(text);
  HONE_TRY(const std::optional<CsvRow> header, reader.next());
  if (!header) {
    return fail(ErrorCode::invalid_argument,
                "there is nothing in it: the first line must be " + std::string(kStateCsvHeader));
  }
  HONE_TRY(const std::vector<std::size_t> places, places_of(*header));
  std::vector<StateRow> rows;
  for (;;) {
    const Result<std::optional<CsvRow>> next = reader.next();
    if (!next) {
      rows.push_back({reader.line(), next.error()});
      continue;
    }
    const std::optional<CsvRow>& row = *next;
    if (!row) {
      return rows;
    }
    rows.push_back({row->line, state_of(*row, places)});
  }
}

}  // namespace hone
