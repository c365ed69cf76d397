// Requests to an S3-compatible service, one at a time and blocking: signed by libcurl (SigV4),
// limited in time by silence, tried again with growing pauses while the service is out of order.
// Alone with aws_credentials.* and s3_artifacts.* it knows S3; libcurl is in its .cc only.
//
// Thread safe: every call has a libcurl handle of its thread's own, which keeps its connection.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "server/store/artifacts/s3_location.h"

namespace hone {

struct S3Options {
  S3Location location;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::seconds silence{30};  // less than a byte a second for so long ends a try
  int tries = 5;
  std::chrono::milliseconds first_pause{200};  // doubled from try to try, up to 5 s
};

struct S3Request {
  std::string method;                // GET, HEAD, PUT, POST or DELETE
  std::string key;                   // below the prefix
  std::string query;                 // sorted, encoded, every name with '='
  std::vector<std::string> headers;  // "name: value", names in lower case
  std::string body;                  // of a POST
  std::filesystem::path file;        // of a PUT: a range of it
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::string body_sha256;               // of a PUT; of other methods it is computed
  std::size_t answer_limit = 1U << 20U;  // a longer answer is an error
  std::int64_t answer_size = -1;         // a success of another length is none; -1: any
  // Then no try begins and none goes on: for what must not happen late.
  std::optional<std::chrono::steady_clock::time_point> until = std::nullopt;
};

struct S3Answer {
  long status = 0;
  std::int64_t length = -1;  // as announced
  std::string etag;
  std::string date;
  std::string body;
};

class S3Client {
 public:
  explicit S3Client(S3Options options);
  ~S3Client();
  S3Client(const S3Client&) = delete;
  S3Client& operator=(const S3Client&) = delete;

  const S3Location& location() const { return options_.location; }

  // A success, 404 included for HEAD (which says nothing more). Errors: not_found (no such key),
  // disk_full, unavailable with what to mend: no such bucket, access denied, a clock that is wrong,
  // a service that does not answer after all tries, no credentials. `passing`, if given, tells
  // whether the error may go away by itself.
  Result<S3Answer> send(const S3Request& request, bool* passing = nullptr);

  // From now on every call ends soon, with cancelled.
  void stop();

 private:
  Result<S3Answer> send_once(const S3Request& request, bool& try_again);
  bool pause(int tries);

  const S3Options options_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
};

// The text of the first <name> element, its entities resolved; "" if there is none. What S3's
// answers need of XML: they nest nothing that we ask for.
std::string xml_text(std::string_view document, std::string_view name);

}  // namespace hone
