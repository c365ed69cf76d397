#include "server/canaries/manifest_driver.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/file.h"
#include "common/json/document.h"
#include "server/canaries/share_weights.h"

namespace hone {
namespace {

constexpr std::size_t kMostBytes = 65536;
constexpr std::size_t kMostName = 63;

// A DNS label (RFC 1123): what Kubernetes lets a service be called.
bool is_label(std::string_view name) {
  static constexpr std::string_view kLegal = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name.size() <= kMostName &&
         name.find_first_not_of(kLegal) == std::string_view::npos && name.front() != '-' &&
         name.back() != '-';
}

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
  return fail(ErrorCode::invalid_argument, place.file.string() +
                                               " is no TrafficSplit of this canary: remove it, or "
                                               "name another file");
}

}  // namespace

Result<void> check(const ManifestPlace& place) {
  if (!place.file.is_absolute()) {
    return fail(ErrorCode::invalid_argument,
                "file: \"" + place.file.string() + "\" is no absolute path");
  }
  for (const std::string& name : {place.name, place.service, place.baseline, place.canary}) {
    if (!is_label(name)) {
      return fail(ErrorCode::invalid_argument,
                  "\"" + name + "\" is no name of a service: 1 to 63 of a-z, 0-9 and -");
    }
  }
  if (place.baseline == place.canary) {
    return fail(ErrorCode::invalid_argument, "baseline and canary are the same service");
  }
  return {};
}

Async<void> ManifestDriver::set_share(int percent) {
  if (percent < 0 || percent > 100) {
    co_return fail(ErrorCode::invalid_argument,
                   fmt::format("{} % is no share of traffic, want 0 to 100", percent));
  }
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
