#include "server/learner/models/training_rows.h"

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"
#include "common/protocol/candidate.h"
#include "server/learner/models/model_file.h"

namespace hone {
namespace {

constexpr std::string_view kFormat = "hone-rows/1";
constexpr double kHuge = 1e30;

Result<TrainingRows> read_head(const std::string& line) {
  HONE_TRY(const Json document, parse_json(line));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  const std::string format = reader.text("format");
  if (!format.empty() && format != kFormat) {
    return fail(ErrorCode::unsupported,
                fmt::format("format \"{}\" is not \"{}\"", format, kFormat));
  }
  const auto version = static_cast<int>(reader.integer("version", 0, 1'000'000));
  std::vector<std::string> features = reader.text_list("features", kMaxModelFeatures);
  if (features.empty()) {
    reader.refuse("features", "must have at least one name");
  }
  const std::int64_t members =
      reader.optional_integer("members", 0, static_cast<std::int64_t>(kMaxLoggedActions))
          .value_or(0);
  reader.finish();
  if (auto error = problems.as_error("head of the rows")) {
    return *std::move(error);
  }
  return TrainingRows(std::move(features), version, static_cast<std::size_t>(members));
}

Result<void> read_features(const Json* list, TrainingRow& row) {
  if (list == nullptr || !list->is_array() || list->size() > kMaxModelFeatures) {
    return fail(ErrorCode::invalid_argument, "features must be a list of numbers");
  }
  row.features.clear();
  for (const Json& value : *list) {
    if (!value.is_number()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("/features/{} is no number", row.features.size()));
    }
    row.features.push_back(value.get<float>());
  }
  return {};
}

Result<void> read_row(const std::string& line, TrainingRow& row) {
  HONE_TRY(const Json document, parse_json(line));
  Problems problems;
  ObjectReader reader(document, "", problems, UnknownKeys::refuse);
  HONE_CHECK(read_features(reader.require("features"), row));
  row.reward = reader.number("reward", -kHuge, kHuge);
  row.program = reader.optional_text("program").value_or("");
  row.id = reader.optional_text("id").value_or("");
  const std::optional<std::int64_t> member =
      reader.optional_integer("member", 0, static_cast<std::int64_t>(kMaxLoggedActions));
  row.member = member ? std::optional(static_cast<std::size_t>(*member)) : std::nullopt;
  const std::optional<double> propensity =
      reader.optional_number("log_propensity", kLeastLogPropensity, 0);
  if (member && !propensity) {
    reader.refuse("log_propensity", "must stand where \"member\" does");
  }
  row.log_propensity = propensity.value_or(0);
  reader.finish();
  if (auto error = problems.as_error("row")) {
    return *std::move(error);
  }
  return {};
}

}  // namespace

Result<void> TrainingRows::add(const TrainingRow& row) {
  if (row.features.size() != features_.size()) {
    return fail(ErrorCode::invalid_argument, fmt::format("a row of {} features: the head names {}",
                                                         row.features.size(), features_.size()));
  }
  for (std::size_t i = 0; i < row.features.size(); ++i) {
    if (!std::isfinite(row.features[i])) {
      return fail(ErrorCode::invalid_argument, fmt::format("feature {} of a row is {}, not finite",
                                                           features_[i], row.features[i]));
    }
  }
  if (!std::isfinite(row.reward)) {
    return fail(ErrorCode::invalid_argument, fmt::format("a reward is {}", row.reward));
  }
  if (row.member && *row.member >= members_) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("member {} is none of the {} of the head", *row.member, members_));
  }
  if (row.member && !(row.log_propensity <= 0)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("log_propensity {} is above 0", row.log_propensity));
  }
  if (values_.size() + features_.size() > kMaxTrainingValues) {
    return fail(ErrorCode::too_large,
                fmt::format("more than {} numbers of features", kMaxTrainingValues));
  }
  std::uint32_t group = static_cast<std::uint32_t>(group_count_);
  if (!row.program.empty()) {
    const auto [found, fresh] = group_of_.emplace(row.program, group);
    group = found->second;
    if (fresh) {
      programs_.push_back(row.program);
    }
  }
  group_count_ = std::max<std::size_t>(group_count_, group + std::size_t{1});
  groups_.push_back(group);
  values_.insert(values_.end(), row.features.begin(), row.features.end());
  rewards_.push_back(static_cast<float>(row.reward));
  chosen_.push_back(row.member ? static_cast<std::int32_t>(*row.member) : -1);
  log_propensities_.push_back(row.log_propensity);
  last_ = row.id.empty() ? std::to_string(rows()) : row.id;
  if (first_.empty()) {
    first_ = last_;
  }
  return {};
}

Result<DecisionLog> TrainingRows::decisions() const {
  DecisionLog log;
  log.actions = members_;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (chosen_[i] < 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("row {} has no member: a bandit must know what was chosen", i + 1));
    }
    const std::span<const float> row = values().subspan(i * features_.size(), features_.size());
    log.rows.push_back({{row.begin(), row.end()},
                        static_cast<std::size_t>(chosen_[i]),
                        log_propensities_[i],
                        rewards_[i]});
  }
  return log;
}

Result<TrainingRows> read_training_rows(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    return fail(ErrorCode::not_found, file.string() + " cannot be read");
  }
  const auto where = [&](const Error& error, std::size_t number) {
    return error.within(fmt::format("{}, line {}", file.string(), number));
  };
  std::string line;
  if (!std::getline(stream, line)) {
    return fail(ErrorCode::invalid_argument, file.string() +
                                                 " is empty: its first line must be a "
                                                 "head with \"format\"");
  }
  Result<TrainingRows> rows = read_head(line);
  if (!rows) {
    return where(rows.error(), 1);
  }
  TrainingRow row;
  for (std::size_t number = 2; std::getline(stream, line); ++number) {
    if (line.size() > kMaxRowBytes) {
      return where(fail(ErrorCode::too_large, "more than 1 MiB"), number);
    }
    const Result<void> read = read_row(line, row);
    const Result<void> added = read ? rows->add(row) : read;
    if (!added) {
      return where(added.error(), number);
    }
  }
  if (stream.bad()) {
    return fail(ErrorCode::io_failed, file.string() + " cannot be read to its end");
  }
  return rows;
}

}  // namespace hone
