#include "common/client/log_card.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/hash.h"
#include "common/json/object_reader.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLine = std::size_t{256} << 20U;
constexpr std::size_t kShownActions = 20;

// Texts of the log, cells of a table: one line, and no end of a cell.
std::string cell(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    clean += c == '|' ? "\\|" : control ? "?" : std::string(1, c);
  }
  return clean;
}

std::uint64_t short_hash(std::string_view text) {
  return hash128(text).low;
}

std::string text_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string machine_text(const Json& machine) {
  return fmt::format("{}, {} processors, {} MiB, {}", text_of(machine, "cpu_model"),
                     machine.value("cpus", std::int64_t{0}),
                     machine.value("memory_mib", std::int64_t{0}), text_of(machine, "kernel"));
}

using Row = std::pair<std::string, std::uint64_t>;

std::string table(std::string_view name, std::string_view count, const std::vector<Row>& rows) {
  std::string text = fmt::format("| {} | {} |\n| --- | ---: |\n", name, count);
  for (const Row& row : rows) {
    text += fmt::format("| {} | {} |\n", cell(row.first), row.second);
  }
  return text + "\n";
}

std::vector<Row> rows_of(const std::map<std::string, std::uint64_t>& counts) {
  return {counts.begin(), counts.end()};
}

constexpr std::string_view kSchema = R"(## Lines

One JSON document a line (NDJSON, UTF-8), in the order in which they were written. The lines of an episode
are numbered from 0; the last one, `end`, tells how many there are. Of the lines' keys:

| key | meaning and unit |
| --- | --- |
| `kind` | `begin`, `step`, `observe`, `undo` or `end` |
| `episode`, `session` | UUIDs; a `reset` begins another episode of the same session |
| `step` | place in the episode; a number that is missing was lost |
| `start`, `parent`, `parent_step` | how the episode began: `open`, `fork` (of `parent`, behind its line `parent_step`) or `reset` |
| `program` | SHA-256 of the file that was uploaded |
| `state`, `next_state` | SHA-256 of the module's bitcode before and after; null where it is not known |
| `features` | what is known of `next_state`, by the names of CompilerGym's observation spaces: counts without unit, `ObjectTextSizeBytes` in bytes; equal states have equal features |
| `pipelines`, `applied` | the action as opt-19's -passes= takes it, and how many of the pipelines took effect |
| `changed` | whether a pass says that it changed something |
| `outcome`, `reason` | `ok`, `crashed`, `timed_out`, `limit_exceeded` or `broken_module`; of an `end`, why it ended |
| `rewards` | by the names of CompilerGym's reward spaces: instructions, bytes, or ratios without unit; ...Log: natural logarithms of ratios. Of a `step` its own, else of the whole way from the program |
| `log_propensities` | natural logarithm of the probability with which each pipeline was chosen; null: not known |
| `undone` | pipelines taken back |
| `length` | pipelines from the program to `next_state` |
| `entries`, `dropped` | of an `end`: lines that the episode has, and those known to be lost |
| `machine`, `compiler` | where the passes ran (memory in MiB), and whose they are |
| `at` | when it was answered, UTC |

Not in it: programs, IR text, bitcode, graphs, run times. A state is had again from the program's file and the pipelines.
)";

}  // namespace

void LogCard::add_state(const Json& line) {
  const std::string state = text_of(line, "next_state");
  if (const std::string before = text_of(line, "state"); !before.empty()) {
    states_.insert(short_hash(before));
  }
  if (state.empty()) {
    return;
  }
  states_.insert(short_hash(state));
  if (const auto features = line.find("features");
      features != line.end() && features->is_object()) {
    for (const auto& [space, value] : features->items()) {
      features_[space].insert(short_hash(state));
    }
  }
}

void LogCard::add_step(const Json& line) {
  ++outcomes_[text_of(line, "outcome")];
  Json key = Json::array();
  for (const char* const part :
       {"program", "state", "pipelines", "applied", "outcome", "next_state"}) {
    key.push_back(line.value(part, Json()));
  }
  transitions_.insert(short_hash(dump_json(key)));
  const Json pipelines = line.value("pipelines", Json::array());
  for (const Json& pipeline : pipelines) {
    if (pipeline.is_string()) {
      ++actions_[pipeline.get<std::string>()];
    }
  }
  with_propensity_ += line.value("log_propensities", Json()).is_array() ? 1 : 0;
}

