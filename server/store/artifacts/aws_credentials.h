// Who we are to an S3-compatible service, where AWS's own tools look for it: the variables
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else the profile AWS_PROFILE
// ("default") of AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials). Thread safe.
#pragma once

#include <string>

#include "common/base/result.h"

namespace hone {

// Never written to a log, a message or a URL.
struct AwsCredentials {
  std::string key_id;
  std::string secret;
  std::string session_token;  // "" for lasting keys
};

// Looked up anew at each call, so that changed keys are found without a restart. permission_denied
// if there are none, saying where was looked.
Result<AwsCredentials> find_aws_credentials();

// A profile of a credentials file's text; permission_denied if it lacks one of the keys.
Result<AwsCredentials> parse_aws_credentials(std::string_view text, std::string_view profile);

}  // namespace hone
