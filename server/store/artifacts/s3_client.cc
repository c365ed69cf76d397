#include "server/store/artifacts/s3_client.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/sha256.h"
#include "server/store/artifacts/aws_credentials.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kLongestPause{5'000};
constexpr std::chrono::milliseconds kLongestLimit{86'400'000};

// Once for the process; never undone, since other threads may still use it at the end.
void start_curl() {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(kStarted);
}

struct HandleCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListCloser>;

// What is left of the request's time, in libcurl's unit; 0: no limit.
Result<long> time_left(const S3Request& request) {
  if (!request.until) {
    return 0L;
  }
  const auto left = std::chrono::floor<std::chrono::milliseconds>(*request.until -
                                                                  std::chrono::steady_clock::now());
  if (left.count() <= 0) {
    return fail(ErrorCode::unavailable,
                "no time is left for " + request.method + " of " + request.key);
  }
  return static_cast<long>(std::min(left, kLongestLimit).count());
}

// A thread's own, kept for its connection.
CURL* thread_handle() {
  thread_local const std::unique_ptr<CURL, HandleCloser> kHandle(curl_easy_init());
  if (kHandle != nullptr) {
    curl_easy_reset(kHandle.get());
  }
  return kHandle.get();
}

void add_header(HeaderList& list, const std::string& line) {
  if (curl_slist* const longer = curl_slist_append(list.get(), line.c_str())) {
    static_cast<void>(list.release());
    list.reset(longer);
  }
}

// What one exchange reads and writes; libcurl's callbacks get a pointer to it.
struct Exchange {
  const S3Request& request;
  const std::atomic<bool>& stopped;
  UniqueFd file;
  std::int64_t sent = 0;
  int read_error = 0;
  bool too_long = false;
  S3Answer answer;
};

std::size_t give_body(char* buffer, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(size * count),
                                             exchange.request.size - exchange.sent);
  ssize_t got = -1;
  do {
    got = ::pread(exchange.file.get(), buffer, static_cast<std::size_t>(wanted),
                  exchange.request.offset + exchange.sent);
  } while (got < 0 && errno == EINTR);
  if (got < 0 || (got == 0 && wanted > 0)) {
    exchange.read_error = got < 0 ? errno : EIO;
    return CURL_READFUNC_ABORT;
  }
  exchange.sent += got;
  return static_cast<std::size_t>(got);
}

// libcurl wants to begin the body anew on a fresh connection.
int rewind_body(void* user, curl_off_t offset, int origin) {
  auto& exchange = *static_cast<Exchange*>(user);
  if (origin != SEEK_SET || offset < 0 || offset > exchange.request.size) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  exchange.sent = offset;
  return CURL_SEEKFUNC_OK;
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  if (exchange.answer.body.size() + size * count > exchange.request.answer_limit) {
    exchange.too_long = true;
    return 0;
  }
  exchange.answer.body.append(bytes, size * count);
  return size * count;
}

int watch(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Exchange*>(user)->stopped ? 1 : 0;
}

std::string answer_header(CURL* handle, const char* name) {
  curl_header* header = nullptr;
  return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value
                                                                                   : "";
}

// Whether another try may help; a certificate that is not trusted stays so.
bool is_passing(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

Error refusal(const S3Location& location, const S3Request& request, const S3Answer& answer) {
  const std::string code = xml_text(answer.body, "Code");
  const std::string said = xml_text(answer.body, "Message").substr(0, 500);
  const std::string place = location.describe();
  if (code == "NoSuchKey" || code == "NoSuchUpload" || (answer.status == 404 && code.empty())) {
    return fail(ErrorCode::not_found, "no " + request.key + " in " + place);
  }
  if (code == "NoSuchBucket") {
    return fail(ErrorCode::unavailable,
                "the bucket does not exist: " + place + "; make it, or mend --artifacts");
  }
  if (code == "RequestTimeTooSkewed" || code == "RequestExpired") {
    return fail(ErrorCode::unavailable, "this machine's clock differs too much from that of " +
                                            place + " (it says " + answer.date +
                                            "): set the clock");
  }
  if (code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch" || code == "ExpiredToken" ||
      code == "InvalidToken") {
    return fail(ErrorCode::unavailable, place + " does not accept our credentials (" + code +
                                            "): mend AWS_ACCESS_KEY_ID " +
                                            "and AWS_SECRET_ACCESS_KEY, or the credentials file");
  }
  if (answer.status == 403 || answer.status == 401) {
    return fail(ErrorCode::unavailable,
                "access denied by " + place + " (" + (code.empty() ? "403" : code) +
                    "): the credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, "
                    "s3:AbortMultipartUpload and s3:ListBucket there");
  }
  if (answer.status == 301 || answer.status == 307 || code == "PermanentRedirect" ||
      code == "AuthorizationHeaderMalformed") {
    return fail(ErrorCode::unavailable, place + " is not in the region \"" + location.region +
                                            "\": mend region= or " + "endpoint= (" + said + ")");
  }
  if (answer.status == 507 || code == "QuotaExceeded" || code == "XMinioStorageFull") {
    return fail(ErrorCode::disk_full, place + " has no room left: " + said);
  }
  return fail(ErrorCode::unavailable, place + " answered " + std::to_string(answer.status) + " " +
                                          code + (said.empty() ? "" : ": " + said));
}

}  // namespace

std::string xml_text(std::string_view document, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">";
  const std::size_t begin = document.find(open);
  const std::size_t end = document.find("</" + std::string(name) + ">", begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) {
    return "";
  }
  std::string text(document.substr(begin + open.size(), end - begin - open.size()));
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities{
      {{"&quot;", "\""},
       {"&#34;", "\""},
       {"&lt;", "<"},
       {"&gt;", ">"},
       {"&apos;", "'"},
       {"&amp;", "&"}}};
  for (const auto& [entity, character] : kEntities) {
    for (std::size_t at = text.find(entity); at != std::string::npos;
         at = text.find(entity, at + 1)) {
      text.replace(at, entity.size(), character);
    }
  }
  return text;
}

