#include "build_integration/cli/job_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "build_integration/cli/job_wait.h"
#include "build_integration/cli/report.h"
#include "build_integration/cli/reward_text.h"
#include "build_integration/cli/text_table.h"
#include "build_integration/cli/verdict_words.h"
#include "common/base/printable.h"
#include "common/base/text.h"

namespace hone {
namespace {

constexpr std::size_t kShownLogLines = 20;

std::string line(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format("{:<10} {}\n", name, printable(value));
}

// What a program said keeps its lines.
std::string lines(std::string_view name, std::string_view value) {
  std::string text;
  for (const std::string_view part : split(trim(value), '\n')) {
    text += text.empty() ? line(name, part) : fmt::format("{:<10} {}\n", "", printable(part));
  }
  return text;
}

// Of the attempt that the job's own reason tells of already, nothing.
std::string attempt_reason(const JobView& job, const AttemptView& attempt) {
  const bool told = job.reason.find(attempt.reason) != std::string::npos;
  return told ? "" : ": " + reason_line(attempt.reason);
}

std::string rule_text(const Rule& rule) {
  std::string text = fmt::format("{}: {}", rule.source, rule.decision.pipeline);
  for (const Knob& knob : rule.decision.knobs) {
    text += fmt::format(" -{}={}", knob.name, knob.value);
  }
  return text;
}

std::string compiles_text(const AttemptResult& result) {
  const auto meant =
      std::count_if(result.decisions.begin(), result.decisions.end(),
                    [](const EffectiveDecision& decision) { return decision.meant; });
  const auto tuned = std::count_if(
      result.decisions.begin(), result.decisions.end(),
      [](const EffectiveDecision& decision) { return decision.meant && decision.tuned; });
  return result.decisions.empty() ? ""
                                  : fmt::format("{} objects, {} meant to be tuned, {} tuned",
                                                result.decisions.size(), meant, tuned);
}

// Although a rule says something: a glob that matches no source, most of the time.
bool nothing_was_meant(const JobView& job, const AttemptResult& result) {
  return !result.decisions.empty() &&
         std::any_of(job.rules.begin(), job.rules.end(),
                     [](const Rule& rule) { return !is_plain(rule.decision); }) &&
         std::none_of(result.decisions.begin(), result.decisions.end(),
                      [](const EffectiveDecision& decision) { return decision.meant; });
}

std::string links_text(const AttemptResult& result) {
  if (result.links == 1) {
    return "";  // a warning says why, or nothing was measured
  }
  const std::string differ = fmt::format("they differ by {:.2f} %", 100 * result.layout_sigma);
  return fmt::format("{} of each program; {}", result.links,
                     result.layout_sigma > 0 ? differ : "no difference between them shows");
}

std::string reward_line(const RewardEstimate& reward) {
  if (is_exact(reward)) {
    return percent_text(reward.value) + ", the same in every run";
  }
  return fmt::format("{} on {} pairs (smallest effect this could see: {})", reward_text(reward),
                     reward.pairs, percent_text(reward.detectable_effect));
}

std::string log_tail(std::string_view log) {
  std::vector<std::string_view> lines = split(trim(log), '\n');
  if (lines.size() > kShownLogLines) {
    lines.erase(lines.begin(), lines.end() - kShownLogLines);
  }
  std::string text;
  for (const std::string_view entry : lines) {
    text += "  " + printable(entry) + "\n";
  }
  return text;
}

}  // namespace

std::string print_job(const JobView& job) {
  std::string text =
      line("job", job.id) + line("target", job.target) + line("campaign", job.campaign) +
      line("candidate", job.candidate) + line("note", job.note.empty() ? job.origin : job.note) +
      line("stage", fmt::format("{} against -{}", to_string(job.stage), to_string(job.baseline))) +
      line("state", state_word(job));
  if (job.outcome) {
    text += line("outcome", to_string(*job.outcome));
  }
  text += lines("reason", job.reason);
  if (job.waits.empty()) {
    text += line("waits", job.not_before.empty() ? "" : "tried again at " + job.not_before);
  } else {
    text += line("waits", job.ahead ? job.waits + ", " + place_text(*job.ahead) : job.waits);
  }
  text += line("deadline", job.deadline);
  for (const std::string& unmet : job.unmet) {
    text += line("unmet", "no worker that takes jobs has " + unmet);
  }
  if (job.verdict) {
    text += line("verdict", verdict_word(*job.verdict, job.metric));
  }
  if (job.reward) {
    text += line("reward", reward_line(*job.reward));
  }
  for (const Rule& rule : job.rules) {
    text += line("rule", rule_text(rule));
  }
  for (const AttemptView& attempt : job.attempts) {
    text += line("attempt", fmt::format("{} on {}, {}{}, {} to {}", attempt.number, attempt.worker,
                                        to_string(attempt.state), attempt_reason(job, attempt),
                                        attempt.leased_at,
                                        attempt.ended_at.empty() ? "now" : attempt.ended_at));
  }
  if (job.result) {
    const AttemptResult& result = *job.result;
    text += line("compiles", compiles_text(result));
    text += line("machine", fmt::format("{}, {}", result.machine.host, result.machine.cpu_model));
    text += line("compiler", result.toolchain.compiler);
    text += line("times", fmt::format("build {:.1f} s, measuring {:.1f} s", result.build_seconds,
                                      result.measure_seconds));
    text += line("links", links_text(result));
    text += line("reused", result.reused_attempt.empty()
                               ? ""
                               : "equal binary, measured in attempt " + result.reused_attempt);
    if (nothing_was_meant(job, result)) {
      text += line("warning",
                   "no object was meant to be tuned: the rules match none of the sources that were "
                   "compiled, so that nothing but the baseline was measured");
    }
    for (const std::string& warning : result.warnings) {
      text += line("warning", warning);
    }
    if (result.outcome != Outcome::ok && !result.log.empty()) {
      text += "log, its end:\n" + log_tail(result.log);
    }
  }
  return text;
}

std::string print_jobs(std::span<const JobView> jobs) {
  TextTable table({{"job"},
                   {"target"},
                   {"stage"},
                   {"state"},
                   {"priority", Align::right},
                   {"candidate", Align::left, 40},
                   {"reward", Align::left, 24},
                   {"verdict or failure", Align::left, 60}});
  for (const JobView& job : jobs) {
    table.add({job.id, job.target, std::string(to_string(job.stage)), state_word(job),
               std::to_string(job.priority), job.note.empty() ? job.origin : job.note,
               job.reward ? reward_text(*job.reward) : "–",
               job.state == JobState::done ? verdict_text(job) : reason_line(job.reason)});
  }
  return table.text();
}

}  // namespace hone
