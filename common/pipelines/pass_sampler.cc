#include "common/pipelines/pass_sampler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/text.h"

namespace hone {
namespace {

PipelineNode adaptor(std::string name, PipelineNode child) {
  PipelineNode node;
  node.name = std::move(name);
  node.nested = true;
  node.children.push_back(std::move(child));
  return node;
}

// One of the powers of two in [low, high] or an end: limits work on scales, not in steps of one.
int draw_number(int low, int high, Random& random) {
  std::vector<int> values = {low};
  for (int value = 1; value < high; value *= 2) {
    if (value > low) {
      values.push_back(value);
    }
  }
  values.push_back(high);
  return values[random.below(values.size())];
}

// Every flag and number with probability 1/4, at most one alternative text, and what is required.
std::string draw_options(const PassEntry& entry, Random& random) {
  std::vector<std::string> pieces;
  bool has_text = false;
  for (const PassOption& option : entry.options) {
    if (option.kind == OptionKind::text && option.name == entry.required_option) {
      pieces.emplace_back(option.name);
      continue;
    }
    if (!random.chance(1, 4)) {
      continue;
    }
    switch (option.kind) {
      case OptionKind::text:
        if (!has_text) {
          pieces.emplace_back(option.name);
          has_text = true;
        }
        break;
      case OptionKind::flag:
        pieces.push_back((random.chance(1, 2) ? "no-" : "") + std::string(option.name));
        break;
      case OptionKind::number:
        pieces.push_back(std::string(option.name) + "=" +
                         std::to_string(draw_number(option.low, option.high, random)));
        break;
    }
  }
  return join(pieces, ";");
}

bool inlines(const PipelineNode& node) {
  static constexpr std::array<std::string_view, 6> kInliners = {
      "always-inline",   "default",       "inline",
      "inliner-wrapper", "module-inline", "scc-oz-module-inliner"};
  return std::ranges::find(kInliners, node.name) != kInliners.end() ||
         std::ranges::any_of(node.children, inlines);
}

}  // namespace

PassLevel level_within(std::string_view adaptor) {
  if (adaptor == "cgscc" || adaptor == "devirt") {
    return PassLevel::cgscc;
  }
  if (adaptor == "function") {
    return PassLevel::function;
  }
  if (adaptor == "loop") {
    return PassLevel::loop;
  }
  return adaptor == "loop-mssa" ? PassLevel::loop_mssa : PassLevel::module;
}

bool can_enter(PassLevel body, const PassEntry& entry) {
  switch (body) {
    case PassLevel::module:
      return true;
    case PassLevel::cgscc:
      return entry.level != PassLevel::module;
    case PassLevel::function:
      return entry.level >= PassLevel::function;
    case PassLevel::loop:
      return entry.level == PassLevel::loop;
    case PassLevel::loop_mssa:
      return entry.level == PassLevel::loop_mssa || entry.either_loop_level;
  }
  return false;
}

PipelineNode wrapped(PipelineNode pass, PassLevel level, PassLevel body) {
  if (body == PassLevel::loop || body == PassLevel::loop_mssa || level == body) {
    return pass;
  }
  switch (level) {
    case PassLevel::module:
      return pass;
    case PassLevel::cgscc:
      return adaptor("cgscc", std::move(pass));
    case PassLevel::function:
      return adaptor("function", std::move(pass));
    case PassLevel::loop:
    case PassLevel::loop_mssa: {
      PipelineNode loop = adaptor(std::string(to_string(level)), std::move(pass));
      return body == PassLevel::function ? loop : adaptor("function", std::move(loop));
    }
  }
  return pass;
}

std::optional<std::string> draw_parameters(const PassEntry& entry, Random& random) {
  std::string text;
  if (!entry.texts.empty()) {
    text = entry.texts[random.below(entry.texts.size())];
  } else if (!entry.options.empty()) {
    text = draw_options(entry, random);
  }
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

PipelineNode draw_pass(const PassEntry& entry, Random& random) {
  PipelineNode node;
  node.name = entry.name;
  node.parameters = draw_parameters(entry, random);
  return node;
}

std::vector<const PassEntry*> searchable_passes(int llvm_major) {
  std::vector<const PassEntry*> entries;
  for (const PassEntry& entry : pass_table()) {
    if (entry.safety == PassSafety::searchable && entry.majors.holds(llvm_major)) {
      entries.push_back(&entry);
    }
  }
  return entries;
}

const PassEntry* draw_entry(const std::vector<const PassEntry*>& entries, std::string_view before,
                            const SuccessorWeights* successors, Random& random) {
  if (successors == nullptr) {
    return entries[random.below(entries.size())];
  }
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const PassEntry* const entry : entries) {
    names.emplace_back(entry->name);
  }
  return entries[successors->draw(before, names, random)];
}

void ensure_inlining(Forest& forest) {
  if (std::ranges::none_of(forest.nodes, inlines)) {
    PipelineNode node;
    node.name = "always-inline";
    forest.nodes.insert(forest.nodes.begin(), std::move(node));
  }
}

}  // namespace hone
