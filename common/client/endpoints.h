// The servers a client may turn to, in its user's order, and which one it turns to now: several
// honeds over one database answer alike, so that any will do when another is gone.
//
// Copies share which one is in use. Thread safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/client/url.h"

namespace hone {

// Whether an error says that the server is gone, or as good as gone: another one may answer.
inline bool is_lost(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::timed_out;
}

// Whether every one of these URLs ("A,B" as below) is that of a server that listens on `address`
// ("127.0.0.1:7077"): the same host and port, or for a server that listens on all addresses of this
// machine, one of the loopback's. Names are not looked up; "localhost" is the loopback.
bool all_lead_to(std::string_view urls, std::string_view address);

class Endpoints {
 public:
  // "http://a:7077", or several with commas between them, at most 16. Errors of parse_url, and
  // invalid_argument for an empty list or one that is too long.
  static Result<Endpoints> parse(std::string_view urls);

  std::size_t size() const { return shared_->urls.size(); }
  // The place of the one in use, from 0.
  std::size_t current() const { return shared_->current.load(); }
  const Url& at(std::size_t place) const { return shared_->urls.at(place); }
  // The one at `place` did not answer: from now on the next one is in use, unless somebody has left
  // `place` already. It stays so until that one fails in its turn.
  void leave(std::size_t place) const;

 private:
  struct Shared {
    std::vector<Url> urls;
    std::atomic<std::size_t> current = 0;
  };
  explicit Endpoints(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<Shared> shared_;
};

}  // namespace hone
