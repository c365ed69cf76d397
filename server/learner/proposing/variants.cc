#include "server/learner/proposing/variants.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/pipelines/forest.h"
#include "common/pipelines/knob_table.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/o3_pipeline.h"
#include "server/learner/proposing/decision_changes.h"

namespace hone {
namespace {

constexpr std::size_t kFilesTreatedApart = 6;
constexpr std::size_t kEditsOfAParent = 6;
constexpr std::size_t kTails = 24;
constexpr std::size_t kLongestTail = 4;
constexpr std::size_t kPartnersOfAParent = 8;

class Maker {
 public:
  Maker(const VariantSpec& spec, const std::set<std::string>& tried, Random& random)
      : spec_(spec), known_(tried), random_(random) {
    plain_.pipeline = spec.objective == SearchObjective::size ? "default<Oz>" : "default<O3>";
    files_.assign(spec.files.begin(),
                  spec.files.begin() +
                      static_cast<std::ptrdiff_t>(std::min(spec.files.size(), kFilesTreatedApart)));
  }

  std::vector<Variant> made() && { return std::move(made_); }

  void add_plain() {
    Assignment plain;
    plain.general = plain_;
    add_knobs(plain);
    add_tails();
    add_edits(plain);
  }

  void add_ablations(const Assignment& parent) {
    add_without_one(parent, "ablation");
    for (const auto& [file, decision] : parent.files) {
      Assignment one = parent;
      one.files.erase(file);
      add(std::move(one), "ablation");
    }
    if (!is_plain(parent.general) && !parent.files.empty()) {
      Assignment named = parent;
      named.general = Decision();
      add(std::move(named), "ablation");
    }
  }

  void add_parent(const Assignment& parent, std::span<const Assignment> partners) {
    add_without_one(parent, "knob");
    for (const Assignment& partner :
         partners.first(std::min(partners.size(), kPartnersOfAParent))) {
      add_union(parent, partner);
    }
    add_narrowed(parent);
    add_edits(parent);
    add_knobs(parent);
  }

 private:
  // Without a note, the assignment says what it is.
  void add(Assignment assignment, std::string_view origin, std::string note = "") {
    assignment = tidy(std::move(assignment));
    if (made_.size() >= spec_.limit || rules_of(assignment, {}).empty() || !fits(assignment) ||
        !known_.insert(key_of(assignment)).second) {
      return;
    }
    if (note.empty()) {
      note = note_of(assignment);
    }
    made_.push_back({std::move(assignment), std::string(origin), std::move(note)});
  }

  bool fits(const Decision& decision) const {
    return std::ranges::all_of(decision.knobs, [&](const Knob& knob) {
      return check_knob(knob.name, knob.value, spec_.llvm_major).has_value();
    });
  }
  bool fits(const Assignment& assignment) const {
    return fits(assignment.general) && std::ranges::all_of(assignment.files, [&](const auto& file) {
             return fits(file.second);
           });
  }

  // To be changed: of a plain decision the objective's own pipeline.
  Decision base(const Decision& decision) const { return is_plain(decision) ? plain_ : decision; }

  void add_knobs(const Assignment& parent) {
    std::vector<KnobValue> values;
    for (const KnobEntry& entry : knob_table()) {
      if (entry.majors.holds(spec_.llvm_major)) {
        for (const std::string_view value : entry.candidates) {
          values.push_back({entry.name, value});
        }
      }
    }
    random_.shuffle(values);  // the limit cuts no knob off for good
    for (const KnobValue& value : values) {
      Assignment general = parent;
      general.general = base(parent.general);
      set_knob(general.general, value.name, value.value);
      add(std::move(general), "knob");
      if (!files_.empty()) {
        const std::string& file = files_[random_.below(files_.size())];
        Assignment one = parent;
        Decision decision = base(parent.of(file));
        set_knob(decision, value.name, value.value);
        one.files[file] = std::move(decision);
        add(std::move(one), "knob");
      }
    }
  }

  void add_without_one(const Assignment& parent, std::string_view origin) {
    const auto drop_each = [&](const Decision& decision, const auto& put) {
      for (std::size_t i = 0; i < decision.knobs.size(); ++i) {
        Decision less = decision;
        less.knobs.erase(less.knobs.begin() + static_cast<std::ptrdiff_t>(i));
        put(std::move(less));
      }
      if (!is_default(decision.pipeline)) {
        put(Decision{plain_.pipeline, decision.knobs});
      }
    };
    drop_each(parent.general, [&](Decision less) {
      Assignment one = parent;
      one.general = std::move(less);
      add(std::move(one), origin);
    });
    for (const auto& [file, decision] : parent.files) {
      drop_each(decision, [&](Decision less) {
        Assignment one = parent;
        one.files[file] = std::move(less);
        add(std::move(one), origin);
      });
    }
  }

