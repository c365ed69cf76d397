// Experiences as episodes of one step.
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/learner/buffer/buffer_export.h"
#include "server/learner/buffer/experience_features.h"
#include "server/learner/buffer/experience_stream.h"
#include "server/learner/buffer/sample_batches.h"

namespace hone {
namespace {

constexpr std::size_t kRowsOfABatch = 256;

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

}  // namespace

Result<ExportCounts> export_experience_batches(const std::filesystem::path& ndjson,
                                               const std::filesystem::path& folder,
                                               const std::stop_token& stop) {
  HONE_TRY(const ExperienceFeatures features, ExperienceFeatures::of_file(ndjson, stop));
  const std::vector<std::string> names = features.context_names();
  HONE_TRY(SampleBatchWriter writer,
           SampleBatchWriter::create(folder, "experiences", names.size()));
  ActionTable actions;
  std::vector<SampleRow> batch;
  ExperienceStream rows({.client = nullptr, .file = ndjson}, "");
  HONE_CHECK(rows.read(
      [&](const Experience& row, std::string_view) -> Result<bool> {
        SampleRow sample;
        sample.obs = features.context(row);
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
