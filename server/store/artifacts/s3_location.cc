#include "server/store/artifacts/s3_location.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::string_view kUsage =
    "; want s3://BUCKET[/PREFIX][?region=...&endpoint=https://host:port&path_style=1]";

Error bad(const std::string& what) {
  return fail(ErrorCode::invalid_argument, "artifacts: " + what + std::string(kUsage));
}

bool holds_only(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

// "https://host[:port]" without anything behind it.
bool is_endpoint(std::string_view text) {
  const std::size_t host = text.starts_with("https://")  ? 8
                           : text.starts_with("http://") ? 7
                                                         : std::string_view::npos;
  return host != std::string_view::npos && text.size() > host &&
         holds_only(text.substr(host), ".-:[]");
}

Result<void> take_parameter(S3Location& location, std::string_view name, std::string_view value) {
  if (name == "endpoint") {
    location.endpoint = value.ends_with('/') ? value.substr(0, value.size() - 1) : value;
    if (!is_endpoint(location.endpoint)) {
      return bad("the endpoint \"" + std::string(value) + "\" is no http:// or https:// address");
    }
  } else if (name == "region") {
    location.region = value;
    if (value.empty() || !holds_only(value, "-_")) {
      return bad("\"" + std::string(value) + "\" is no region");
    }
  } else if (name == "path_style") {
    if (value != "0" && value != "1") {
      return bad("path_style must be 0 or 1, not \"" + std::string(value) + "\"");
    }
    location.path_style = value == "1";
  } else {
    // Its value is not repeated: it might be a key that somebody put here.
    return bad("unknown parameter \"" + std::string(name) +
               "\" (credentials come from the environment or ~/.aws/credentials)");
  }
  return {};
}

}  // namespace

std::string S3Location::url_of(std::string_view key, std::string_view query) const {
  const std::size_t host = endpoint.find("://") + 3;
  std::string url = path_style ? endpoint + "/" + bucket
                               : endpoint.substr(0, host) + bucket + "." + endpoint.substr(host);
  url += "/" + prefix + std::string(key);
  if (!query.empty()) {
    url += "?" + std::string(query);
  }
  return url;
}

std::string S3Location::describe() const {
  return "s3://" + bucket + "/" + prefix + " at " + endpoint;
}

Result<S3Location> parse_s3_url(std::string_view text) {
  if (!is_s3_url(text)) {
    return bad("the URL does not begin with s3://");
  }
  std::string_view rest = text.substr(5);
  const std::size_t question = std::min(rest.find('?'), rest.size());
  const std::string_view place = rest.substr(0, question);
  if (place.find('@') != std::string_view::npos) {
    return bad("a URL holds no credentials: they come from the environment or ~/.aws/credentials");
  }
  S3Location location;
  const std::size_t slash = std::min(place.find('/'), place.size());
  location.bucket = place.substr(0, slash);
  location.prefix = place.substr(std::min(slash + 1, place.size()));
  if (location.bucket.size() < 3 || location.bucket.size() > 63 ||
      !holds_only(location.bucket, ".-")) {
    return bad("\"" + location.bucket + "\" is no name of a bucket");
  }
  if (!holds_only(location.prefix, "._-/") || location.prefix.starts_with('/') ||
      location.prefix.find("//") != std::string::npos) {
    return bad("the prefix \"" + location.prefix +
               "\" may hold letters, digits and ._- between single slashes");
  }
  if (!location.prefix.empty() && !location.prefix.ends_with('/')) {
    location.prefix += '/';
  }
  const char* const region = std::getenv("AWS_REGION");
  location.region = region != nullptr && *region != '\0' ? region : "us-east-1";
  if (question < rest.size()) {
    for (const std::string_view part : split(rest.substr(question + 1), '&')) {
      const std::size_t equals = std::min(part.find('='), part.size());
      HONE_CHECK(take_parameter(location, part.substr(0, equals),
                                part.substr(std::min(equals + 1, part.size()))));
    }
  }
  if (location.endpoint.empty()) {
    location.endpoint = "https://s3." + location.region + ".amazonaws.com";
  }
  return location;
}

}  // namespace hone
