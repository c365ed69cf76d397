// A campaign or a job as a pipeline counts it: one case a candidate, which passed, failed or was
// not measured. What JUnit and Markdown reports are made of. Plain values, thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "build_integration/cli/report.h"
#include "common/protocol/job.h"

namespace hone {

enum class CaseEnd {
  passed,   // measured, and not worse than the baseline
  failed,   // the candidate is slower, or it is wrong: does not compile, other output, too long
  error,    // nothing could be measured, through no fault of the candidate: the baseline, no worker
  skipped,  // no result: queued, running, cancelled, or late: the time was up before it was
            // measured
};

// All texts are as they came: whoever writes them into a document escapes them.
struct ReportCase {
  // The same for every run of a pipeline, so that it has a history: "#3 -unroll-count=2" of a
  // campaign's, "lz4 confirm against O3" of a job by itself.
  std::string name;
  std::string note;  // for people, of a job by itself: the commit, say
  CaseEnd end = CaseEnd::skipped;
  std::string kind;      // verdict, outcome or state: "faster", "miscompiled", "queued", "late"
  std::string reward;    // "+2.8 %", empty without one, as are the next two
  std::string interval;  // "[+0.3, +5.7]"
  std::int64_t pairs = 0;
  std::string stage;    // "race", "confirm"; empty if there is no job
  std::string reason;   // why there is no reward
  std::string details;  // lines: interval, what could have been seen, who measured, warnings
  std::string log;      // of one that failed, the end of it
  double seconds = 0;   // of builds and measurement
  bool wins = false;    // the campaign's winner

  // "faster: +2.8 % [+0.3, +5.7] on 32 pairs", "miscompiled: output differs": one line.
  std::string summary() const;
};

struct ReportSuite {
  std::string target;
  std::string conclusion;  // one line
  std::string started_at;  // RFC 3339
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<ReportCase> cases;

  std::size_t count(CaseEnd end) const;
  double seconds() const;
};

ReportSuite suite_of(const CampaignReport& report);
ReportSuite suite_of(const JobView& job);

}  // namespace hone
