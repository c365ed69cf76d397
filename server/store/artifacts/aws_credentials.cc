#include "server/store/artifacts/aws_credentials.h"

#include <cstdlib>
#include <filesystem>

#include "common/base/file.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxFileBytes = 1U << 20U;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<AwsCredentials> parse_aws_credentials(std::string_view text, std::string_view profile) {
  AwsCredentials found;
  bool here = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with('[') && line.ends_with(']')) {
      here = trim(line.substr(1, line.size() - 2)) == profile;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!here || equals == std::string_view::npos || line.starts_with('#') ||
        line.starts_with(';')) {
      continue;
    }
    const std::string_view name = trim(line.substr(0, equals));
    const std::string_view value = trim(line.substr(equals + 1));
    if (name == "aws_access_key_id") {
      found.key_id = value;
    } else if (name == "aws_secret_access_key") {
      found.secret = value;
    } else if (name == "aws_session_token") {
      found.session_token = value;
    }
  }
  if (found.key_id.empty() || found.secret.empty()) {
    return fail(ErrorCode::permission_denied,
                "the profile \"" + std::string(profile) +
                    "\" has no aws_access_key_id with aws_secret_access_key");
  }
  return found;
}

Result<AwsCredentials> find_aws_credentials() {
  AwsCredentials given{variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
                       variable("AWS_SESSION_TOKEN")};
  if (!given.key_id.empty() && !given.secret.empty()) {
    return given;
  }
  std::filesystem::path file = variable("AWS_SHARED_CREDENTIALS_FILE");
  if (file.empty()) {
    file = std::filesystem::path(variable("HOME")) / ".aws" / "credentials";
  }
  std::string profile = variable("AWS_PROFILE");
  if (profile.empty()) {
    profile = "default";
  }
  const Result<std::string> text = read_file(file, kMaxFileBytes);
  if (!text) {
    return fail(ErrorCode::permission_denied,
                "no S3 credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and " +
                    text.error().message);
  }
  Result<AwsCredentials> found = parse_aws_credentials(*text, profile);
  if (!found) {
    return found.error().within(file.string());
  }
  return found;
}

}  // namespace hone
