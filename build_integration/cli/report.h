// The report of a campaign: every candidate's reward against the baseline with its interval, or why
// it has none. Where a candidate was confirmed on fresh pairs only that value is shown: the best of
// a race looks better than it is. Plain values, thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/json/document.h"
#include "common/protocol/campaign.h"
#include "common/protocol/candidate.h"
#include "common/protocol/job.h"

namespace hone {

struct ReportRow {
  std::int64_t number = 0;  // among all of the campaign's sets, from 0
  Candidate candidate;
  std::optional<JobView> race;     // with result, samples included
  std::optional<JobView> confirm;  // likewise

  // The job whose value counts: confirm once it is done, else race; nullptr if there is neither.
  const JobView* shown() const;
};

// Objects over all builds of the campaign's candidates.
struct CompileCounts {
  std::int64_t meant = 0;                             // a rule wanted them tuned
  std::int64_t tuned = 0;                             // of those, were
  std::map<std::string, std::int64_t> plain_reasons;  // of the others
};

struct CampaignReport {
  CampaignView campaign;
  std::vector<ReportRow> rows;  // the winner first, then by reward, failures last
  CompileCounts compiles;

  const ReportRow* winner() const;
  // Candidates with a reward, and of those the ones whose raw samples are in the store (their own,
  // or those of the attempt with the equal binary).
  std::int64_t rewarded() const;
  std::int64_t rewarded_with_samples() const;
};

// Puts the parts together; `jobs` in any order, those of other campaigns are left out.
CampaignReport make_report(CampaignView campaign, std::vector<Candidate> candidates,
                           std::vector<JobView> jobs);

// "faster", "miscompiled: output differs ...", "queued".
std::string verdict_text(const JobView& job);

std::string print_report(const CampaignReport& report);
// {"campaign":{...},"candidates":[{"id","index","origin","note","stage","outcome","verdict",
// "reason","reward","percent":{"value","low","high"},"samples",...}],"compiles":{...},...}.
Json report_to_json(const CampaignReport& report);

}  // namespace hone
