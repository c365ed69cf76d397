#include "common/search/seeded_candidates.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/random.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/pipelines/knob_table.h"
#include "common/pipelines/mutation.h"
#include "common/pipelines/o3_pipeline.h"
#include "common/search/stratified_draw.h"

namespace hone {
namespace {

constexpr std::string_view kGenerator = "hone-search 1";
constexpr std::uint64_t kFirstWeight = 8;
constexpr std::size_t kLeastMutations = 64;
constexpr std::size_t kLeastRandomPipelines = 32;
constexpr std::size_t kMutationsOfASource = 4;
constexpr std::size_t kLongestTail = 8;
// Small edits mostly: drawn from uniformly.
constexpr std::array<std::size_t, 8> kEdits = {1, 1, 1, 2, 2, 3, 4, 6};
// Sets the stream of the draws apart from that of the pool, which has the bare seed.
constexpr std::uint64_t kDrawStream = 0x5eed0fd2a3c1b479U;

// Values to try first. Measured gains: unroll-count=4 2-3 % on lz4, inline-threshold=1000 2-3 % on
// double-conversion, unroll-count=8 8 % on a stencil; the others are their neighbours, or undo what
// -O3 is known to overdo somewhere.
constexpr auto kFirstForTime = std::to_array<KnobValue>({
    {"align-all-nofallthru-blocks", "5"},
    {"enable-interleaved-mem-accesses", "true"},
    {"force-vector-interleave", "1"},
    {"force-vector-interleave", "2"},
    {"inline-call-penalty", "50"},

    {"inline-threshold", "600"},
    {"inline-threshold", "1000"},
    {"inline-threshold", "2000"},
    {"unroll-count", "2"},
    {"unroll-count", "4"},
    {"unroll-count", "8"},
    {"unroll-runtime", "false"},
    {"unroll-threshold", "600"},
    {"vectorizer-min-trip-count", "4"},
    {"x86-cmov-converter", "false"},
});
constexpr auto kFirstForSize = std::to_array<KnobValue>({
    {"enable-load-pre", "false"},
    {"enable-pre", "false"},
    {"inline-call-penalty", "50"},
    {"inline-threshold", "0"},
    {"inline-threshold", "50"},
    {"inlinecold-threshold", "0"},
    {"phi-node-folding-threshold", "4"},
});

struct Profile {
  std::span<const KnobValue> first;
  std::string_view base;  // the whole pipeline that knobs leave in place
  std::string_view flattened;
  std::span<const KnobValue> restoring;
  std::string_view mutation_origin;
  std::vector<std::string> levels;
  // Weights of knob, mutation, random pipeline, per file.
  std::array<std::uint64_t, 4> weights;
};

Profile profile_of(const SeedSpec& spec, bool with_sources) {
  Profile profile;
  if (spec.objective == SearchObjective::time) {
    profile = {kFirstForTime,
               "default<O3>",
               o3_pipeline(spec.llvm_major),
               restoring_knobs(spec.llvm_major),
               "o3-mutation",
               {"O3"},
               {50, 35, 15, 0}};
    if (with_sources) {
      profile.weights = {35, 25, 10, 30};
    }
  } else {
    profile = {kFirstForSize, "default<Oz>",  oz_pipeline(spec.llvm_major), {}, "oz-mutation",
               {"Os", "Oz"},  {35, 40, 25, 0}};
    if (with_sources) {
      profile.weights = {25, 30, 15, 30};
    }
  }
  if (!spec.levels.empty()) {
    profile.levels = spec.levels;
  }
  return profile;
}

std::string key_of(const ProposedCandidate& candidate) {
  std::string key;
  for (const Rule& rule : candidate.rules) {
    key += rule.source + '\n' + rule.decision.pipeline + '\n';
    for (const Knob& knob : rule.decision.knobs) {
      key += knob.name + '=' + knob.value + '\n';
    }
  }
  return key;
}

// Fills the strata one after the other; a member that exists already is not added again.
class Pool {
 public:
  Pool(const SeedSpec& spec, std::vector<std::string> sources)
      : spec_(spec),
        sources_(std::move(sources)),
        profile_(profile_of(spec, !sources_.empty())),
        flattened_(parse_pipeline(profile_.flattened).value()),
        random_(spec.seed) {
    add_knobs();
    add_mutations();
    add_random_pipelines();
    add_file_variants();
  }

