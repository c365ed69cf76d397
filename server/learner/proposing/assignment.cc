#include "server/learner/proposing/assignment.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hone {
namespace {

std::string text_of(const Decision& decision) {
  std::string text = decision.pipeline;
  for (const Knob& knob : decision.knobs) {
    text += fmt::format(" -{}={}", knob.name, knob.value);
  }
  return text;
}

std::string note_of(const Decision& decision) {
  if (is_plain(decision)) {
    return "plain";
  }
  std::string note;
  for (const Knob& knob : decision.knobs) {
    note += fmt::format("{}-{}={}", note.empty() ? "" : " ", knob.name, knob.value);
  }
  // A pipeline of a screen's width tells people nothing that its beginning does not.
  constexpr std::size_t kShown = 60;
  if (is_plain({decision.pipeline, {}})) {
    return note;
  }
  const std::string pipeline = decision.pipeline.size() <= kShown
                                   ? decision.pipeline
                                   : decision.pipeline.substr(0, kShown) + "...";
  return note.empty() ? pipeline : pipeline + " " + note;
}

bool is_name(const std::string& source) {
  return !source.empty() && source.find_first_of("*?") == std::string::npos;
}

}  // namespace

const Decision& Assignment::of(const std::string& source) const {
  const auto found = files.find(source);
  return found == files.end() ? general : found->second;
}

std::optional<Assignment> assignment_of(const std::vector<Rule>& rules) {
  Assignment assignment;
  bool general_seen = false;
  for (const Rule& rule : rules) {
    const bool is_general = rule.source == "*";
    if (!rule.output.empty() || !rule.option_fingerprint.empty() || general_seen ||
        !rule.decision.choice.empty() || (!is_general && !is_name(rule.source))) {
      return std::nullopt;
    }
    if (is_general) {
      general_seen = true;
      assignment.general = rule.decision;
    } else {
      assignment.files.emplace(rule.source, rule.decision);  // the first rule governs
    }
  }
  return tidy(std::move(assignment));
}

std::vector<Rule> rules_of(const Assignment& assignment, const std::vector<std::string>& levels) {
  std::vector<Rule> rules;
  const auto add = [&](const std::string& source, const Decision& decision) {
    Rule rule;
    rule.source = source;
    rule.levels = levels;
    rule.decision = decision;
    rules.push_back(std::move(rule));
  };
  for (const auto& [source, decision] : assignment.files) {
    add(source, decision);
  }
  if (!is_plain(assignment.general)) {
    add("*", assignment.general);
  }
  return rules;
}

Assignment tidy(Assignment assignment) {
  const auto tidy_decision = [](Decision& decision) {
    std::ranges::sort(decision.knobs, {}, &Knob::name);
    if (is_plain(decision)) {
      decision = Decision();
    }
  };
  tidy_decision(assignment.general);
  for (auto& [source, decision] : assignment.files) {
    tidy_decision(decision);
  }
  std::erase_if(assignment.files,
                [&](const auto& file) { return file.second == assignment.general; });
  return assignment;
}

std::string key_of(const Assignment& assignment) {
  std::string key = "*\n" + text_of(assignment.general) + "\n";
  for (const auto& [source, decision] : assignment.files) {
    key += source + "\n" + text_of(decision) + "\n";
  }
  return key;
}

std::string note_of(const Assignment& assignment) {
  std::string note;
  if (!is_plain(assignment.general)) {
    note = note_of(assignment.general);
  }
  for (const auto& [source, decision] : assignment.files) {
    note += fmt::format("{}{}: {}", note.empty() ? "" : "; ", source, note_of(decision));
  }
  return note.empty() ? "plain" : note;
}

}  // namespace hone
