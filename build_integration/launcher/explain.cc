#include "build_integration/launcher/explain.h"

#include <string_view>

#include "common/choice/choice_model.h"

namespace hone {
namespace {

void line(std::string& text, std::string_view name, std::string_view value) {
  if (value.empty()) {
    return;
  }
  text += name;
  text += ": ";
  text += value;
  text += '\n';
}

// An argument as a shell would need it.
std::string quoted(const std::string& argument) {
  static constexpr std::string_view kBare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kBare) == std::string::npos) {
    return argument;
  }
  std::string text = "'";
  for (const char c : argument) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

void explain_choice(std::string& text, const std::string& choice) {
  ChoiceModel model;
  if (choice.empty() || !parse_choice(choice, model).empty()) {
    return;
  }
  line(text, "choice",
       "one of " + std::to_string(model.members.size()) +
           ", made inside the compile by a tree of " + std::to_string(model.nodes.size()) +
           " nodes");
  for (std::size_t i = 0; i < model.members.size(); ++i) {
    std::string member = model.members[i].pipeline;
    for (const ChoiceKnob& knob : model.members[i].knobs) {
      member += " -" + knob.name + '=' + knob.value;
    }
    line(text, "choice " + std::to_string(i), member);
  }
}

}  // namespace

std::string explain(const Choice& choice) {
  std::string text;
  if (choice.policy.empty()) {
    return "decision: plain\nreason: HONE_POLICY is not set\n";
  }
  line(text, "policy", choice.policy);
  line(text, "source", choice.source);
  line(text, "output", choice.output);
  line(text, "level", choice.command.level);
  line(text, "options", choice.option_fingerprint);
  if (!choice.compiler.family.empty()) {
    line(text, "compiler",
         choice.compiler.path + " (" + choice.compiler.family + ' ' +
             std::to_string(choice.compiler.major) + ')');
  }
  if (choice.rule >= 0) {
    line(text, "rule", std::to_string(choice.rule));
    explain_choice(text, choice.decision.choice);
    line(text, "pipeline", choice.decision.choice.empty() ? choice.decision.pipeline : "");
    for (const Knob& knob : choice.decision.knobs) {
      line(text, "knob", knob.name + '=' + knob.value);
    }
    line(text, "pipeline_hash", choice.decision_hash);
  }
  if (choice.reason == Reason::none) {
    line(text, "decision", "tuned");
    std::string command;
    for (const std::string& argument : choice.arguments) {
      command += (command.empty() ? "" : " ") + quoted(argument);
    }
    line(text, "command", command);
    line(text, "cpu_limit_seconds", std::to_string(choice.cpu_limit_seconds));
    return text;
  }
  line(text, "decision", "plain");
  line(text, "reason",
       std::string(to_string(choice.reason)) + ": " + std::string(describe(choice.reason)) +
           (choice.detail.empty() ? "" : " (" + choice.detail + ")"));
  return text;
}

}  // namespace hone
