// A campaign's report, read from the coordinator. Thread safe.
#pragma once

#include <string_view>

#include "build_integration/cli/report.h"
#include "common/base/result.h"
#include "common/client/client.h"

namespace hone {

// Campaign, candidates and every job with its raw samples. Errors are those of the client.
Result<CampaignReport> fetch_report(const Client& client, std::string_view campaign);

}  // namespace hone