  void add_union(const Assignment& parent, const Assignment& partner) {
    Assignment both;
    both.general = merged(parent.general, partner.general);
    for (const Assignment* side : {&parent, &partner}) {
      for (const auto& [file, decision] : side->files) {
        both.files[file] = merged(parent.of(file), partner.of(file));
      }
    }
    add(std::move(both), "union");
  }

  void add_narrowed(const Assignment& parent) {
    if (is_plain(parent.general)) {
      return;
    }
    if (spec_.hot.size() > 1) {
      Assignment hot;
      hot.general = plain_;
      for (const FileShare& file : spec_.hot) {
        hot.files[file.source] = parent.of(file.source);
      }
      add(std::move(hot), "narrow");
    }
    for (const std::string& file : files_) {
      Assignment only;
      only.general = plain_;
      only.files[file] = parent.of(file);
      add(std::move(only), "narrow");
      Assignment but = parent;
      but.files[file] = plain_;
      add(std::move(but), "narrow");
    }
  }

  std::string edit(Decision& decision) {
    decision = base(decision);
    return edit_pipeline(decision, spec_.objective, spec_.llvm_major, random_,
                         spec_.successors.get());
  }

  void add_edits(const Assignment& parent) {
    const std::string before = is_plain(parent.general) && parent.files.empty()
                                   ? std::string()
                                   : "; on top of " + note_of(parent);
    for (std::size_t i = 0; i < kEditsOfAParent; ++i) {
      Assignment general = parent;
      std::string done = edit(general.general);
      for (auto& [file, decision] : general.files) {
        if (!is_plain(decision)) {
          done += "; " + file + ": " + edit(decision);
        }
      }
      add(std::move(general), "edit", done + before);
      for (const std::string& file : files_) {
        Assignment one = parent;
        Decision decision = parent.of(file);
        const std::string here = file + ": " + edit(decision);
        one.files[file] = std::move(decision);
        add(std::move(one), "edit", here + before);
      }
    }
  }

  void add_tails() {
    for (std::size_t i = 0; i < kTails; ++i) {
      Forest tail = random_pipeline(spec_.llvm_major, 1 + random_.below(kLongestTail), random_,
                                    spec_.successors.get(), plain_.pipeline)
                        .forest;
      // The whole pipeline before it inlines what must be inlined.
      std::erase_if(tail.nodes,
                    [](const PipelineNode& node) { return node.name == "always-inline"; });
      Assignment general;
      general.general.pipeline = plain_.pipeline + "," + print(tail);
      add(std::move(general), "tail");
    }
  }

  const VariantSpec& spec_;
  std::set<std::string> known_;
  Random& random_;
  Decision plain_;
  std::vector<std::string> files_;
  std::vector<Variant> made_;
};

}  // namespace

std::vector<Variant> make_ablations(const VariantSpec& spec, const Assignment& parent,
                                    const std::set<std::string>& tried) {
  Random unused(1);
  Maker maker(spec, tried, unused);
  maker.add_ablations(parent);
  return std::move(maker).made();
}

std::vector<Variant> make_variants(const VariantSpec& spec, std::span<const Assignment> parents,
                                   const std::set<std::string>& tried, Random& random) {
  // A third for what was never tried together with anything, the rest for the parents by halves.
  VariantSpec part = spec;
  part.limit = spec.limit / 3;
  std::set<std::string> known = tried;
  std::vector<Variant> all;
  const auto take = [&](Maker maker) {
    for (Variant& variant : std::move(maker).made()) {
      known.insert(key_of(variant.assignment));
      all.push_back(std::move(variant));
    }
  };
  Maker plain(part, known, random);
  plain.add_plain();
  take(std::move(plain));
  for (std::size_t i = 0; i < parents.size() && all.size() < spec.limit; ++i) {
    part.limit = std::max((spec.limit - all.size()) / 3, std::size_t{1});
    Maker maker(part, known, random);
    maker.add_parent(parents[i], parents.subspan(i + 1));
    take(std::move(maker));
  }
  return all;
}

}  // namespace hone
