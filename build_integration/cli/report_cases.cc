#include "build_integration/cli/report_cases.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/verdict_words.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kMaxLogBytes = 4096;  // of each case

CaseEnd end_of(Outcome outcome, std::optional<Verdict> verdict) {
  switch (outcome) {
    case Outcome::ok:
      return verdict == Verdict::slower ? CaseEnd::failed : CaseEnd::passed;
    case Outcome::build_failed:
    case Outcome::compiler_crashed:
    case Outcome::timed_out:
    case Outcome::limit_exceeded:
    case Outcome::miscompiled:
      return CaseEnd::failed;
    case Outcome::fetch_failed:
    case Outcome::baseline_failed:
    case Outcome::benchmark_failed:
    case Outcome::nondeterministic:
    case Outcome::no_data:
    case Outcome::insufficient_traffic:
      return CaseEnd::error;
    case Outcome::cancelled:
      return CaseEnd::skipped;
  }
  return CaseEnd::error;
}

// What a person wants to see of a measurement that surprises.
std::string details_of(const JobView& job, const ReportCase& made) {
  std::string text = made.summary() + "\n";
  if (!made.note.empty()) {
    text += "note " + made.note + "\n";
  }
  if (job.reward && !is_exact(*job.reward)) {
    text += fmt::format("{:g} % interval; would have seen {:.1f} %, one pair varies by {:.1f} %\n",
                        job.reward->confidence * 100, percent_of(job.reward->detectable_effect),
                        percent_of(job.reward->noise));
  }
  text += fmt::format("stage {}, against {}, metric {}, job {}\n", to_string(job.stage),
                      to_string(job.baseline), to_string(job.metric), job.id);
  for (const AttemptView& attempt : job.attempts) {
    text +=
        fmt::format("attempt {} by {}: {}{}\n", attempt.number, attempt.worker,
                    to_string(attempt.state), attempt.reason.empty() ? "" : ": " + attempt.reason);
  }
  if (job.result) {
    if (!job.result->machine.cpu_model.empty()) {
      text +=
          fmt::format("machine {}, {}\n", job.result->machine.host, job.result->machine.cpu_model);
    }
    for (const std::string& warning : job.result->warnings) {
      text += "warning: " + warning + "\n";
    }
  }
  return text;
}

ReportCase case_of(std::string name, std::string note, const JobView* job) {
  ReportCase made;
  made.name = std::move(name);
  made.note = std::move(note);
  if (job == nullptr) {
    made.kind = "not started";
    return made;
  }
  made.stage = to_string(job->stage);
  made.reason = job->reason;
  if (job->state != JobState::done || !job->outcome) {
    // A dead one has used up its attempts: workers were lost, or could not do it. Or it is late.
    made.end = job->state == JobState::dead && !job->late ? CaseEnd::error : CaseEnd::skipped;
    made.kind = state_word(*job);
  } else if (*job->outcome == Outcome::ok) {
    made.end = end_of(Outcome::ok, job->verdict);
    made.kind = job->verdict ? verdict_word(*job->verdict, job->metric) : "ok";
    if (!job->reward && made.reason.empty()) {
      made.reason = "same binary as the baseline";
    }
  } else {
    made.end = end_of(*job->outcome, job->verdict);
    made.kind = to_string(*job->outcome);
  }
  if (job->outcome == Outcome::ok && job->reward) {
    made.reward = percent_text(job->reward->value);
    made.interval = interval_text(*job->reward);
    made.pairs = job->reward->pairs;
  }
  if (job->result) {
    const AttemptResult& result = *job->result;
    made.seconds = result.build_seconds + result.baseline_build_seconds + result.measure_seconds;
    if (made.end == CaseEnd::failed || made.end == CaseEnd::error) {
      made.log = result.log.substr(result.log.size() - std::min(result.log.size(), kMaxLogBytes));
    }
  }
  made.details = details_of(*job, made);
  return made;
}

std::string conclusion_of(const CampaignReport& report, const std::vector<ReportCase>& cases) {
  const CampaignView& campaign = report.campaign;
  const auto winner = std::ranges::find_if(cases, &ReportCase::wins);
  if (winner != cases.end() && campaign.confirmed) {
    return fmt::format("winner {}: {} against {} on {} fresh pairs", winner->name,
                       reward_text(*campaign.confirmed), to_string(campaign.baseline),
                       campaign.confirmed->pairs);
  }
  const std::string reason = reason_line(campaign.reason);
  const std::string why = reason.empty() ? "" : ", " + reason;
  if (campaign.state == CampaignState::finished) {
    return "no winner" + why;
  }
  return fmt::format("{}{}: {} of {} candidates are measured", to_string(campaign.state), why,
                     campaign.finished, campaign.candidates);
}

}  // namespace

std::string ReportCase::summary() const {
  if (!reward.empty()) {
    return fmt::format("{}: {} {} on {} pairs", kind, reward, interval, pairs);
  }
  const std::string line = reason_line(reason);
  return line.empty() ? kind : fmt::format("{}: {}", kind, line);
}

std::size_t ReportSuite::count(CaseEnd end) const {
  return static_cast<std::size_t>(std::ranges::count(cases, end, &ReportCase::end));
}

double ReportSuite::seconds() const {
  return std::accumulate(cases.begin(), cases.end(), 0.0,
                         [](double sum, const ReportCase& one) { return sum + one.seconds; });
}

ReportSuite suite_of(const CampaignReport& report) {
  const CampaignView& campaign = report.campaign;
  ReportSuite suite;
  suite.target = campaign.target;
  suite.started_at = campaign.created_at;
  suite.properties = {{"campaign", campaign.id},
                      {"state", std::string(to_string(campaign.state))},
                      {"baseline", std::string(to_string(campaign.baseline))},
                      {"seed", std::to_string(campaign.seed)}};
  if (campaign.policy_version) {
    suite.properties.emplace_back("policy_version", std::to_string(*campaign.policy_version));
  }
  for (const ReportRow& row : report.rows) {
    const std::string& text =
        row.candidate.note.empty() ? row.candidate.origin : row.candidate.note;
    ReportCase made = case_of(fmt::format("#{} {}", row.number, text), "", row.shown());
    made.wins = report.winner() == &row;
    suite.cases.push_back(std::move(made));
  }
  suite.conclusion = conclusion_of(report, suite.cases);
  return suite;
}

ReportSuite suite_of(const JobView& job) {
  ReportSuite suite;
  suite.target = job.target;
  suite.started_at = job.created_at;
  suite.properties = {{"job", job.id}, {"baseline", std::string(to_string(job.baseline))}};
  if (!job.note.empty()) {
    suite.properties.emplace_back("note", job.note);
  }
  std::string name =
      fmt::format("{} {} against {}", job.target, to_string(job.stage), to_string(job.baseline));
  suite.cases.push_back(case_of(std::move(name), job.note, &job));
  suite.conclusion = suite.cases.front().summary();
  return suite;
}

}  // namespace hone
