#include "server/api/refusal_log.h"

#include <string>

#include "common/base/log.h"

namespace hone {
namespace {

constexpr std::chrono::minutes kPause{1};
// Whoever comes from more addresses than these within a minute is logged with each of them.
constexpr std::size_t kMostAddresses = 1024;

}  // namespace

void RefusalLog::note(const RequestRecord& record, Clock::time_point now) {
  if (record.status != 401 && record.status != 403) {
    return;
  }
  if (told_.size() >= kMostAddresses) {
    std::erase_if(told_, [now](const auto& entry) { return now - entry.second.at >= kPause; });
  }
  if (told_.size() >= kMostAddresses) {
    told_.clear();
  }
  const auto [found, is_new] = told_.try_emplace({*record.address, record.status});
  Told& told = found->second;
  ++told.since;
  if (!is_new && now - told.at < kPause) {
    return;
  }
  log_warning(*record.context, "request_refused",
              {{"address", record.address->to_string()},
               {"status", record.status},
               {"count", told.since},
               {"method", record.method},
               {"route", record.route},
               {"caller", record.caller}});
  told = {now, 0};
}

}  // namespace hone
