#include "common/client/endpoints.h"

#include <string>

#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMostEndpoints = 16;

}  // namespace

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
