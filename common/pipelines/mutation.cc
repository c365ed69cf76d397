// Every edit works on "bodies", the lists of nodes within one manager. A body has a level, and a
// pass of a deeper level enters it inside fresh adaptors, so that no edit can break the nesting.
#include "common/pipelines/mutation.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/pass_sampler.h"

namespace hone {
namespace {

constexpr std::size_t kAdaptorsOfAPass = 2;  // function(loop(x))
// Past half of the limits a pipeline only shrinks.
constexpr std::size_t kGrowthLimitBytes = kMaxPipelineBytes / 2;
constexpr std::size_t kGrowthLimitPasses = kMaxPipelineNodes / 8;

struct Body {
  std::vector<PipelineNode>* nodes = nullptr;
  PassLevel level = PassLevel::module;
  std::size_t depth = 1;  // of the nodes in it
};

struct Place {
  Body body;
  std::size_t index = 0;
  PipelineNode& node() const { return (*body.nodes)[index]; }
};

void collect_bodies(const Body& body, std::vector<Body>& bodies) {
  bodies.push_back(body);
  for (PipelineNode& node : *body.nodes) {
    if (node.nested) {
      collect_bodies({&node.children, level_within(node.name), body.depth + 1}, bodies);
    }
  }
}

// All bodies, outer ones first, in the order of the text.
std::vector<Body> bodies_of(Forest& forest) {
  std::vector<Body> bodies;
  collect_bodies({&forest.nodes, PassLevel::module, 1}, bodies);
  return bodies;
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

class Editor {
 public:
  Editor(const Forest& forest, int llvm_major, Random& random, const SuccessorWeights* successors)
      : forest_(canonical(forest)),
        llvm_major_(llvm_major),
        random_(random),
        successors_(successors) {}

  void edit() {
    std::string done;
    if (print(forest_).size() > kGrowthLimitBytes || count_passes(forest_) > kGrowthLimitPasses) {
      done = remove();
    } else {
      const std::uint64_t draw = random_.below(100);
      if (draw < 30) {
        done = insert();
      } else if (draw < 55) {
        done = remove();
      } else if (draw < 70) {
        done = replace();
      } else if (draw < 85) {
        done = change_parameters();
      } else if (draw < 95) {
        done = swap_neighbours();
      } else {
        done = duplicate();
      }
    }
    if (done.empty()) {
      done = insert();
    }
    forest_ = canonical(std::move(forest_));
    if (forest_.nodes.empty()) {
      done += "; " + insert();
    }
    steps_.push_back(std::move(done));
  }

  Mutation finish() && {
    ensure_inlining(forest_);
    return {std::move(forest_), join(steps_, "; ")};
  }

 private:
  bool is_searchable(const PipelineNode& node, PassLevel level) const {
    const PassEntry* const entry = node.nested ? nullptr : find_pass(node.name, level, llvm_major_);
    return entry != nullptr && entry->safety == PassSafety::searchable;
  }

  // Searchable itself, or an adaptor with nothing else inside.
  bool is_movable(const PipelineNode& node, PassLevel level) const {
    if (!node.nested) {
      return is_searchable(node, level);
    }
    return std::ranges::all_of(node.children, [&](const PipelineNode& child) {
      return is_movable(child, level_within(node.name));
    });
  }

  std::vector<Place> searchable_places() {
    std::vector<Place> places;
    for (const Body& body : bodies_of(forest_)) {
      for (std::size_t i = 0; i < body.nodes->size(); ++i) {
        if (is_searchable((*body.nodes)[i], body.level)) {
          places.push_back({body, i});
        }
      }
    }
    return places;
  }

  std::optional<Place> draw_searchable() {
    const std::vector<Place> places = searchable_places();
    if (places.empty()) {
      return std::nullopt;
    }
    return places[random_.below(places.size())];
  }

  // A gap before, between or after the nodes of a body that can take one more pass, all alike.
  std::optional<Place> draw_gap(std::optional<PassLevel> only_level) {
    std::vector<Place> gaps;
    for (const Body& body : bodies_of(forest_)) {
      if (body.depth + kAdaptorsOfAPass > kMaxPipelineDepth ||
          (only_level && body.level != *only_level)) {
        continue;
      }
      for (std::size_t i = 0; i <= body.nodes->size(); ++i) {
        gaps.push_back({body, i});
      }
    }
    if (gaps.empty()) {
      return std::nullopt;
    }
    return gaps[random_.below(gaps.size())];
  }

  // An adaptor with much inside would drown the step that touches it.
  static std::string brief(const PipelineNode& node) {
    return node.nested ? node.name + "(...)" : print(node);
  }

  static std::string describe_gap(const Place& gap) {
    if (gap.body.nodes->empty()) {
      return "alone";
    }
    const PipelineNode& neighbour = (*gap.body.nodes)[gap.index == 0 ? 0 : gap.index - 1];
    return (gap.index == 0 ? "before " : "after ") + brief(neighbour) + " in " +
           std::string(to_string(gap.body.level));
  }

  // The pass in front of a place; at the beginning of an adaptor none.
  static std::string before(const Place& place) {
    return last_pass(std::span(*place.body.nodes).first(place.index));
  }

  static void put(const Place& gap, PipelineNode node) {
    gap.body.nodes->insert(gap.body.nodes->begin() + static_cast<std::ptrdiff_t>(gap.index),
                           std::move(node));
  }

  std::string insert() {
    const std::optional<Place> gap = draw_gap(std::nullopt);
    if (!gap) {
      return "nothing";
    }
    std::vector<const PassEntry*> entries = searchable_passes(llvm_major_);
    std::erase_if(entries,
                  [&](const PassEntry* entry) { return !can_enter(gap->body.level, *entry); });
    const PassEntry& entry = *draw_entry(entries, before(*gap), successors_, random_);
    PipelineNode node = wrapped(draw_pass(entry, random_), entry.level, gap->body.level);
    std::string done = "insert " + print(node) + " " + describe_gap(*gap);
    put(*gap, std::move(node));
    return done;
  }

  std::string remove() {
    const std::optional<Place> place = draw_searchable();
    if (!place) {
      return {};
    }
    std::string done =
        "remove " + print(place->node()) + " in " + std::string(to_string(place->body.level));
    place->body.nodes->erase(place->body.nodes->begin() +
                             static_cast<std::ptrdiff_t>(place->index));
    return done;
  }

  std::string replace() {
    const std::optional<Place> place = draw_searchable();
    if (!place) {
      return {};
    }
    PipelineNode& node = place->node();
    std::vector<const PassEntry*> entries = searchable_passes(llvm_major_);
    std::erase_if(entries, [&](const PassEntry* entry) {
      return entry->name == node.name ||
             find_pass(entry->name, place->body.level, llvm_major_) != entry;
    });
    if (entries.empty()) {
      return {};
    }
    PipelineNode fresh =
        draw_pass(*draw_entry(entries, before(*place), successors_, random_), random_);
    std::string done = "replace " + print(node) + " by " + print(fresh);
    node = std::move(fresh);
    return done;
  }

  std::string change_parameters() {
    std::vector<Place> places = searchable_places();
    std::erase_if(places, [&](const Place& place) {
      const PassEntry* const entry = find_pass(place.node().name, place.body.level, llvm_major_);
      return entry->texts.empty() && entry->options.empty();
    });
    if (places.empty()) {
      return {};
    }
    const Place& place = places[random_.below(places.size())];
    PipelineNode& node = place.node();
    const PassEntry& entry = *find_pass(node.name, place.body.level, llvm_major_);
    for (int attempt = 0; attempt < 16; ++attempt) {
      std::optional<std::string> parameters = draw_parameters(entry, random_);
      if (parameters != node.parameters) {
        std::string done = "change " + print(node) + " to ";
        node.parameters = std::move(parameters);
        return done + print(node);
      }
    }
    return {};
  }

  std::string swap_neighbours() {
    std::vector<Place> places;
    for (const Body& body : bodies_of(forest_)) {
      for (std::size_t i = 0; i + 1 < body.nodes->size(); ++i) {
        if (is_movable((*body.nodes)[i], body.level) &&
            is_movable((*body.nodes)[i + 1], body.level)) {
          places.push_back({body, i});
        }
      }
    }
    if (places.empty()) {
      return {};
    }
    const Place& place = places[random_.below(places.size())];
    PipelineNode& next = (*place.body.nodes)[place.index + 1];
    std::string done = "swap " + brief(place.node()) + " and " + brief(next);
    std::swap(place.node(), next);
    return done;
  }

  std::string duplicate() {
    const std::optional<Place> place = draw_searchable();
    const std::optional<Place> gap = place ? draw_gap(place->body.level) : std::nullopt;
    if (!gap) {
      return {};
    }
    PipelineNode copy = place->node();
    std::string done = "repeat " + print(copy) + " " + describe_gap(*gap);
    put(*gap, std::move(copy));
    return done;
  }

  Forest forest_;
  int llvm_major_;
  Random& random_;
  const SuccessorWeights* successors_;  // null: all passes alike
  std::vector<std::string> steps_;
};

struct Pair {
  std::size_t left = 0;
  std::size_t right = 0;
};

// Adaptors of both lists with the same name and parameters, the k-th of one with the k-th of the
// other.
std::vector<Pair> matching_adaptors(const std::vector<PipelineNode>& left,
                                    const std::vector<PipelineNode>& right) {
  std::vector<Pair> pairs;
  std::vector<bool> taken(right.size(), false);
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      if (!taken[j] && left[i].nested && right[j].nested && left[i].name == right[j].name &&
          left[i].parameters == right[j].parameters) {
        taken[j] = true;
        pairs.push_back({i, j});
        break;
      }
    }
  }
  return pairs;
}

std::vector<PipelineNode> cross(const std::vector<PipelineNode>& left,
                                const std::vector<PipelineNode>& right, Random& random,
                                const SuccessorWeights* successors, std::string& path) {
  const std::vector<Pair> pairs = matching_adaptors(left, right);
  if (!pairs.empty() && random.chance(1, 2)) {
    const Pair pair = pairs[random.below(pairs.size())];
    path += (path.empty() ? "" : "/") + left[pair.left].name;
    std::vector<PipelineNode> child = left;
    child[pair.left].children =
        cross(left[pair.left].children, right[pair.right].children, random, successors, path);
    return child;
  }
  // A cut at the same fraction of both, since pipelines of one ancestor have the same stages.
  const auto across = [&](std::size_t cut) {
    return left.empty() ? 0 : cut * right.size() / left.size();
  };
  std::size_t cut = random.below(left.size() + 1);
  if (successors != nullptr) {
    const auto joint = [&](std::size_t at) {
      return successors->weight(last_pass(std::span(left).first(at)),
                                first_pass(std::span(right).subspan(across(at))));
    };
    const std::size_t second = random.below(left.size() + 1);
    cut = joint(second) > joint(cut) ? second : cut;
  }
  const std::size_t other = across(cut);
  std::vector<PipelineNode> child(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(cut));
  child.insert(child.end(), right.begin() + static_cast<std::ptrdiff_t>(other), right.end());
  path += " at " + std::to_string(cut) + " of " + std::to_string(left.size());
  return child;
}

bool is_default_node(const PipelineNode& node) {
  return node.name == "default";
}

}  // namespace

