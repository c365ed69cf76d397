// The calls of the REST API that several commands make, as typed functions. Errors are those of the
// client, or invalid_argument when an answer is not understood. Thread safe.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/client/client.h"
#include "common/policy/policy.h"
#include "common/protocol/campaign.h"
#include "common/protocol/candidate.h"
#include "common/protocol/job.h"
#include "common/protocol/target_spec.h"
#include "common/protocol/worker.h"

namespace hone {

// Options with a fresh Idempotency-Key: the client may repeat the POST, and it counts once.
RequestOptions once();

// All items of a list with cursors; `path` may hold a query. Stops after `limit` items.
Result<std::vector<Json>> list_pages(const Client& client, const std::string& path,
                                     std::size_t limit = 100000);
// All items of a list that comes in one piece.
Result<std::vector<Json>> list_once(const Client& client, const std::string& path);

// An answer's field; invalid_argument if it is not there.
Result<Json> field_of(const Json& answer, std::string_view name);
Result<std::string> text_field_of(const Json& answer, std::string_view name);

Result<CampaignView> get_campaign(const Client& client, std::string_view id);
// The newest campaign, of one target if `target` is not empty. not_found if there is none.
Result<CampaignView> latest_campaign(const Client& client, std::string_view target);
// Takes no more candidates. conflict for one that is past that already.
Result<void> close_campaign(const Client& client, std::string_view id);
Result<CampaignView> cancel_campaign(const Client& client, std::string_view id);
Result<std::vector<Candidate>> get_candidates(const Client& client, std::string_view campaign);

Result<std::vector<WorkerView>> get_workers(const Client& client);

Result<TargetSpec> get_target(const Client& client, std::string_view name);

enum class WithSamples { no, yes };
Result<JobView> get_job(const Client& client, std::string_view id, WithSamples samples);
Result<std::vector<JobView>> get_campaign_jobs(const Client& client, std::string_view campaign);
// Submits jobs under a fresh Idempotency-Key, so that a retry makes no second ones. Their ids.
Result<std::vector<std::string>> submit_jobs(const Client& client,
                                             const std::vector<JobRequest>& jobs);

// Whether nothing more will happen to it.
bool is_over(const CampaignView& campaign);
bool is_over(const JobView& job);

// Asks every half second until it is over; a coordinator that does not answer is waited for up to
// `patience` (it may be restarted meanwhile). `see` is called with every answer. cancelled on a
// stop request; nothing is cancelled on the server then. A job that is not over by `until` is given
// as it is then: is_over() tells.
Result<CampaignView> wait_for_campaign(const Client& client, std::string_view id,
                                       const std::function<void(const CampaignView&)>& see,
                                       const std::stop_token& stop);
Result<JobView> wait_for_job(const Client& client, std::string_view id,
                             const std::function<void(const JobView&)>& see,
                             const std::stop_token& stop,
                             std::optional<std::chrono::steady_clock::time_point> until = {});

// Sleeps, or returns early (false) on a stop request.
bool sleep_unless_stopped(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace hone
