// Where artifacts lie in an S3-compatible service, as a URL says it:
//
//   s3://BUCKET/PREFIX?region=eu-central-1&endpoint=https://host:9000&path_style=1
//
// region defaults to us-east-1 (AWS_REGION if set), endpoint to AWS's own of that region. With
// path_style=1 the bucket stands in the path (https://host:9000/BUCKET/...), else in front of the
// host's name. Credentials never stand here (aws_credentials.h). Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace hone {

struct S3Location {
  std::string bucket;
  std::string prefix;    // "" or ends with '/'
  std::string endpoint;  // "https://host:9000", no '/' at its end
  std::string region;
  bool path_style = false;

  // The whole URL of a key below the prefix, its query being `query` ("" for none).
  std::string url_of(std::string_view key, std::string_view query = {}) const;
  // "s3://BUCKET/PREFIX at https://host:9000".
  std::string describe() const;
};

inline bool is_s3_url(std::string_view text) {
  return text.starts_with("s3://");
}

// invalid_argument, naming the part that is wrong; user names and unknown parameters are refused.
Result<S3Location> parse_s3_url(std::string_view text);

}  // namespace hone