  std::vector<Stratum> strata() const {
    std::vector<Stratum> strata;
    strata.reserve(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      strata.push_back({profile_.weights[i], weights_[i]});
    }
    return strata;
  }

  ProposedCandidate take(const Draw& draw) {
    ProposedCandidate candidate = std::move(members_[draw.stratum][draw.member]);
    candidate.log_propensity = draw.log_propensity;
    return candidate;
  }

  std::size_t size() const {
    std::size_t size = 0;
    for (const auto& members : members_) {
      size += members.size();
    }
    return size;
  }

  std::string scheme() const {
    std::string text =
        "Draws one after the other without replacement; p = W_h / sum of the W of strata with "
        "members left * w_i / sum of the w left in stratum h. Strata (W, members):";
    const std::array<std::string_view, 4> names = {"knob", profile_.mutation_origin,
                                                   "random-pipeline", "per-file"};
    for (std::size_t i = 0; i < members_.size(); ++i) {
      text += (i == 0 ? " " : ", ") + std::string(names[i]) + " (" +
              std::to_string(profile_.weights[i]) + ", " + std::to_string(members_[i].size()) + ")";
    }
    return text + ". w is " + std::to_string(kFirstWeight) +
           " for the knob values to try first, else 1.";
  }

 private:
  enum Origin : std::size_t { knob, mutation, random_pipeline, per_file };

  Rule rule(std::string source, Decision decision) const {
    Rule result;
    result.source = std::move(source);
    result.levels = profile_.levels;
    std::ranges::sort(decision.knobs, {}, &Knob::name);
    result.decision = std::move(decision);
    return result;
  }

  bool add(Origin origin, std::string_view name, Rule one_rule, std::string note,
           std::uint64_t weight) {
    ProposedCandidate candidate;
    candidate.rules.push_back(std::move(one_rule));
    candidate.origin = name;
    candidate.note = std::move(note);
    if (!keys_.insert(key_of(candidate)).second) {
      return false;
    }
    members_[origin].push_back(std::move(candidate));
    weights_[origin].push_back(weight);
    return true;
  }

  Decision knob_decision(std::string_view name, std::string_view value) const {
    return {std::string(profile_.base), {{std::string(name), std::string(value)}}};
  }

  static std::string knob_note(std::string_view name, std::string_view value) {
    return "-" + std::string(name) + "=" + std::string(value);
  }

  bool is_first(std::string_view name, std::string_view value_text) const {
    return std::ranges::any_of(profile_.first, [&](const KnobValue& candidate) {
      return candidate.name == name && candidate.value == value_text;
    });
  }

  void add_knobs() {
    for (const KnobEntry& entry : knob_table()) {
      if (!entry.majors.holds(spec_.llvm_major)) {
        continue;
      }
      for (const std::string_view value : entry.candidates) {
        add(knob, "knob", rule("*", knob_decision(entry.name, value)), knob_note(entry.name, value),
            is_first(entry.name, value) ? kFirstWeight : 1);
      }
    }
  }

  Decision restored(std::string pipeline) const {
    Decision decision;
    decision.pipeline = std::move(pipeline);
    for (const KnobValue& value : profile_.restoring) {
      decision.knobs.push_back({std::string(value.name), std::string(value.value)});
    }
    return decision;
  }

  // Edits may undo each other; what is left is the text that the mutations start from.
  bool add_mutation_of(const std::string& source, Origin origin, std::string_view name,
                       const std::string& note_prefix) {
    const std::size_t edits = kEdits[random_.below(kEdits.size())];
    Mutation mutated = mutate(flattened_, spec_.llvm_major, edits, random_);
    return mutated.forest != flattened_ &&
           add(origin, name, rule(source, restored(print(mutated.forest))),
               note_prefix + mutated.description, 1);
  }