Result<void> LogCard::add(std::string_view line) {
  HONE_TRY(const Json document, parse_json(line, {.bytes = kMaxLine}));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::ignore);
  const std::string kind = reader.text("kind");
  const std::string id = reader.text("episode");
  const std::string at = reader.text("at");
  const std::int64_t most = std::int64_t{1} << 31U;
  const std::int64_t entries = reader.optional_integer("entries", 0, most).value_or(0);
  dropped_ += static_cast<std::uint64_t>(reader.optional_integer("dropped", 0, most).value_or(0));
  if (auto error = problems.as_error("line")) {
    return *std::move(error);
  }
  ++lines_;
  ++kinds_[kind];
  programs_.insert(text_of(document, "program"));
  const auto [found, fresh] = episodes_.try_emplace(id);
  ++found->second.lines;
  if (fresh) {
    ++starts_[text_of(document, "start")];
    ++machines_[machine_text(document.value("machine", Json::object()))];
    ++compilers_[text_of(document, "compiler")];
  }
  if (kind == "end") {
    found->second.entries = static_cast<std::uint32_t>(entries);
  }
  const Json rewards = document.value("rewards", Json::object());
  for (const auto& [space, value] : rewards.items()) {
    ++rewards_[space];
  }
  add_state(document);
  if (kind == "step") {
    add_step(document);
  }
  first_ = first_.empty() ? at : std::min(first_, at);
  last_ = std::max(last_, at);
  return {};
}

std::string LogCard::counts_section() const {
  std::uint64_t complete = 0;
  std::uint64_t open = 0;
  for (const auto& [id, episode] : episodes_) {
    complete += episode.entries > 0 && episode.lines == episode.entries ? 1 : 0;
    open += episode.entries == 0 ? 1 : 0;
  }
  const auto kind = [this](const char* name) {
    const auto found = kinds_.find(name);
    return found == kinds_.end() ? std::uint64_t{0} : found->second;
  };
  std::vector<Row> rows = {
      {"lines", lines_},
      {"programs", programs_.size()},
      {"episodes", episodes_.size()},
      {"episodes that are complete", complete},
      {"episodes that are incomplete: lines are missing", episodes_.size() - complete - open},
      {"episodes without an end: under way when it was written, or cut off", open},
      {"lines known to be lost", dropped_},
      {"steps", kind("step")},
      {"different transitions", transitions_.size()},
      {"states", states_.size()},
      {"different actions (pipelines)", actions_.size()}};
  for (const auto& [start, count] : starts_) {
    rows.emplace_back("episodes that began by " + start, count);
  }
  return table("what", "count", rows);
}

std::string LogCard::propensity_section() const {
  const auto found = kinds_.find("step");
  const std::uint64_t steps = found == kinds_.end() ? 0 : found->second;
  return fmt::format(
      "## Propensities\n\n{} of {} steps have them: the natural logarithm of the probability with "
      "which the behaviour policy\nchose each pipeline in its state, as whoever stepped said it. "
      "They are exact or absent, never estimated; a step\nwithout is of no use for importance "
      "weighting.\n\n",
      with_propensity_, steps);
}

std::string LogCard::markdown() const {
  std::vector<Row> actions(actions_.begin(), actions_.end());
  std::ranges::sort(actions, [](const Row& a, const Row& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  actions.resize(std::min(actions.size(), kShownActions));
  std::vector<Row> features;
  for (const auto& [space, states] : features_) {
    features.emplace_back(space, states.size());
  }
  std::string text = "# Log of compile sessions: data card\n\n";
  text += first_.empty()
              ? "It is empty.\n\n"
              : fmt::format("Steps through passes from {} to {} (UTC).\n\n", first_, last_);
  text += "## Counts\n\n" + counts_section();
  text += "## Outcomes of steps\n\n" + table("outcome", "steps", rows_of(outcomes_));
  text += "## Rewards\n\n" + table("reward space", "lines", rows_of(rewards_));
  text += "## Observations\n\n" + table("observation space", "states", features);
  text += fmt::format("## Actions\n\nThe {} most frequent ones.\n\n", actions.size()) +
          table("pipeline", "times", actions);
  text += propensity_section();
  text += "## Machines and compilers\n\n" + table("machine", "episodes", rows_of(machines_)) +
          table("compiler", "episodes", rows_of(compilers_));
  text +=
      "## Licence\n\nUnknown. The programs are those of whoever opened the sessions, and are not "
      "in "
      "the log: hashes of them are, and\nnumbers counted in them. Say here under which terms the "
      "log may be used before it is passed on.\n\n";
  return text + std::string(kSchema);
}

}  // namespace hone
