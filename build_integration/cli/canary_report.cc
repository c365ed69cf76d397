#include "build_integration/cli/canary_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/text_table.h"

namespace hone {
namespace {

std::string text_at(const Json& document, const char* pointer) {
  const Json::json_pointer at(pointer);
  if (!document.contains(at) || document[at].is_null()) {
    return {};
  }
  return document[at].is_string() ? document[at].get<std::string>() : document[at].dump();
}

double number_at(const Json& document, const char* pointer, double otherwise = 0) {
  const Json::json_pointer at(pointer);
  return document.contains(at) && document[at].is_number() ? document[at].get<double>() : otherwise;
}

bool has_number(const Json& document, const char* pointer) {
  const Json::json_pointer at(pointer);
  return document.contains(at) && document[at].is_number();
}

const Json& list_at(const Json& document, const char* pointer) {
  static const Json kNone = Json::array();
  const Json::json_pointer at(pointer);
  return document.contains(at) && document[at].is_array() ? document[at] : kNone;
}

// "+1.20 %", of a log ratio; "?" where it is not known.
std::string per_cent(const Json& document, const char* pointer) {
  return has_number(document, pointer)
             ? fmt::format("{:+.2f} %", 100 * number_at(document, pointer))
             : "?";
}

std::string interval(const Json& sli) {
  return fmt::format("{} [{}, {}]", per_cent(sli, "/reward/value"), per_cent(sli, "/reward/low"),
                     per_cent(sli, "/reward/high"));
}

// What other people wrote, in a cell of a Markdown table.
std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '`' || c == '<') {
      cell += '\\';
    }
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell;
}

std::string or_none(const std::string& text) {
  return text.empty() ? "none" : text;
}

// Which version builds are given, and what that says of this canary.
std::string in_force_text(const Json& canary) {
  const std::string in_force = text_at(canary, "/policy_in_force");
  if (in_force.empty()) {
    return "none (the plain build)";
  }
  const std::string version = "version " + in_force;
  return in_force == text_at(canary, "/policy_version") ? version + ", the canary's"
         : in_force == text_at(canary, "/known_good")
             ? version + ", known to be good when the canary began"
             : version;
}

std::string propensity_text(const Json& canary) {
  return has_number(canary, "/log_propensity")
             ? fmt::format("ln p = {:.4g}", number_at(canary, "/log_propensity"))
             : "not known";
}

// "+2.10 % [+1.50 %, +2.70 %]" of what is at the pointer.
std::string reward_at(const Json& document, const std::string& pointer) {
  return fmt::format("{} [{}, {}]", per_cent(document, (pointer + "/value").c_str()),
                     per_cent(document, (pointer + "/low").c_str()),
                     per_cent(document, (pointer + "/high").c_str()));
}

std::string staging_text(const Json& canary) {
  if (!has_number(canary, "/experience/staging/reward/value")) {
    return text_at(canary, "/experience").empty() ? "told when it has ended" : "not measured";
  }
  return fmt::format("{} ({}, against {})", reward_at(canary, "/experience/staging/reward"),
                     text_at(canary, "/experience/staging/stage"),
                     text_at(canary, "/experience/staging/baseline"));
}

std::string production_text(const Json& canary) {
  if (text_at(canary, "/experience").empty()) {
    return "told when it has ended";
  }
  return has_number(canary, "/experience/reward/value")
             ? reward_at(canary, "/experience/reward") + " (first indicator, block bootstrap)"
             : "none: " + text_at(canary, "/experience/outcome");
}

std::string group_cell(const Json& group) {
  const std::string outcome = text_at(group, "/outcome");
  return outcome == "ok" ? fmt::format("{:.0f} requests, {:.0f} failed, {:.3g} s of CPU",
                                       number_at(group, "/requests"), number_at(group, "/failures"),
                                       number_at(group, "/cpu_seconds"))
                         : "lost: " + outcome;
}

std::string windows_markdown(const Json& canary) {
  std::string page =
      "\n## Windows\n\n| Window | Begun (s since 1970) | Share | Baseline | Canary |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const Json& window : list_at(canary, "/window_list")) {
    page += fmt::format("| {} | {:.0f} | {} % | {} | {} |\n", text_at(window, "/number"),
                        number_at(window, "/start"), text_at(window, "/share"),
                        group_cell(window.value("baseline", Json())),
                        group_cell(window.value("canary", Json())));
  }
  return page;
}

