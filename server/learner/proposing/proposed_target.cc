#include "server/learner/proposing/proposed_target.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/text.h"
#include "common/protocol/target_spec.h"

namespace hone {

Result<ProposedTarget> parse_proposed_target(const Json& answer) {
  if (!answer.is_object()) {
    return fail(ErrorCode::invalid_argument, "the answer is no target");
  }
  HONE_TRY(TargetSpec spec, parse_target_spec(answer.value("spec", Json()), UnknownKeys::ignore));
  Problems problems;
  ObjectReader reader(answer, "", problems, UnknownKeys::ignore);
  SourceProfile profile;
  reader.optional_object(
      "profile", [&profile](ObjectReader& object) { profile = read_source_profile(object); });
  if (const std::optional<Error> error = problems.as_error("target")) {
    return *error;
  }
  const auto matches = [](const std::vector<std::string>& patterns, const std::string& source) {
    return std::ranges::any_of(
        patterns, [&source](const std::string& pattern) { return matches_glob(pattern, source); });
  };
  ProposedTarget target;
  for (FileShare& file : hot_files(profile)) {
    if (!matches(spec.tune.exclude, file.source) &&
        (spec.tune.include.empty() || matches(spec.tune.include, file.source))) {
      target.hot.push_back(std::move(file));
    }
  }
  target.metric = spec.benchmark.metric.metric;
  target.include = std::move(spec.tune.include);
  return target;
}

}  // namespace hone
