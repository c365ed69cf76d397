#include "server/learner/zero_shot/choice_policy.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/json/document.h"
#include "common/policy/allow_list.h"

namespace hone {
namespace {

struct MemberSummary {
  bool failed = false;
  double median_compile_time = 1;  // in plain compiles
  double mean_gain = 0;            // families weighing alike
  std::size_t smaller = 0;         // programs with less code
  std::size_t larger = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double gain_of(const TrainedProgram& program, std::size_t member) {
  const auto bytes = [&](std::size_t of) {
    return static_cast<double>(program.results.members[of].text_bytes);
  };
  return std::log(bytes(0) / bytes(member));
}

std::vector<ChoiceSample> samples_of(const std::vector<TrainedProgram>& programs,
                                     const std::vector<std::size_t>& members) {
  std::vector<ChoiceSample> samples;
  for (const TrainedProgram& program : programs) {
    ChoiceSample sample;
    sample.family = family_of(program.uri);
    sample.features = program.results.features;
    for (const std::size_t member : members) {
      sample.gains.push_back(gain_of(program, member));
    }
    samples.push_back(std::move(sample));
  }
  weigh_by_family(samples);
  return samples;
}

std::vector<MemberSummary> summarise(const std::vector<TrainedProgram>& programs,
                                     std::size_t members) {
  std::vector<MemberSummary> summaries(members);
  for (std::size_t member = 0; member < members; ++member) {
    MemberSummary& summary = summaries[member];
    std::vector<double> ratios;
    for (const TrainedProgram& program : programs) {
      const MemberResult& plain = program.results.members[0];
      const MemberResult& result = program.results.members[member];
      if (result.text_bytes == 0) {
        summary.failed = true;
        continue;
      }
      summary.smaller += result.text_bytes < plain.text_bytes ? 1 : 0;
      summary.larger += result.text_bytes > plain.text_bytes ? 1 : 0;
      ratios.push_back(result.cpu_seconds / std::max(plain.cpu_seconds, 1e-6));
    }
    if (summary.failed) {
      continue;
    }
    summary.median_compile_time = median(std::move(ratios));
    double weight = 0;
    for (const ChoiceSample& sample : samples_of(programs, {member})) {
      summary.mean_gain += sample.weight * sample.gains[0];
      weight += sample.weight;
    }
    summary.mean_gain /= weight;
  }
  return summaries;
}

bool is_harmless(const CandidateMember& member, const std::optional<double>& most_instructions) {
  return !most_instructions || (member.instructions && *member.instructions <= *most_instructions);
}

// Leaves out members that no leaf picks; the tree's numbers become those of the others.
ChoiceModel model_of(const std::vector<ChoiceNode>& nodes, const std::vector<std::size_t>& members,
                     const ChoicePolicySettings& settings) {
  std::map<std::uint32_t, std::uint32_t> numbers{{0, 0}};
  for (const ChoiceNode& node : nodes) {
    if (node.is_leaf) {
      numbers.emplace(node.member, 0);
    }
  }
  ChoiceModel model;
  for (auto& [old_number, number] : numbers) {
    number = static_cast<std::uint32_t>(model.members.size());
    model.members.push_back(settings.members[members[old_number]].member);
  }
  model.nodes = nodes;
  for (ChoiceNode& node : model.nodes) {
    node.member = node.is_leaf ? numbers.at(node.member) : 0;
  }
  return model;
}

Json card_of_members(const std::vector<MemberSummary>& summaries, const ChoiceModel& model,
                     const ChoicePolicySettings& settings) {
  Json all = Json::array();
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const ChoiceMember& member = settings.members[i].member;
    const auto place = std::ranges::find(model.members, member);
    Json knobs = Json::object();
    for (const ChoiceKnob& knob : member.knobs) {
      knobs[knob.name] = knob.value;
    }
    all.push_back(
        {{"pipeline", member.pipeline},
         {"knobs", std::move(knobs)},
         {"note", settings.members[i].note},
         {"instructions",
          settings.members[i].instructions ? Json(*settings.members[i].instructions) : Json()},
         {"failed", summaries[i].failed},
         {"mean_gain", summaries[i].mean_gain},
         {"programs_smaller", summaries[i].smaller},
         {"programs_larger", summaries[i].larger},
         {"median_compile_time", summaries[i].median_compile_time},
         {"member", place == model.members.end() ? -1 : place - model.members.begin()}});
  }
  return all;
}

Json tree_for_people(const ChoiceModel& model) {
  Json lines = Json::array();
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const ChoiceNode& node = model.nodes[i];
    lines.push_back(node.is_leaf
                        ? fmt::format("{}: member {}", i, node.member)
                        : fmt::format("{}: {} < {} ? {} : {}", i, choice_feature_text(node.feature),
                                      node.threshold, node.less, node.other));
  }
  return lines;
}

}  // namespace