S3Client::S3Client(S3Options options) : options_(std::move(options)) {
  start_curl();
}

S3Client::~S3Client() {
  stop();
}

void S3Client::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
}

bool S3Client::pause(int tries) {
  const auto doubled = options_.first_pause * (std::int64_t{1} << std::min(tries, 16));
  std::chrono::milliseconds time = std::min<std::chrono::milliseconds>(doubled, kLongestPause);
  // Many that failed together should not come back together.
  Random random(
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  time += std::chrono::milliseconds(random.below(static_cast<std::uint64_t>(time.count() / 2 + 1)));
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, time, [this] { return stopped_.load(); });
}

Result<S3Answer> S3Client::send(const S3Request& request, bool* passing) {
  for (int tries = 0;; ++tries) {
    bool try_again = false;
    Result<S3Answer> answer = send_once(request, try_again);
    if (stopped_) {
      return fail(ErrorCode::cancelled, "the artifact store was closed");
    }
    if (answer || !try_again || tries + 1 >= options_.tries) {
      if (passing != nullptr) {
        *passing = try_again;
      }
      return answer;
    }
    log_warning("s3_try_failed", {{"method", request.method},
                                  {"key", request.key},
                                  {"tries", tries + 1},
                                  {"reason", answer.error().message}});
    if (!pause(tries)) {
      return fail(ErrorCode::cancelled, "the artifact store was closed");
    }
  }
}

Result<S3Answer> S3Client::send_once(const S3Request& request, bool& try_again) {
  const Result<AwsCredentials> found = find_aws_credentials();
  if (!found) {
    // Not whoever asks us lacks a permission, but we.
    return fail(ErrorCode::unavailable, found.error().message);
  }
  const AwsCredentials& credentials = *found;
  HONE_TRY(const long limit, time_left(request));
  CURL* const handle = thread_handle();
  if (handle == nullptr) {
    return fail(ErrorCode::internal, "libcurl gives no handle");
  }
  Exchange exchange{request, stopped_, {}, 0, 0, false, {}};
  const bool puts = request.method == "PUT";
  if (puts) {
    exchange.file = UniqueFd(::open(request.file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!exchange.file) {
      return system_error("cannot read " + request.file.string(), errno);
    }
  }
  const std::string url = options_.location.url_of(request.key, request.query);
  const std::string signing = "aws:amz:" + options_.location.region + ":s3";
  HeaderList headers;
  add_header(headers,
             "x-amz-content-sha256: " + (puts ? request.body_sha256 : sha256_hex(request.body)));
  if (!credentials.session_token.empty()) {
    add_header(headers, "x-amz-security-token: " + credentials.session_token);
  }
  for (const std::string& header : request.headers) {
    add_header(headers, header);
  }
  std::array<char, CURL_ERROR_SIZE> words{};

  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, signing.c_str());
  curl_easy_setopt(handle, CURLOPT_USERNAME, credentials.key_id.c_str());
  curl_easy_setopt(handle, CURLOPT_PASSWORD, credentials.secret.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(options_.connect_timeout.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, limit);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.silence.count()));
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watch);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &exchange);
  if (puts) {
    curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    // A service that refuses says so before the body; one that knows no such question costs little.
    curl_easy_setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 300L);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(handle, CURLOPT_READDATA, &exchange);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, rewind_body);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, &exchange);
    curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.size));
  } else if (request.method == "POST") {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.c_str());
  } else if (request.method == "HEAD") {
    curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (request.method != "GET") {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }

  const CURLcode code = curl_easy_perform(handle);
  S3Answer& answer = exchange.answer;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
  curl_off_t length = -1;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  answer.length = length;
  answer.etag = answer_header(handle, "etag");
  answer.date = answer_header(handle, "date");
  // A refused body ends in an error of sending, though the answer is there and says why.
  const bool answered_early = code == CURLE_SEND_ERROR && answer.status >= 400;
  if (code != CURLE_OK && !answered_early) {
    if (exchange.read_error != 0) {
      return system_error("cannot read " + request.file.string(), exchange.read_error);
    }
    if (exchange.too_long) {
      return fail(ErrorCode::unavailable, options_.location.describe() + " answered more than " +
                                              std::to_string(request.answer_limit) + " bytes");
    }
    try_again = is_passing(code);
    return fail(ErrorCode::unavailable,
                "cannot talk to " + options_.location.describe() + ": " +
                    (words[0] != '\0' ? words.data() : curl_easy_strerror(code)));
  }
  if (answer.status >= 200 && answer.status < 300) {
    if (request.answer_size >= 0 &&
        static_cast<std::int64_t>(answer.body.size()) != request.answer_size) {
      try_again = true;
      return fail(ErrorCode::unavailable, options_.location.describe() + " gave " +
                                              std::to_string(answer.body.size()) + " bytes of " +
                                              request.key + " where there should be " +
                                              std::to_string(request.answer_size));
    }
    return std::move(answer);
  }
  if (request.method == "HEAD" && answer.status == 404) {
    return std::move(answer);
  }
  const std::string what = xml_text(answer.body, "Code");
  try_again = (answer.status >= 500 && answer.status != 501 && answer.status != 507) ||
              answer.status == 429 || answer.status == 408 || what == "RequestTimeout" ||
              what == "SlowDown" || what == "BadDigest" || what == "XAmzContentSHA256Mismatch";
  return refusal(options_.location, request, answer);
}

}  // namespace hone
