// Removes in the background what is older than it is kept for. Not thread safe.
#pragma once

#include <chrono>
#include <functional>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/store/store.h"

namespace hone {

struct RetentionTimes {
  std::chrono::milliseconds interval{3'600'000};          // between passes
  std::chrono::milliseconds states_interval{86'400'000};  // of states, which looks at each of them
  std::chrono::milliseconds pause{200};                   // between batches: others come first
};

// What a pass removed of a kind; called after each batch that removed something.
using RetentionReport = std::function<void(Retained what, std::int64_t removed)>;

// One pass over every kind that is not kept for ever. What fails is logged and tried again the next
// time; false if anything did.
boost::asio::awaitable<bool> remove_outdated(Store& store, Background& background,
                                             RetentionOptions options, RetentionTimes times,
                                             RetentionReport report);

// Passes until `background` stops; `finished` is called after each that succeeded.
boost::asio::awaitable<void> keep_removing(Store& store, Background& background,
                                           RetentionOptions options, RetentionTimes times,
                                           RetentionReport report, std::function<void()> finished);

}  // namespace hone