std::string rewards_markdown(const Json& canary) {
  std::string page = fmt::format(
      "\n## What it taught\n\nReward in production: {}. In staging: {}. Cause: {}.\n",
      production_text(canary), staging_text(canary), or_none(text_at(canary, "/status/cause")));
  if (!list_at(canary, "/experience/slis").empty()) {
    page +=
        "\n| Indicator | Reward (95 %, at the end) | ln(SLO / SLI) | Finding |\n"
        "| --- | --- | --- | --- |\n";
  }
  for (const Json& sli : list_at(canary, "/experience/slis")) {
    page += fmt::format(
        "| {} | {} | {} | {} |\n", text_at(sli, "/sli"), reward_at(sli, "/reward"),
        has_number(sli, "/slo_reward") ? fmt::format("{:+.3f}", number_at(sli, "/slo_reward")) : "",
        text_at(sli, "/finding"));
  }
  return page;
}

}  // namespace

std::string budget_text(const Json& document) {
  if (!has_number(document, "/budget/left_share")) {
    return "not known yet";
  }
  return fmt::format(
      "{:.1f} % left: {:.0f} bad requests of {:.0f} ({:.0f} by the canary), {:.0f} allowed",
      100 * number_at(document, "/budget/left_share"), number_at(document, "/budget/bad"),
      number_at(document, "/budget/requests"), number_at(document, "/budget/bad_canary"),
      number_at(document, "/budget/allowed"));
}

std::string canary_text(const Json& canary) {
  std::string text = fmt::format(
      "canary {} of {}, policy version {}\n  {}: {} % of traffic{}\n  {}\n", text_at(canary, "/id"),
      text_at(canary, "/target"), text_at(canary, "/policy_version"),
      text_at(canary, "/status/state"), text_at(canary, "/status/share"),
      text_at(canary, "/follows") == "true" ? "" : " (traffic does not follow yet)",
      text_at(canary, "/status/reason"));
  text += fmt::format(
      "  policy in force: {}\n  windows {}, requests {:.0f} and {:.0f}\n"
      "  error budget: {}\n",
      in_force_text(canary), text_at(canary, "/windows"),
      number_at(canary, "/judgement/baseline_requests"),
      number_at(canary, "/judgement/canary_requests"), budget_text(canary));
  TextTable table({{"indicator"},
                   {"baseline", Align::right},
                   {"canary", Align::right},
                   {"better by"},
                   {"finding"},
                   {"would be seen", Align::right}});
  for (const Json& sli : list_at(canary, "/judgement/slis")) {
    table.add({text_at(sli, "/sli"), fmt::format("{:.6g}", number_at(sli, "/baseline")),
               fmt::format("{:.6g}", number_at(sli, "/canary")), interval(sli),
               text_at(sli, "/finding"), per_cent(sli, "/detectable")});
  }
  return list_at(canary, "/judgement/slis").empty() ? text : text + table.text("  ");
}

std::string canary_markdown(const Json& canary) {
  std::string page = fmt::format(
      "# Canary of {}: {}\n\nPolicy version {}, begun {} by {}, ended {}.\n\n{}\n\n"
      "Candidate {} of campaign {}, propensity: {}. Compared with: {}. In force now: {}.\n\n"
      "## Decisions\n\n"
      "| At | State | Share | Windows | Why |\n| --- | --- | --- | --- | --- |\n",
      text_at(canary, "/target"), text_at(canary, "/status/state"),
      text_at(canary, "/policy_version"), text_at(canary, "/created_at"),
      text_at(canary, "/created_by"),
      text_at(canary, "/ended_at").empty() ? "not yet" : text_at(canary, "/ended_at"),
      markdown_cell(text_at(canary, "/status/reason")), or_none(text_at(canary, "/candidate")),
      or_none(text_at(canary, "/campaign")), propensity_text(canary),
      text_at(canary, "/known_good").empty() ? "the plain build"
                                             : "version " + text_at(canary, "/known_good"),
      in_force_text(canary));
  for (const Json& decision : list_at(canary, "/decisions")) {
    page += fmt::format("| {} | {} | {} % | {} | {} |\n", text_at(decision, "/at"),
                        text_at(decision, "/state"), text_at(decision, "/share"),
                        text_at(decision, "/windows"), markdown_cell(text_at(decision, "/reason")));
  }
  page +=
      "\n## Indicators\n\n| Indicator | Baseline | Canary | Better by (holds at every look) | "
      "Finding | "
      "Harm that would be seen |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const Json& sli : list_at(canary, "/judgement/slis")) {
    page += fmt::format("| {} | {:.6g} | {:.6g} | {} | {} | {} |\n", text_at(sli, "/sli"),
                        number_at(sli, "/baseline"), number_at(sli, "/canary"), interval(sli),
                        text_at(sli, "/finding"), per_cent(sli, "/detectable"));
  }
  page +=
      fmt::format("\n{} windows; left out: {}. Error budget: {}.\n", text_at(canary, "/windows"),
                  text_at(canary, "/judgement/windows_left_out"), budget_text(canary));
  page += rewards_markdown(canary);
  return list_at(canary, "/window_list").empty() ? page : page + windows_markdown(canary);
}

}  // namespace hone
