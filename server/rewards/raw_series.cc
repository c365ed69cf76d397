#include "server/rewards/raw_series.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "common/json/document.h"

namespace hone {
namespace {

constexpr std::size_t kShownText = 200;

Error bad_reply(const std::string& what) {
  return fail(ErrorCode::invalid_argument, "Prometheus' reply is none that we know: " + what);
}

// "12.5", "NaN", "+Inf" and "-Inf", as Prometheus writes values.
std::optional<double> parse_value(const std::string& text) {
  if (text == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (text == "+Inf" || text == "Inf" || text == "-Inf") {
    return text.front() == '-' ? -std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::infinity();
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

Result<RawSample> parse_sample(const Json& sample) {
  if (!sample.is_array() || sample.size() != 2 || !sample[0].is_number() ||
      !sample[1].is_string()) {
    return bad_reply("a sample is not [time, \"value\"]");
  }
  const std::optional<double> value = parse_value(sample[1].get<std::string>());
  if (!value) {
    return bad_reply("a value is no number");
  }
  return RawSample{sample[0].get<double>(), *value};
}

Result<RawSeries> parse_series(const Json& document, std::size_t& samples) {
  const auto metric = document.find("metric");
  const auto values = document.find("values");
  if (!document.is_object() || metric == document.end() || !metric->is_object() ||
      values == document.end() || !values->is_array()) {
    return bad_reply("a series has no metric and values");
  }
  samples += values->size();
  if (samples > kMostSamples) {
    return fail(ErrorCode::too_large, "the query has more than " + std::to_string(kMostSamples) +
                                          " samples: shorten the window, or select fewer series");
  }
  RawSeries series;
  for (const auto& [name, value] : metric->items()) {
    if (!value.is_string()) {
      return bad_reply("a label is no text");
    }
    series.labels.emplace(name, value.get<std::string>());
  }
  double last = -std::numeric_limits<double>::infinity();
  for (const Json& each : *values) {
    HONE_TRY(const RawSample sample, parse_sample(each));
    if (sample.time < last) {
      return bad_reply("the samples of a series are not in order");
    }
    last = sample.time;
    series.samples.push_back(sample);
  }
  return series;
}

// The list of results of that type.
Result<Json> parse_result(std::string_view reply, const std::string& type) {
  HONE_TRY(const Json document, parse_json(reply, {.bytes = std::size_t{64} << 20U}));
  if (!document.is_object() || !document.contains("status") || !document["status"].is_string()) {
    return bad_reply("it has no status");
  }
  if (document["status"].get<std::string>() != "success") {
    const std::string why = document.contains("error") && document["error"].is_string()
                                ? document["error"].get<std::string>()
                                : "no reason given";
    return fail(ErrorCode::invalid_argument, "Prometheus refused: " + why.substr(0, kShownText));
  }
  const auto data = document.find("data");
  if (data == document.end() || !data->is_object() || data->value("resultType", "") != type ||
      !data->contains("result") || !(*data)["result"].is_array()) {
    return bad_reply("it is no " + type);
  }
  return (*data)["result"];
}

}  // namespace

std::string_view RawSeries::label(const std::string& name) const {
  const auto found = labels.find(name);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

Result<std::vector<RawSeries>> parse_matrix(std::string_view reply) {
  HONE_TRY(const Json result, parse_result(reply, "matrix"));
  if (result.size() > kMostSeries) {
    return fail(ErrorCode::too_large, "the query has more than " + std::to_string(kMostSeries) +
                                          " series: select fewer by labels");
  }
  std::vector<RawSeries> all;
  std::size_t samples = 0;
  for (const Json& each : result) {
    HONE_TRY(RawSeries series, parse_series(each, samples));
    all.push_back(std::move(series));
  }
  return all;
}

Result<std::vector<RawSeries>> parse_vector(std::string_view reply) {
  HONE_TRY(Json result, parse_result(reply, "vector"));
  std::vector<RawSeries> all;
  std::size_t samples = 0;
  for (Json& each : result) {
    if (each.is_object() && each.contains("value")) {
      each["values"] = Json::array({each["value"]});
    }
    HONE_TRY(RawSeries series, parse_series(each, samples));
    all.push_back(std::move(series));
  }
  return all;
}

Result<double> parse_single(std::string_view reply) {
  HONE_TRY(const std::vector<RawSeries> all, parse_vector(reply));
  if (all.empty()) {
    return 0.0;
  }
  if (all.size() > 1 || !std::isfinite(all.front().samples.front().value)) {
    return bad_reply("it is no single, finite number");
  }
  return all.front().samples.front().value;
}

}  // namespace hone
