#include "common/client/endpoints.h"

#include <string>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMostEndpoints = 16;

// 127.evil.example is a name like any other.
bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

bool leads_to(const Url& url, const Url& own) {
  const bool is_any = own.host == "0.0.0.0" || own.host == "::";
  return url.port == own.port && (url.host == own.host || (is_any && is_loopback(url.host)) ||
                                  (url.host == "localhost" && is_loopback(own.host)));
}

}  // namespace

bool all_lead_to(std::string_view urls, std::string_view address) {
  const Result<Endpoints> endpoints = Endpoints::parse(urls);
  const Result<Url> own = parse_url("http://" + std::string(address));
  if (!endpoints.has_value() || !own.has_value()) {
    return false;
  }
  for (std::size_t place = 0; place < endpoints->size(); ++place) {
    if (!leads_to(endpoints->at(place), *own)) {
      return false;
    }
  }
  return true;
}

Result<Endpoints> Endpoints::parse(std::string_view urls) {
  auto shared = std::make_shared<Shared>();
  for (std::size_t begin = 0; begin <= urls.size();) {
    const std::size_t end = std::min(urls.find(',', begin), urls.size());
    HONE_TRY(Url url, parse_url(trim(urls.substr(begin, end - begin))));
    shared->urls.push_back(std::move(url));
    begin = end + 1;
  }
  if (shared->urls.size() > kMostEndpoints) {
    return fail(ErrorCode::invalid_argument, std::to_string(shared->urls.size()) +
                                                 " server URLs are given, more than " +
                                                 std::to_string(kMostEndpoints));
  }
  return Endpoints(std::move(shared));
}

void Endpoints::leave(std::size_t place) const {
  shared_->current.compare_exchange_strong(place, (place + 1) % size());
}

}  // namespace hone
