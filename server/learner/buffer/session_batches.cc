// Compile sessions as episodes of many steps.
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/learner/buffer/buffer_export.h"
#include "server/learner/buffer/experience_stream.h"
#include "server/learner/buffer/sample_batches.h"

namespace hone {
namespace {

// Steps of episodes whose end has not come yet, and states, that are held.
constexpr std::size_t kMaxOpenSteps = 2'000'000;
constexpr std::size_t kMaxStates = 4'000'000;

struct Episode {
  std::vector<SampleRow> rows;
  std::int64_t unroll = 0;  // an undo begins another: what follows it does not follow from before
};

class EpisodeBuilder {
 public:
  EpisodeBuilder(std::string observation, std::string reward)
      : observation_(std::move(observation)), reward_(std::move(reward)) {}

  Result<void> note_state(const SessionStep& row) {
    if (row.next_state.empty() || states_.contains(row.next_state)) {
      return {};
    }
    HONE_TRY(std::vector<double> numbers, feature_vector(row.features, observation_));
    if (numbers.empty()) {
      return {};
    }
    if (states_.size() == kMaxStates) {
      return fail(
          ErrorCode::too_large,
          fmt::format("there are more than {} states: export fewer lines (--since)", kMaxStates));
    }
    obs_size_ = obs_size_ == 0 ? numbers.size() : obs_size_;
    states_.emplace(row.next_state, std::move(numbers));
    return {};
  }

  Result<void> add(const SessionStep& row, SampleBatchWriter& writer) {
    if (row.kind == "undo") {
      ++open_[row.episode].unroll;
    } else if (row.kind == "step") {
      HONE_CHECK(add_step(row));
    } else if (row.kind == "end") {
      // Who closes or resets has chosen to end; anything else ended it.
      HONE_CHECK(end(row.episode, row.reason == "closed" || row.reason == "reset", writer));
    }
    return {};
  }

  // What has no end.
  Result<void> finish(SampleBatchWriter& writer) {
    while (!open_.empty()) {
      HONE_CHECK(end(open_.begin()->first, false, writer));
    }
    return {};
  }

  std::size_t obs_size() const { return obs_size_; }
  std::vector<std::string> actions() const { return actions_.list(); }

 private:
  Result<void> add_step(const SessionStep& row) {
    if (++open_steps_ > kMaxOpenSteps) {
      return fail(ErrorCode::too_large, fmt::format("more than {} steps are of episodes without an "
                                                    "end: export fewer lines (--since)",
                                                    kMaxOpenSteps));
    }
    Episode& episode = open_[row.episode];
    SampleRow sample;
    sample.obs = known(row.state);
    sample.new_obs = known(row.next_state);
    std::string action;
    for (const std::string& pipeline : row.pipelines) {
      action += (action.empty() ? "" : ",") + pipeline;
    }
    HONE_TRY(sample.action, actions_.number_of(action));
    for (const auto& [space, value] : row.rewards) {
      if (space == reward_ && row.outcome == "ok") {
        sample.reward = value;
      }
    }
    if (!row.log_propensities.empty()) {
      sample.action_logp = 0;
      for (const double each : row.log_propensities) {
        *sample.action_logp += each;
      }
    }
    sample.eps_id = episode_number(row.episode);
    sample.unroll_id = episode.unroll;
    sample.t = row.step;
    const Json info = {
        {"episode", row.episode}, {"program", row.program},
        {"state", row.state},     {"next_state", row.next_state},
        {"outcome", row.outcome}, {"reason", row.reason.empty() ? Json() : Json(row.reason)},
        {"applied", row.applied}};
    sample.info = dump_json(info);
    episode.rows.push_back(std::move(sample));
    return {};
  }

  // By value: the key goes with the episode.
  Result<void> end(const std::string episode, bool terminated, SampleBatchWriter& writer) {
    const auto found = open_.find(episode);
    if (found == open_.end()) {
      return {};
    }
    std::vector<SampleRow>& rows = found->second.rows;
    if (!rows.empty()) {
      rows.back().terminated = terminated;
      rows.back().truncated = !terminated;
    }
    HONE_CHECK(writer.write(rows));
    open_steps_ -= rows.size();
    open_.erase(found);
    return {};
  }

  std::vector<double> known(const std::string& state) const {
    const auto found = states_.find(state);
    return found == states_.end() ? std::vector<double>() : found->second;
  }

  std::string observation_;
  std::string reward_;
  std::size_t obs_size_ = 0;
  std::size_t open_steps_ = 0;
  ActionTable actions_;
  std::unordered_map<std::string, std::vector<double>> states_;
  std::map<std::string, Episode> open_;
};

}  // namespace

Result<ExportCounts> export_session_batches(const std::filesystem::path& ndjson,
                                            const std::filesystem::path& folder,
                                            const std::string& observation,
                                            const std::string& reward,
                                            const std::stop_token& stop) {
  // Twice over the file: what is known of a state may stand in a later line than its first step's.
  EpisodeBuilder builder(observation, reward);
  SessionStepStream states({.client = nullptr, .file = ndjson}, "");
  std::uint64_t lines = 0;
  HONE_CHECK(states.read(
      [&](const SessionStep& row, std::string_view) -> Result<bool> {
        ++lines;
        HONE_CHECK(builder.note_state(row));
        return true;
      },
      stop));
  if (builder.obs_size() == 0 && lines > 0) {
    return fail(ErrorCode::not_found,
                fmt::format("no state in {} has the observation '{}': log sessions that are "
                            "opened with it, or name another by --observation",
                            ndjson.string(), observation));
  }
  HONE_TRY(SampleBatchWriter writer,
           SampleBatchWriter::create(folder, "sessions", builder.obs_size()));
  SessionStepStream steps({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(steps.read(
      [&](const SessionStep& row, std::string_view) -> Result<bool> {
        HONE_CHECK(builder.add(row, writer));
        return true;
      },
      stop));
  HONE_CHECK(builder.finish(writer));
  HONE_CHECK(writer.finish());
  Json names = Json::array();
  for (std::size_t i = 0; i < builder.obs_size(); ++i) {
    names.push_back(fmt::format("{}[{}]", observation, i));
  }
  HONE_CHECK(write_file_atomically(
      folder / "spaces.json",
      dump_json(
          {{"observation", std::move(names)}, {"actions", builder.actions()}, {"reward", reward}}) +
          "\n",
      0644));
  return ExportCounts{writer.rows(), writer.without_reward(), writer.batches()};
}

}  // namespace hone
