#include "server/canaries/manifest_driver.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/canaries/share_weights.h"

namespace hone {
namespace {

constexpr std::size_t kMostBytes = 65536;

Json manifest(const ManifestPlace& place, int percent) {
  return {{"apiVersion", "split.smi-spec.io/v1alpha4"},
          {"kind", "TrafficSplit"},
          {"metadata", {{"name", place.name}}},
          {"spec",
           {{"service", place.service},
            {"backends", Json::array({{{"service", place.baseline}, {"weight", 100 - percent}},
                                      {{"service", place.canary}, {"weight", percent}}})}}}};
}

// The canary's weight, where the document is one that manifest() wrote.
Result<int> weight_in(const Json& document, const ManifestPlace& place) {
  const Json::json_pointer pointer("/spec/backends/1/weight");
  if (document.is_object() && document.contains(pointer) && document[pointer].is_number_integer()) {
    const int weight = document[pointer].get<int>();
    if (weight >= 0 && weight <= 100 && document == manifest(place, weight)) {
      return weight;
    }
  }
  return fail(ErrorCode::invalid_argument, place.file +
                                               " is no TrafficSplit of this canary: remove it, or "
                                               "name another file");
}

}  // namespace

Async<void> ManifestDriver::set_share(int percent) {
  if (percent < 0 || percent > 100) {
    co_return fail(ErrorCode::invalid_argument,
                   fmt::format("{} % is no share of traffic, want 0 to 100", percent));
  }
  const Result<int> before = co_await share();
  HONE_CO_CHECK(before);  // what is none of ours is not written over
  const std::string text = dump_json_pretty(manifest(place_, percent)) + "\n";
  const Result<bool> written = write_file_if_changed(place_.file, text);
  HONE_CO_CHECK(written);
  co_return Result<void>();
}

Async<int> ManifestDriver::share() {
  const Result<std::string> text = read_file(place_.file, kMostBytes);
  if (!text && text.error().code == ErrorCode::not_found) {
    co_return 0;
  }
  HONE_CO_CHECK(text);
  HONE_CO_TRY(const Json document, parse_json(*text));
  Result<int> weight = weight_in(document, place_);
  co_return weight;
}

}  // namespace hone
