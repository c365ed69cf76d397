// Where a bucket is and who we are to it.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "server/store/artifacts/aws_credentials.h"
#include "server/store/artifacts/s3_client.h"

namespace hone {
namespace {

TEST(S3Location, SaysWhereAKeyIs) {
  const Result<S3Location> minio = parse_s3_url(
      "s3://builds/hone/ci?endpoint=https://minio.example:9000/&region=eu-central-1&path_style=1");
  ASSERT_TRUE(minio) << minio.error().describe();
  EXPECT_EQ(minio->url_of("ab/abc", "uploads="),
            "https://minio.example:9000/builds/hone/ci/ab/abc?uploads=");
  EXPECT_EQ(minio->region, "eu-central-1");
  const Result<S3Location> amazon = parse_s3_url("s3://builds?region=eu-west-1");
  ASSERT_TRUE(amazon);
  EXPECT_EQ(amazon->url_of("ab/abc"), "https://builds.s3.eu-west-1.amazonaws.com/ab/abc");
}

TEST(S3Location, WhatIsWrongIsNamedAndSecretsAreNotRepeated) {
  for (const auto& [url, words] : std::vector<std::pair<std::string, std::string>>{
           {"s3://", "no name of a bucket"},
           {"s3://a_b", "no name of a bucket"},
           {"s3://bucket/a//b", "prefix"},
           {"s3://bucket/a b", "prefix"},
           {"s3://bucket?endpoint=ftp://x", "endpoint"},
           {"s3://bucket?endpoint=https://user:SECRET@x", "endpoint"},
           {"s3://bucket?endpoint=https://x/path", "endpoint"},
           {"s3://bucket?region=", "region"},
           {"s3://bucket?path_style=yes", "path_style"},
           {"s3://key:SECRET@bucket", "holds no credentials"},
           {"s3://bucket?secret_key=SECRET", "secret_key"}}) {
    const Result<S3Location> location = parse_s3_url(url);
    ASSERT_FALSE(location) << url;
    EXPECT_EQ(location.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(location.error().message.find(words), std::string::npos) << location.error().message;
    if (url.find("endpoint") == std::string::npos) {
      EXPECT_EQ(location.error().message.find("SECRET"), std::string::npos);
    }
  }
}

TEST(AwsCredentials, AreReadFromAProfile) {
  const std::string text =
      "# ours\n[default]\naws_access_key_id = AKID\naws_secret_access_key=secret/+=\n"
      "[ci]\naws_access_key_id=CI\naws_secret_access_key=other\naws_session_token=token\n[empty]\n";
  const Result<AwsCredentials> first = parse_aws_credentials(text, "default");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->key_id, "AKID");
  EXPECT_EQ(first->secret, "secret/+=");
  EXPECT_EQ(first->session_token, "");
  EXPECT_EQ(parse_aws_credentials(text, "ci")->session_token, "token");
  EXPECT_EQ(parse_aws_credentials(text, "empty").error().code, ErrorCode::permission_denied);
  EXPECT_EQ(parse_aws_credentials(text, "none").error().code, ErrorCode::permission_denied);
}

TEST(AwsCredentials, ComeFromTheEnvironmentFirst) {
  const TemporaryFolder folder = *TemporaryFolder::create("aws");
  const std::string file = folder.path() / "credentials";
  ::unsetenv("AWS_ACCESS_KEY_ID");
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  ::unsetenv("AWS_PROFILE");
  ::setenv("AWS_SHARED_CREDENTIALS_FILE", file.c_str(), 1);
  const Error none = find_aws_credentials().error();
  EXPECT_EQ(none.code, ErrorCode::permission_denied);
  EXPECT_NE(none.message.find("AWS_ACCESS_KEY_ID"), std::string::npos) << none.message;
  std::ofstream(file) << "[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n";
  EXPECT_EQ(find_aws_credentials()->key_id, "FILE");
  ::setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
  EXPECT_EQ(find_aws_credentials()->key_id, "ENV");
}

TEST(XmlText, IsTheFirstElements) {
  EXPECT_EQ(xml_text("<a><ETag>&quot;x&amp;y&quot;</ETag></a>", "ETag"), "\"x&y\"");
  EXPECT_EQ(xml_text("<Error><Code>No</Code><Message/></Error>", "Message"), "");
  EXPECT_EQ(xml_text("<Code>cut", "Code"), "");
  EXPECT_EQ(xml_text("", "Code"), "");
}

}  // namespace
}  // namespace hone