Mutation mutate(const Forest& forest, int llvm_major, std::size_t edits, Random& random,
                const SuccessorWeights* successors) {
  Editor editor(forest, llvm_major, random, successors);
  for (std::size_t i = 0; i < std::max<std::size_t>(edits, 1); ++i) {
    editor.edit();
  }
  return std::move(editor).finish();
}

Mutation crossover(const Forest& left, const Forest& right, int llvm_major, Random& random,
                   const SuccessorWeights* successors) {
  std::string path;
  Forest child;
  child.nodes = cross(left.nodes, right.nodes, random, successors, path);
  child = canonical(std::move(child));
  const bool fits = print(child).size() <= kGrowthLimitBytes &&
                    count_passes(child) <= kGrowthLimitPasses &&
                    std::ranges::count_if(child.nodes, is_default_node) <= kMaxDefaultNodes;
  if (child.nodes.empty() || !fits || !check_pipeline(child, llvm_major)) {
    return {canonical(left), "crossover gave nothing that fits: the first parent"};
  }
  ensure_inlining(child);
  return {std::move(child), "crossover " + path};
}

Mutation random_pipeline(int llvm_major, std::size_t passes, Random& random,
                         const SuccessorWeights* successors, std::string_view before) {
  const std::vector<const PassEntry*> entries = searchable_passes(llvm_major);
  Forest forest;
  if (entries.empty()) {
    return {std::move(forest), "no table"};
  }
  const std::size_t count = std::clamp<std::size_t>(passes, 1, kGrowthLimitPasses);
  std::string last(before);
  for (std::size_t i = 0; i < count; ++i) {
    const PassEntry& entry = *draw_entry(entries, last, successors, random);
    last = entry.name;
    PipelineNode node = wrapped(draw_pass(entry, random), entry.level, PassLevel::module);
    // Into the adaptors at the end, as far as these are the ones it needs.
    std::vector<PipelineNode>* body = &forest.nodes;
    while (node.nested && !body->empty() && body->back().nested && body->back().name == node.name) {
      body = &body->back().children;
      PipelineNode inner = std::move(node.children.front());
      node = std::move(inner);
    }
    body->push_back(std::move(node));
  }
  ensure_inlining(forest);
  return {std::move(forest), "random pipeline of " + std::to_string(count) + " passes"};
}

}  // namespace hone