  void add_mutations() {
    const std::size_t wanted = std::max(kLeastMutations, 4 * spec_.count);
    std::size_t added = 0;
    // Duplicates are rare; the bound only makes sure that this ends.
    for (std::size_t attempt = 0; added < wanted && attempt < 4 * wanted; ++attempt) {
      added += add_mutation_of("*", mutation, profile_.mutation_origin, "") ? 1 : 0;
    }
  }

  void add_random_pipelines() {
    const std::size_t wanted = std::max(kLeastRandomPipelines, 2 * spec_.count);
    std::size_t added = 0;
    for (std::size_t attempt = 0; added < wanted && attempt < 4 * wanted; ++attempt) {
      Forest tail =
          hone::random_pipeline(spec_.llvm_major, 1 + random_.below(kLongestTail), random_).forest;
      // The whole pipeline before it inlines what must be inlined.
      std::erase_if(tail.nodes,
                    [](const PipelineNode& node) { return node.name == "always-inline"; });
      Decision decision;
      decision.pipeline = std::string(profile_.base) + "," + print(tail);
      std::string note = decision.pipeline;
      added += add(random_pipeline, "random-pipeline", rule("*", std::move(decision)),
                   std::move(note), 1)
                   ? 1
                   : 0;
    }
  }

  void add_file_variants() {
    for (const std::string& source : sources_) {
      for (const KnobValue& value : profile_.first) {
        if (check_knob(value.name, value.value, spec_.llvm_major)) {
          add(per_file, "per-file", rule(source, knob_decision(value.name, value.value)),
              source + ": " + knob_note(value.name, value.value), 1);
        }
      }
      for (std::size_t i = 0; i < kMutationsOfASource; ++i) {
        add_mutation_of(source, per_file, "per-file", source + ": ");
      }
    }
  }

  const SeedSpec& spec_;
  std::vector<std::string> sources_;
  Profile profile_;
  Forest flattened_;
  Random random_;
  std::set<std::string> keys_;
  std::array<std::vector<ProposedCandidate>, 4> members_;
  std::array<std::vector<std::uint64_t>, 4> weights_;
};

// In a fixed order, each once, without those that a pattern cannot name.
std::vector<std::string> usable_sources(std::vector<std::string> sources) {
  std::erase_if(sources, [](const std::string& source) {
    return source.empty() || source.find_first_of("*?") != std::string::npos;
  });
  std::ranges::sort(sources);
  const auto repeated = std::ranges::unique(sources);
  sources.erase(repeated.begin(), repeated.end());
  sources.resize(std::min(sources.size(), kMaxSeedSources));
  return sources;
}

}  // namespace

Result<SeededCandidates> make_seeded_candidates(const SeedSpec& spec) {
  if (spec.count == 0 || spec.count > kMaxSeededCandidates) {
    return fail(ErrorCode::invalid_argument, "a seeded set has 1 to " +
                                                 std::to_string(kMaxSeededCandidates) +
                                                 " candidates, not " + std::to_string(spec.count));
  }
  if (!has_pass_table(spec.llvm_major) || o3_pipeline(spec.llvm_major).empty()) {
    return fail(ErrorCode::unsupported,
                "there are no tables to seed a search for LLVM " + std::to_string(spec.llvm_major));
  }
  Pool pool(spec, usable_sources(spec.sources));
  SeededCandidates result;
  result.generator = kGenerator;
  result.scheme = pool.scheme();
  result.pool_size = pool.size();
  StratifiedDraw draws(pool.strata());
  Random random(spec.seed ^ kDrawStream);
  while (result.candidates.size() < spec.count) {
    const std::optional<Draw> draw = draws.next(random);
    if (!draw) {
      break;
    }
    result.candidates.push_back(pool.take(*draw));
  }
  return result;
}

}  // namespace hone
