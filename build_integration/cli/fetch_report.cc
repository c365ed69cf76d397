#include "build_integration/cli/fetch_report.h"

#include <utility>
#include <vector>

#include "build_integration/cli/api_calls.h"

namespace hone {

Result<CampaignReport> fetch_report(const Client& client, std::string_view campaign) {
  HONE_TRY(CampaignView view, get_campaign(client, campaign));
  HONE_TRY(std::vector<Candidate> candidates, get_candidates(client, campaign));
  HONE_TRY(std::vector<JobView> jobs, get_campaign_jobs(client, campaign));
  for (JobView& job : jobs) {
    if (job.state == JobState::done) {
      HONE_TRY(job, get_job(client, job.id, WithSamples::yes));
    }
  }
  return make_report(std::move(view), std::move(candidates), std::move(jobs));
}

}  // namespace hone
