#include "common/pipelines/mutation.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/growth_limits.h"
#include "common/pipelines/pass_sampler.h"
#include "common/pipelines/pipeline_places.h"

namespace hone {
namespace {

// A forest, and the random edits made to it so far.
class Editor {
 public:
  Editor(const Forest& forest, int llvm_major, Random& random, const SuccessorWeights* successors)
      : forest_(canonical(forest)),
        llvm_major_(llvm_major),
        random_(random),
        successors_(successors) {}

  void edit() {
    std::string done;
    if (!is_within_growth_limits(forest_)) {
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
  std::optional<PipelinePlace> draw_searchable() {
    const std::vector<PipelinePlace> places = searchable_places(forest_, llvm_major_);
    if (places.empty()) {
      return std::nullopt;
    }
    return places[random_.below(places.size())];
  }

  std::optional<PipelinePlace> draw_gap(std::optional<PassLevel> only_level) {
    const std::vector<PipelinePlace> gaps = gaps_of(forest_, only_level);
    if (gaps.empty()) {
      return std::nullopt;
    }
    return gaps[random_.below(gaps.size())];
  }

  std::string insert() {
    const std::optional<PipelinePlace> gap = draw_gap(std::nullopt);
    if (!gap) {
      return "nothing";
    }
    std::vector<const PassEntry*> entries = searchable_passes(llvm_major_);
    std::erase_if(entries,
                  [&](const PassEntry* entry) { return !can_enter(gap->body.level, *entry); });
    const PassEntry& entry = *draw_entry(entries, pass_before(*gap), successors_, random_);
    PipelineNode node = wrapped(draw_pass(entry, random_), entry.level, gap->body.level);
    std::string done = "insert " + print(node) + " " + describe_gap(*gap);
    put_in(*gap, std::move(node));
    return done;
  }

  std::string remove() {
    const std::optional<PipelinePlace> place = draw_searchable();
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
    const std::optional<PipelinePlace> place = draw_searchable();
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
        draw_pass(*draw_entry(entries, pass_before(*place), successors_, random_), random_);
    std::string done = "replace " + print(node) + " by " + print(fresh);
    node = std::move(fresh);
    return done;
  }

  std::string change_parameters() {
    std::vector<PipelinePlace> places = searchable_places(forest_, llvm_major_);
    std::erase_if(places, [&](const PipelinePlace& place) {
      const PassEntry* const entry = find_pass(place.node().name, place.body.level, llvm_major_);
      return entry->texts.empty() && entry->options.empty();
    });
    if (places.empty()) {
      return {};
    }
    const PipelinePlace& place = places[random_.below(places.size())];
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
    const std::vector<PipelinePlace> places = swappable_places(forest_, llvm_major_);
    if (places.empty()) {
      return {};
    }
    const PipelinePlace& place = places[random_.below(places.size())];
    PipelineNode& next = (*place.body.nodes)[place.index + 1];
    std::string done = "swap " + brief_text(place.node()) + " and " + brief_text(next);
    std::swap(place.node(), next);
    return done;
  }

  std::string duplicate() {
    const std::optional<PipelinePlace> place = draw_searchable();
    const std::optional<PipelinePlace> gap = place ? draw_gap(place->body.level) : std::nullopt;
    if (!gap) {
      return {};
    }
    PipelineNode copy = place->node();
    std::string done = "repeat " + print(copy) + " " + describe_gap(*gap);
    put_in(*gap, std::move(copy));
    return done;
  }

  Forest forest_;
  int llvm_major_;
  Random& random_;
  const SuccessorWeights* successors_;  // null: all passes alike
  std::vector<std::string> steps_;
};

}  // namespace

Mutation mutate(const Forest& forest, int llvm_major, std::size_t edits, Random& random,
                const SuccessorWeights* successors) {
  Editor editor(forest, llvm_major, random, successors);
  for (std::size_t i = 0; i < std::max<std::size_t>(edits, 1); ++i) {
    editor.edit();
  }
  return std::move(editor).finish();
}

}  // namespace hone
