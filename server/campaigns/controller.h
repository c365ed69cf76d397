// Carries campaigns from their race to their end: racing -> confirming -> finished.
//
// It remembers nothing: every step is decided from what the store holds and guarded by the state it
// starts from, so honed may be killed at any point, and several may run at once. Not thread safe.
#pragma once

#include <chrono>

#include <boost/asio/awaitable.hpp>

#include "server/jobs/background.h"
#include "server/store/store.h"

namespace hone {

// One step of one due campaign: begins its confirmation, submits a confirm job, or ends it.
// A step that another coordinator made first, or that is not due any more, is no error.
Async<void> advance_campaign(Store& store, DueCampaign due);

// Runs until `background` stops: advances what is due, woken by the store, and at least every
// `interval` (budgets in seconds run out without a notification).
boost::asio::awaitable<void> run_campaigns(Store& store, Background& background,
                                           std::chrono::milliseconds interval);

}  // namespace hone
