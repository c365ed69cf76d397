#include "build_integration/cli/first_candidates.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/base/source_file.h"
#include "common/base/text.h"
#include "common/search/seeded_candidates.h"

namespace hone {
namespace {

constexpr std::size_t kMaxFilesSeen = 200000;

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(
      patterns, [text](const std::string& pattern) { return matches_glob(pattern, text); });
}

// All C and C++ files below the folder, relative, sorted. What cannot be read is passed over.
std::vector<std::string> sources_below(const std::filesystem::path& folder) {
  std::vector<std::string> sources;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(
      folder, std::filesystem::directory_options::skip_permission_denied, error);
  std::size_t seen = 0;
  for (; !error && entry != std::filesystem::recursive_directory_iterator() && seen < kMaxFilesSeen;
       entry.increment(error), ++seen) {
    std::error_code ignored;
    if (is_source_file(entry->path()) && entry->is_regular_file(ignored)) {
      sources.push_back(entry->path().lexically_relative(folder).generic_string());
    }
  }
  std::ranges::sort(sources);
  return sources;
}

}  // namespace

std::vector<std::string> sources_to_tune(const TuneSpec& tune,
                                         const std::filesystem::path& folder) {
  const bool searches =
      !folder.empty() && std::ranges::any_of(tune.include, [](const std::string& pattern) {
        return has_wildcard(pattern) && pattern != "*";
      });
  const std::vector<std::string> present =
      searches ? sources_below(folder) : std::vector<std::string>();
  std::vector<std::string> chosen;
  std::set<std::string> known;
  const auto take = [&](const std::string& source) {
    if (!matches_any(tune.exclude, source) && known.insert(source).second) {
      chosen.push_back(source);
    }
  };
  for (const std::string& pattern : tune.include) {
    if (!has_wildcard(pattern)) {
      take(pattern);
    } else if (pattern != "*") {
      for (const std::string& source : present) {
        if (matches_glob(pattern, source)) {
          take(source);
        }
      }
    }
  }
  return chosen;
}

Result<CandidateSet> first_candidates(const TargetSpec& target, const std::filesystem::path& folder,
                                      BaselineKind baseline, std::size_t count,
                                      std::uint64_t seed) {
  SeedSpec spec;
  spec.seed = seed;
  spec.count = count;
  spec.sources = sources_to_tune(target.tune, folder);
  spec.objective = baseline == BaselineKind::oz ? SearchObjective::size : SearchObjective::time;
  if (baseline == BaselineKind::own) {
    spec.levels = {"O2", "O3"};
  }
  HONE_TRY(SeededCandidates seeded, make_seeded_candidates(spec));
  CandidateSet set;
  set.generator = std::move(seeded.generator);
  set.scheme = std::move(seeded.scheme);
  set.seed = seed;
  for (ProposedCandidate& proposed : seeded.candidates) {
    Candidate candidate;
    candidate.index = static_cast<std::int64_t>(set.candidates.size());
    candidate.origin = std::move(proposed.origin);
    candidate.note = std::move(proposed.note);
    candidate.log_propensity = proposed.log_propensity;
    candidate.rules = std::move(proposed.rules);
    set.candidates.push_back(std::move(candidate));
  }
  return set;
}

}  // namespace hone
