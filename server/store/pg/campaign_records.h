// Campaigns and candidates as they are read.
#pragma once

#include <string>

#include "server/store/campaign_store.h"
#include "server/store/pg/pg_result.h"

namespace hone {

// SELECT ... FROM campaigns c and what belongs to it (t target); append conditions. Race jobs that
// are dead count as finished and failed: they will give no result, and silence is none either.
const std::string& select_campaign();
CampaignView read_campaign(const PgRow& row);

// SELECT ... FROM candidates k with its set and its jobs; append conditions.
const std::string& select_candidate();
CandidateView read_candidate_view(const PgRow& row);

}  // namespace hone