std::string family_of(std::string_view uri) {
  const std::vector<std::string_view> parts = split(uri, '/');
  // benchmark: "" debian-v0 zstd lib ...; generator: "" csmith-v0 1
  const std::size_t kept = uri.starts_with("generator:") ? 3 : 4;
  std::string family;
  for (std::size_t i = 0; i < std::min(kept, parts.size()); ++i) {
    family += (i == 0 ? "" : "/") + std::string(parts[i]);
  }
  return family;
}

Result<Policy> make_choice_policy(const std::vector<TrainedProgram>& programs,
                                  const ChoicePolicySettings& settings) {
  if (programs.empty() || settings.members.empty()) {
    return fail(ErrorCode::invalid_argument, "there are no programs or no members to learn from");
  }
  const std::vector<MemberSummary> summaries = summarise(programs, settings.members.size());
  std::vector<std::size_t> members = {0};
  for (std::size_t i = 1; i < summaries.size(); ++i) {
    if (!summaries[i].failed && summaries[i].median_compile_time <= settings.most_compile_time &&
        is_harmless(settings.members[i], settings.most_instructions)) {
      members.push_back(i);
    }
  }
  const std::vector<ChoiceSample> samples = samples_of(programs, members);

  Json depths = Json::array();
  std::vector<double> held_out;
  for (std::size_t depth = 0; depth <= settings.most_depth; ++depth) {
    ChoiceTreeSettings tree = settings.tree;
    tree.depth = depth;
    held_out.push_back(held_out_gain(samples, tree));
    depths.push_back({{"depth", depth},
                      {"gain", tree_gain(grow_tree(samples, tree), samples)},
                      {"gain_held_out", held_out.back()}});
  }
  const auto depth =
      static_cast<std::size_t>(std::ranges::max_element(held_out) - held_out.begin());
  ChoiceTreeSettings tree = settings.tree;
  tree.depth = depth;
  const ChoiceModel model = model_of(grow_tree(samples, tree), members, settings);

  Json uris = Json::array();
  for (const TrainedProgram& program : programs) {
    uris.push_back(program.uri);
  }
  Json card = {
      {"objective", settings.objective},
      {"made_by", settings.made_by},
      {"made_at", settings.made_at},
      {"seed", "none: nothing here is drawn"},
      {"feature_schema", kChoiceSchema},
      {"gain", "ln(bytes plain / bytes chosen), mean over programs, families weighing alike"},
      {"gain_expected", held_out[depth]},
      {"depths", std::move(depths)},
      {"compile_time_bound", settings.most_compile_time},
      {"instructions_bound",
       settings.most_instructions ? Json(*settings.most_instructions) : Json()},
      {"members", card_of_members(summaries, model, settings)},
      {"tree", tree_for_people(model)},
      {"programs", std::move(uris)},
  };

  Policy policy;
  policy.target = "general";
  policy.sequence = 1;
  policy.provenance = settings.made_by + " zero-shot, " + std::to_string(programs.size()) +
                      " training programs; see card";
  policy.card = dump_json({{"levels", {{settings.level, std::move(card)}}}});
  Rule rule;
  rule.levels = {settings.level};
  rule.decision.pipeline = "default<" + settings.level + ">";
  rule.decision.choice = print_choice(model);
  policy.rules = {rule};
  HONE_CHECK(check_decision(rule.decision, policy.compiler.family, policy.compiler.major));
  return policy;
}

Result<Policy> with_other_levels(Policy made, const Policy& kept) {
  HONE_TRY(Json card, parse_json(made.card.empty() ? "{}" : made.card));
  HONE_TRY(const Json others, parse_json(kept.card.empty() ? "{}" : kept.card));
  const auto levels = others.find("levels");
  const bool each_one =
      std::ranges::all_of(kept.rules, [](const Rule& rule) { return rule.levels.size() == 1; });
  if (!each_one || levels == others.end() || !levels->is_object()) {
    return fail(ErrorCode::invalid_argument,
                "it is no general policy by levels: each rule must be for one, and the card's "
                "\"levels\" say how each was made");
  }
  for (const Rule& rule : kept.rules) {
    if (rule.levels != made.rules.front().levels) {
      made.rules.push_back(rule);
    }
  }
  for (const auto& [level, told] : levels->items()) {
    card["levels"].emplace(level, told);  // not the one that was just made
  }
  made.card = dump_json(card);
  return made;
}

}  // namespace hone
