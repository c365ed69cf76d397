// Files of the page as replies: types, compression, entity tags, and what the page may do.
#include "server/dashboard/page_reply.h"

#include <zlib.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::string kScript = "console.log('" + std::string(4000, 'x') + "');";

class PageRepliesTest : public testing::Test {
 protected:
  static constexpr const char* kHash =
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

  static std::string header(const Reply& reply, std::string_view name) {
    EXPECT_LE(std::ranges::count(reply.headers, name, &NamedValue::first), 1) << name;
    const auto found = std::ranges::find(reply.headers, name, &NamedValue::first);
    return found == reply.headers.end() ? "" : found->second;
  }
  Reply ask(const std::string& path, std::vector<HeaderField> headers = {}) const {
    Request request;
    request.headers = std::move(headers);
    return replies_.reply(path, request).value();
  }

  PageReplies replies_{{{"/index.html", "<!doctype html><title>Hone</title>", kHash},
                        {"/assets/main-1a2b.js", kScript, kHash},
                        {"/assets/dot.png", "\x89PNG", kHash}}};
};

std::string unpacked(std::string packed, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  return text;
}

TEST_F(PageRepliesTest, PlainWhereTheClientTakesNothingElse) {
  const Reply reply = ask("/assets/main-1a2b.js");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(reply.body, kScript);
  EXPECT_EQ(header(reply, "Content-Encoding"), "");
  EXPECT_EQ(header(reply, "Vary"), "Accept-Encoding");
}

TEST_F(PageRepliesTest, CompressedWhereItTakesGzip) {
  const Reply reply = ask("/assets/main-1a2b.js", {{"accept-encoding", "br, gzip;q=0.8"}});
  EXPECT_EQ(header(reply, "Content-Encoding"), "gzip");
  EXPECT_LT(reply.body.size(), kScript.size() / 10);
  EXPECT_EQ(unpacked(reply.body, kScript.size()), kScript);
}

TEST_F(PageRepliesTest, WhatIsNoSmallerIsNotCompressed) {
  const Reply reply = ask("/assets/dot.png", {{"accept-encoding", "gzip"}});
  EXPECT_EQ(header(reply, "Content-Encoding"), "");
  EXPECT_EQ(reply.content_type, "image/png");
  EXPECT_EQ(reply.body, "\x89PNG");
}

TEST_F(PageRepliesTest, HashedNamesAreKeptForEverAndTheDocumentIsAskedFor) {
  EXPECT_EQ(header(ask("/assets/main-1a2b.js"), "Cache-Control"),
            "public, max-age=31536000, immutable");
  EXPECT_EQ(header(ask("/index.html"), "Cache-Control"), "no-cache");
}

TEST_F(PageRepliesTest, WhoHasItGetsNothing) {
  const std::string plain = header(ask("/assets/main-1a2b.js"), "ETag");
  const std::string packed =
      header(ask("/assets/main-1a2b.js", {{"accept-encoding", "gzip"}}), "ETag");
  EXPECT_NE(plain, "");
  EXPECT_NE(plain, packed) << "other bytes have another tag";
  for (const std::string& tag : {plain, "W/" + plain, "\"x\", " + plain, std::string("*")}) {
    const Reply reply = ask("/assets/main-1a2b.js", {{"if-none-match", tag}});
    EXPECT_EQ(reply.status, 304) << tag;
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(header(reply, "ETag"), plain);
  }
  EXPECT_EQ(ask("/assets/main-1a2b.js", {{"if-none-match", packed}}).status, 200);
}

TEST_F(PageRepliesTest, ThePolicyAllowsNothingInTheDocument) {
  const std::string policy = header(ask("/index.html"), "Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
  for (const char* part : {"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"}) {
    EXPECT_NE(policy.find(part), std::string::npos) << part;
  }
  for (const char* word : {"unsafe", "http", "*"}) {
    EXPECT_EQ(policy.find(word), std::string::npos) << word;
  }
}

TEST_F(PageRepliesTest, OtherPathsAreNotThere) {
  for (const char* path : {"/assets/other.js", "/assets/", "", "/", "/index.htm"}) {
    EXPECT_EQ(replies_.reply(path, Request()).error().code, ErrorCode::not_found) << path;
  }
}

TEST(AcceptsGzip, AsTheHeaderSays) {
  for (const char* yes :
       {"gzip", "x-gzip", "deflate, gzip", "br;q=1.0, gzip;q=0.1", "*", " gzip "}) {
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  }
  for (const char* no : {"", "br", "identity", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzipped"}) {
    EXPECT_FALSE(accepts_gzip(no)) << no;
  }
}

TEST(EmbeddedPage, HasADocument) {
  const std::vector<PageFile>& files = embedded_page();
  const auto index = std::ranges::find(files, "/index.html", &PageFile::path);
  ASSERT_NE(index, files.end());
  EXPECT_TRUE(index->content.starts_with("<!doctype html>") ||
              index->content.starts_with("<!DOCTYPE html>"));
  for (const PageFile& file : files) {
    EXPECT_EQ(file.sha256.size(), 64U) << file.path;
  }
}

}  // namespace
}  // namespace hone
