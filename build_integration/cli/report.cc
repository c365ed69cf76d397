#include "build_integration/cli/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/text_table.h"
#include "build_integration/cli/verdict_words.h"
#include "common/base/printable.h"
#include "common/protocol/rules.h"

namespace hone {
namespace {

// Of the job that counts; nullptr if it has none.
const RewardEstimate* reward_of(const ReportRow& row) {
  const JobView* const job = row.shown();
  return job != nullptr && job->outcome == Outcome::ok && job->reward ? &*job->reward : nullptr;
}

bool has_reward(const ReportRow& row) {
  return reward_of(row) != nullptr;
}

double value_of(const ReportRow& row) {
  const RewardEstimate* const reward = reward_of(row);
  return reward != nullptr ? reward->value : -HUGE_VAL;
}

void count_compiles(const JobView& job, CompileCounts& counts) {
  if (!job.result) {
    return;
  }
  for (const EffectiveDecision& decision : job.result->decisions) {
    if (!decision.meant) {
      continue;
    }
    ++counts.meant;
    if (decision.tuned) {
      ++counts.tuned;
    } else {
      ++counts.plain_reasons[decision.reason];
    }
  }
}

// Samples of the attempt itself, or, for a reused measurement, of the attempt it names.
bool has_samples(const JobView& job, const std::set<std::string>& attempts_with_samples) {
  return job.result && (!job.result->samples.empty() ||
                        attempts_with_samples.contains(job.result->reused_attempt));
}

std::set<std::string> attempts_with_samples(const std::vector<ReportRow>& rows) {
  std::set<std::string> attempts;
  const auto add = [&attempts](const std::optional<JobView>& job) {
    if (job && job->result && !job->result->samples.empty()) {
      for (const AttemptView& attempt : job->attempts) {
        if (attempt.state == AttemptState::completed) {
          attempts.insert(attempt.id);
        }
      }
    }
  };
  for (const ReportRow& row : rows) {
    add(row.race);
    add(row.confirm);
  }
  return attempts;
}

std::string candidate_text(const Candidate& candidate) {
  return candidate.note.empty() ? candidate.origin : candidate.note;
}

std::string budget_text(const CampaignView& campaign) {
  std::string text = "budget ";
  if (campaign.budget_candidates) {
    text += fmt::format("{} candidates", *campaign.budget_candidates);
  }
  if (campaign.budget_seconds) {
    text +=
        fmt::format("{}{} s", campaign.budget_candidates ? " or " : "", *campaign.budget_seconds);
  }
  return text;
}

// How the candidates ended, so that no count passes for another: only what has a result is
// measured.
std::string counts_text(const CampaignReport& report) {
  std::size_t measured = 0;
  std::size_t failed = 0;
  std::map<std::string, std::size_t> others;
  for (const ReportRow& row : report.rows) {
    const JobView* const job = row.shown();
    if (job == nullptr) {
      ++others["not started"];
    } else if (job->state == JobState::done && job->outcome == Outcome::ok) {
      ++measured;
    } else if (job->state == JobState::done || (job->state == JobState::dead && !job->late)) {
      ++failed;
    } else {
      ++others[job->late ? "late (the time was up before they were measured)" : state_word(*job)];
    }
  }
  std::string text =
      fmt::format("Of {} candidates {} measured, {} failed", report.rows.size(),
                  measured == 1 ? "1 was" : fmt::format("{} were", measured), failed);
  for (const auto& [what, count] : others) {
    text += fmt::format(", {} {}", count, what);
  }
  return text + ".\n";
}

bool was_built(const ReportRow& row) {
  return (row.race && row.race->result) || (row.confirm && row.confirm->result);
}

std::string compiles_text(const CampaignReport& report) {
  const CompileCounts& counts = report.compiles;
  if (counts.meant == 0 && std::ranges::none_of(report.rows, was_built)) {
    return "";  // nothing can be said of rules that no build was made with
  }
  if (counts.meant == 0) {
    return "No compile was meant to be tuned: no rule of a candidate matched a compile. Rules are "
           "for "
           "compiles at the baseline's level (-O3; with --baseline own, the build's own) of the "
           "sources that tune.include names.\n";
  }
  std::string text = fmt::format(
      "Compiles: {} of {} that were meant to be tuned were ({:.1f} %)", counts.tuned, counts.meant,
      100.0 * static_cast<double>(counts.tuned) / static_cast<double>(counts.meant));
  for (const auto& [reason, count] : counts.plain_reasons) {
    text += fmt::format("\n  {} plain: {}", count, printable(reason));
  }
  return text + ".\n";
}

// What puts measurements in doubt, each once: the first kMostNotes.
std::string notes_text(const CampaignReport& report) {
  constexpr std::size_t kMostNotes = 4;
  std::map<std::string, std::size_t> notes;
  for (const ReportRow& row : report.rows) {
    const JobView* const job = row.shown();
    if (job != nullptr && job->result) {
      for (const std::string& warning : job->result->warnings) {
        ++notes[warning];
      }
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [note, count] : notes) {
    if (++shown > kMostNotes) {
      return text + fmt::format("  {} more: `hone job show`\n", notes.size() - kMostNotes);
    }
    text += fmt::format("  {} (in {} of {})\n", printable(note), count, report.rows.size());
  }
  return text.empty() ? "" : "Warnings of the measurements:\n" + text;
}

// All jobs of a campaign are measured by the same.
Metric metric_of(const CampaignReport& report) {
  for (const ReportRow& row : report.rows) {
    if (const JobView* const job = row.shown(); job != nullptr) {
      return job->metric;
    }
  }
  return Metric::cpu_time;
}

std::string reason_text(const CampaignView& campaign) {
  const std::string reason = printable(reason_line(campaign.reason));
  return reason.empty() || reason == "cancelled on request" ? "" : " (" + reason + ")";
}

std::string conclusion_text(const CampaignReport& report) {
  const CampaignView& campaign = report.campaign;
  if (const ReportRow* const winner = report.winner();
      winner != nullptr && campaign.confirmed.has_value()) {
    return fmt::format("Winner: #{} {}\n        {} against -{} on {} fresh pairs\n", winner->number,
                       clipped(printable(candidate_text(winner->candidate)), 100),
                       reward_text(*campaign.confirmed), to_string(campaign.baseline),
                       campaign.confirmed->pairs);
  }
  switch (campaign.state) {
    case CampaignState::finished:
      return fmt::format("No winner: nothing was confirmed to be {}{}.\n",
                         verdict_word(Verdict::faster, metric_of(report)), reason_text(campaign));
    case CampaignState::cancelled:
    case CampaignState::failed:
      return fmt::format("The campaign was {}{}; {}.\n",
                         campaign.state == CampaignState::failed ? "given up" : "cancelled",
                         reason_text(campaign),
                         std::ranges::any_of(report.rows, was_built) ? "what was measured is kept"
                                                                     : "nothing was measured");
    case CampaignState::waiting:
    case CampaignState::racing:
    case CampaignState::confirming:
      break;
  }
  return fmt::format("Still {}: {} of {} candidates are measured.\n", to_string(campaign.state),
                     campaign.finished, campaign.candidates);
}

Json percent_to_json(const RewardEstimate& reward) {
  Json percent = Json::object();
  percent["value"] = percent_of(reward.value);
  percent["low"] = percent_of(reward.low);
  percent["high"] = percent_of(reward.high);
  return percent;
}

Json row_to_json(const ReportRow& row, const std::set<std::string>& attempts) {
  Json entry = Json::object();
  entry["id"] = row.candidate.id;
  entry["number"] = row.number;
  entry["index"] = row.candidate.index;
  entry["origin"] = row.candidate.origin;
  entry["note"] = row.candidate.note;
  entry["rules"] = rules_to_json(row.candidate.rules);
  const JobView* const job = row.shown();
  if (job == nullptr) {
    entry["state"] = "not started";
    entry["late"] = false;
    return entry;
  }
  entry["job"] = job->id;
  entry["stage"] = to_string(job->stage);
  entry["state"] = to_string(job->state);
  entry["late"] = job->late;
  entry["outcome"] = job->outcome ? Json(to_string(*job->outcome)) : Json(nullptr);
  entry["reason"] = job->reason;
  entry["verdict"] = job->verdict ? Json(to_string(*job->verdict)) : Json(nullptr);
  entry["reward"] = job->reward ? to_json(*job->reward) : Json(nullptr);
  entry["percent"] = job->reward ? percent_to_json(*job->reward) : Json(nullptr);
  entry["samples"] = job->result ? job->result->samples.size() : 0;
  entry["reused_attempt"] = job->result ? job->result->reused_attempt : "";
  entry["has_samples"] = has_samples(*job, attempts);
  return entry;
}

}  // namespace

const JobView* ReportRow::shown() const {
  if (confirm && confirm->state == JobState::done) {
    return &*confirm;
  }
  return race ? &*race : nullptr;
}

const ReportRow* CampaignReport::winner() const {
  const auto found = std::find_if(rows.begin(), rows.end(), [this](const ReportRow& row) {
    return !campaign.winner_candidate.empty() && row.candidate.id == campaign.winner_candidate;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::int64_t CampaignReport::rewarded() const {
  return std::count_if(rows.begin(), rows.end(), has_reward);
}

std::int64_t CampaignReport::rewarded_with_samples() const {
  const std::set<std::string> attempts = attempts_with_samples(rows);
  return std::count_if(rows.begin(), rows.end(), [&attempts](const ReportRow& row) {
    return has_reward(row) && has_samples(*row.shown(), attempts);
  });
}

CampaignReport make_report(CampaignView campaign, std::vector<Candidate> candidates,
                           std::vector<JobView> jobs) {
  CampaignReport report;
  report.campaign = std::move(campaign);
  std::map<std::string, std::size_t> row_of;
  for (Candidate& candidate : candidates) {
    row_of.emplace(candidate.id, report.rows.size());
    const auto number = static_cast<std::int64_t>(report.rows.size());
    report.rows.push_back(ReportRow{number, std::move(candidate), std::nullopt, std::nullopt});
  }
  for (JobView& job : jobs) {
    const auto found = row_of.find(job.candidate);
    if (found == row_of.end()) {
      continue;
    }
    count_compiles(job, report.compiles);
    ReportRow& row = report.rows[found->second];
    (job.stage == Stage::race ? row.race : row.confirm) = std::move(job);
  }
  const std::string& winner = report.campaign.winner_candidate;
  std::sort(report.rows.begin(), report.rows.end(),
            [&winner](const ReportRow& a, const ReportRow& b) {
              const bool a_wins = !winner.empty() && a.candidate.id == winner;
              const bool b_wins = !winner.empty() && b.candidate.id == winner;
              if (a_wins != b_wins) {
                return a_wins;
              }
              const double a_value = value_of(a);
              const double b_value = value_of(b);
              return a_value != b_value ? a_value > b_value : a.number < b.number;
            });
  return report;
}

std::string verdict_text(const JobView& job) {
  if (job.late) {
    return "late: the time was up before it was measured";
  }
  if (job.state != JobState::done) {
    return std::string(to_string(job.state)) +
           (job.reason.empty() ? std::string() : ": " + reason_line(job.reason));
  }
  if (job.outcome == Outcome::ok) {
    std::string text = job.verdict ? verdict_word(*job.verdict, job.metric) : "ok";
    if (!job.reward) {
      text += " (same binary as the baseline)";
    }
    return text;
  }
  std::string text(job.outcome ? to_string(*job.outcome) : "no outcome");
  return job.reason.empty() ? text : text + ": " + reason_line(job.reason);
}

std::string print_report(const CampaignReport& report) {
  const CampaignView& campaign = report.campaign;
  std::string text = fmt::format("{} against -{}: {} candidates, {}, seed {}, campaign {}\n\n",
                                 campaign.target, to_string(campaign.baseline), report.rows.size(),
                                 budget_text(campaign), campaign.seed, campaign.id);
  TextTable table({{"", Align::left, 1},
                   {"#", Align::right, 6},
                   {"candidate", Align::left, 44},
                   {"reward", Align::right, 10},
                   {"95 % interval", Align::left, 18},
                   {"pairs", Align::right, 6},
                   {"stage", Align::left, 8},
                   {"verdict or failure", Align::left, 64}});
  for (const ReportRow& row : report.rows) {
    const JobView* const job = row.shown();
    const bool wins = report.winner() == &row;
    std::vector<std::string> cells = {wins ? "*" : "", std::to_string(row.number),
                                      candidate_text(row.candidate)};
    if (job == nullptr) {
      cells.insert(cells.end(), {"–", "", "", "", "not started"});
    } else if (const RewardEstimate* const reward = reward_of(row); reward != nullptr) {
      cells.insert(cells.end(), {percent_text(reward->value), interval_text(*reward),
                                 std::to_string(reward->pairs), std::string(to_string(job->stage)),
                                 verdict_text(*job)});
    } else {
      cells.insert(cells.end(),
                   {"–", "", "", std::string(to_string(job->stage)), verdict_text(*job)});
    }
    table.add(std::move(cells));
  }
  text += table.text();
  text += "\n" + conclusion_text(report) + counts_text(report) + compiles_text(report) +
          notes_text(report);
  return text;
}

Json report_to_json(const CampaignReport& report) {
  const std::set<std::string> attempts = attempts_with_samples(report.rows);
  Json rows = Json::array();
  for (const ReportRow& row : report.rows) {
    rows.push_back(row_to_json(row, attempts));
  }
  Json reasons = Json::object();
  for (const auto& [reason, count] : report.compiles.plain_reasons) {
    reasons[reason] = count;
  }
  Json compiles = Json::object();
  compiles["meant"] = report.compiles.meant;
  compiles["tuned"] = report.compiles.tuned;
  compiles["plain_reasons"] = std::move(reasons);
  Json document = Json::object();
  document["campaign"] = to_json(report.campaign);
  document["candidates"] = std::move(rows);
  document["rewarded"] = report.rewarded();
  document["rewarded_with_samples"] = report.rewarded_with_samples();
  document["compiles"] = std::move(compiles);
  return document;
}

}  // namespace hone
