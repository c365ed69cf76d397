// Experiences as rows that models are trained on (hone-rows/1).
#include <cerrno>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/learner/buffer/buffer_export.h"
#include "server/learner/buffer/experience_features.h"
#include "server/learner/buffer/experience_stream.h"

namespace hone {
namespace {

// Of what the features mean.
constexpr int kVersion = 2;

}  // namespace

Result<ExportCounts> export_experience_rows(const std::filesystem::path& ndjson,
                                            const std::filesystem::path& output,
                                            const std::stop_token& stop) {
  HONE_TRY(const ExperienceFeatures features, ExperienceFeatures::of_file(ndjson, stop));
  std::vector<std::string> names = features.context_names();
  const std::vector<std::string> knobs = features.knob_names();
  names.insert(names.end(), knobs.begin(), knobs.end());
  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file << dump_json({{"format", "hone-rows/1"}, {"version", kVersion}, {"features", names}})
       << '\n';
  ExportCounts counts;
  ExperienceStream rows({.client = nullptr, .file = ndjson}, "");
  std::string text;
  HONE_CHECK(rows.read(
      [&](const Experience& row, std::string_view) -> Result<bool> {
        if (!row.reward) {
          ++counts.without_reward;
          return true;
        }
        HONE_TRY(const std::vector<double> set, features.knobs(row));
        text = "{\"features\":[";
        for (const double number : features.context(row)) {
          fmt::format_to(std::back_inserter(text), "{},", number);
        }
        for (const double number : set) {
          fmt::format_to(std::back_inserter(text), "{},", number);
        }
        text.back() = ']';
        fmt::format_to(std::back_inserter(text), ",\"reward\":{},\"program\":{},\"id\":{}",
                       row.reward->value, dump_json(row.target), dump_json(row.id));
        if (row.log_propensity) {
          fmt::format_to(std::back_inserter(text), ",\"log_propensity\":{}", *row.log_propensity);
        }
        text += "}\n";
        file << text;
        ++counts.rows;
        return file ? Result<bool>(true) : system_error("cannot write " + output.string(), errno);
      },
      stop));
  file.close();
  if (!file) {
    return system_error("cannot write " + output.string(), errno);
  }
  return counts;
}

}  // namespace hone
