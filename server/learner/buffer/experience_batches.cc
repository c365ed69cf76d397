// Experiences as episodes of one step.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/learner/buffer/buffer_export.h"
#include "server/learner/buffer/experience_stream.h"
#include "server/learner/buffer/sample_batches.h"

namespace hone {
namespace {

constexpr std::size_t kRowsOfABatch = 256;
constexpr std::size_t kMaxTargets = 4096;
constexpr std::array<std::string_view, 3> kBaselines{"own", "O3", "Oz"};

// What the observation's numbers are; the targets first, then what every row has.
struct Spaces {
  std::vector<std::string> targets;

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const std::string& target : targets) {
      all.push_back("target=" + target);
    }
    for (const std::string_view baseline : kBaselines) {
      all.push_back(fmt::format("baseline={}", baseline));
    }
    all.insert(all.end(), {"stage=confirm", "ln(1+objects)", "ln(1+objects that rules govern)"});
    return all;
  }

  std::vector<double> observe(const Experience& row) const {
    std::vector<double> numbers;
    numbers.reserve(targets.size() + 6);
    for (const std::string& target : targets) {
      numbers.push_back(target == row.target ? 1 : 0);
    }
    for (const std::string_view baseline : kBaselines) {
      numbers.push_back(baseline == row.baseline ? 1 : 0);
    }
    numbers.push_back(row.stage == "confirm" ? 1 : 0);
    numbers.push_back(std::log1p(static_cast<double>(row.decisions.size())));
    numbers.push_back(std::log1p(
        static_cast<double>(std::ranges::count(row.decisions, true, &ExperienceDecision::meant))));
    return numbers;
  }
};

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

std::string info_of(const Experience& row) {
  Json info = {{"id", row.id},
               {"outcome", row.outcome},
               {"reason", text_or_null(row.reason)},
               {"verdict", text_or_null(row.verdict)},
               {"candidate_set", text_or_null(row.candidate_set)},
               {"reward_low", row.reward ? Json(row.reward->low) : Json()},
               {"reward_high", row.reward ? Json(row.reward->high) : Json()}};
  return dump_json(info);
}

Result<Spaces> find_spaces(const std::filesystem::path& ndjson, const std::stop_token& stop) {
  std::set<std::string> targets;
  ExperienceStream rows({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(rows.read(
      [&](const Experience& row, std::string_view) -> Result<bool> {
        targets.insert(row.target);
        if (targets.size() > kMaxTargets) {
          return fail(ErrorCode::too_large, fmt::format("there are more than {} targets: export "
                                                        "them as --format ndjson",
                                                        kMaxTargets));
        }
        return true;
      },
      stop));
  return Spaces{{targets.begin(), targets.end()}};
}

}  // namespace

Result<ExportCounts> export_experience_batches(const std::filesystem::path& ndjson,
                                               const std::filesystem::path& folder,
                                               const std::stop_token& stop) {
  HONE_TRY(const Spaces spaces, find_spaces(ndjson, stop));
  const std::vector<std::string> names = spaces.names();
  HONE_TRY(SampleBatchWriter writer,
           SampleBatchWriter::create(folder, "experiences", names.size()));
  ActionTable actions;
  std::vector<SampleRow> batch;
  ExperienceStream rows({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(rows.read(
      [&](const Experience& row, std::string_view) -> Result<bool> {
        SampleRow sample;
        sample.obs = spaces.observe(row);
        sample.new_obs = sample.obs;
        HONE_TRY(sample.action, actions.number_of(row.rules.empty() ? "null" : row.rules));
        sample.reward = row.reward ? std::optional(row.reward->value) : std::nullopt;
        sample.action_logp = row.log_propensity;
        sample.terminated = true;
        sample.eps_id = episode_number(row.id);
        sample.info = info_of(row);
        batch.push_back(std::move(sample));
        if (batch.size() == kRowsOfABatch) {
          HONE_CHECK(writer.write(batch));
          batch.clear();
        }
        return true;
      },
      stop));
  HONE_CHECK(writer.write(batch));
  HONE_CHECK(writer.finish());
  Json listed = Json::array();
  for (const std::string& action : actions.list()) {
    HONE_TRY(Json rules, parse_json(action));
    listed.push_back(std::move(rules));
  }
  HONE_CHECK(write_file_atomically(
      folder / "spaces.json",
      dump_json({{"observation", names},
                 {"actions", std::move(listed)},
                 {"reward", "ln(T_baseline / T_candidate); above 0 is faster"}}) +
          "\n",
      0644));
  return ExportCounts{writer.rows(), writer.without_reward(), writer.batches()};
}

}  // namespace hone
