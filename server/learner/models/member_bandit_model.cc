// A bandit over members as a model in a file.
#include <cmath>

#include <nlohmann/json.hpp>

#include "common/json/object_reader.h"
#include "common/pipelines/action_table.h"
#include "common/pipelines/forest.h"
#include "common/search/portfolio.h"
#include "server/learner/models/member_bandit_weights.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;
constexpr std::size_t kMaxPipelines = 512;
constexpr std::int64_t kMaxPrograms = 100'000;
constexpr double kMost = 1e9;

ModelPart part_of(std::string name, const Eigen::MatrixXd& numbers) {
  return {std::move(name),
          doubles_to_bytes({numbers.data(), static_cast<std::size_t>(numbers.size())})};
}

// rows x columns, column by column. (A Result of a matrix would be ambiguous: Eigen's matrices can
// be made of anything.)
Result<void> read_numbers(const Model& model, const std::string& name, Eigen::Index rows,
                          Eigen::Index columns, auto& numbers) {
  HONE_TRY(const std::string_view bytes, model.part(name));
  HONE_TRY(const std::vector<double> read, doubles_from_bytes(bytes));
  if (static_cast<Eigen::Index>(read.size()) != rows * columns) {
    return fail(ErrorCode::invalid_argument, "part '" + name + "' has " +
                                                 std::to_string(read.size()) + " numbers, not " +
                                                 std::to_string(rows * columns));
  }
  numbers = Eigen::Map<const Eigen::MatrixXd>(read.data(), rows, columns);
  return {};
}

struct Settings {
  std::vector<std::vector<std::string>> sequences;
  std::int64_t programs = 0;
  double penalty = 0;
  double caution = 0;
};

void check_pipelines(const std::vector<std::string>& pipelines, ObjectReader& reader) {
  for (const std::string& pipeline : pipelines) {
    const Result<Forest> forest = parse_pipeline(pipeline);
    const Result<void> allowed =
        forest ? check_pipeline(*forest, kLlvmMajor) : Result<void>(forest.error());
    if (!allowed) {
      reader.refuse("pipelines", "\"" + pipeline + "\": " + allowed.error().message);
    }
  }
}

Result<Settings> settings_of(const Model& model) {
  Problems problems;
  ObjectReader reader(model.settings, "/settings", problems, UnknownKeys::refuse);
  Settings settings;
  reader.each("members", kMaxPortfolioMembers, [&](ObjectReader& member) {
    settings.sequences.push_back(
        member.text_list("pipelines", kMaxPipelines, {.max_size = kMaxPipelineBytes}));
    check_pipelines(settings.sequences.back(), member);
  });
  settings.programs = reader.integer("programs", 1, kMaxPrograms);
  settings.penalty = reader.number("penalty", 0, kMost);
  settings.caution = reader.number("caution", 0, kMost);
  if (settings.sequences.empty()) {
    reader.refuse("members", "must have at least one");
  }
  reader.finish();
  if (auto error = problems.as_error("model of kind bandit")) {
    return *std::move(error);
  }
  return settings;
}

}  // namespace

void MemberBandit::store(const std::vector<std::vector<std::string>>& pipelines,
                         Model& model) const {
  model.kind = ModelKind::bandit;
  Json members = Json::array();
  for (const std::vector<std::string>& sequence : pipelines) {
    members.push_back({{"pipelines", sequence}});
  }
  // A penalty without end is told as the largest number that is read.
  model.settings = {{"members", std::move(members)},
                    {"programs", weights_->left.rows()},
                    {"penalty", std::isinf(penalty()) ? kMost : penalty()},
                    {"caution", weights_->caution}};
  model.parts = {part_of("mean", weights_->mean),   part_of("scale", weights_->scale),
                 part_of("value", weights_->value), part_of("slope", weights_->slope),
                 part_of("error", weights_->error), part_of("left", weights_->left)};
}

Result<MemberBandit> MemberBandit::of(const Model& model) {
  HONE_TRY(const Settings settings, settings_of(model));
  const auto width = static_cast<Eigen::Index>(model.features.size());
  const auto members = static_cast<Eigen::Index>(settings.sequences.size());
  auto weights = std::make_unique<Weights>();
  HONE_CHECK(read_numbers(model, "mean", width, 1, weights->mean));
  HONE_CHECK(read_numbers(model, "scale", width, 1, weights->scale));
  HONE_CHECK(read_numbers(model, "value", members, 1, weights->value));
  HONE_CHECK(read_numbers(model, "slope", width, members, weights->slope));
  HONE_CHECK(read_numbers(model, "error", members, 1, weights->error));
  HONE_CHECK(read_numbers(model, "left", settings.programs, members, weights->left));
  if (settings.penalty < kMost) {
    weights->penalty = settings.penalty;
  }
  weights->caution = settings.caution;
  return MemberBandit(std::move(weights));
}

Result<std::vector<std::vector<std::string>>> MemberBandit::sequences_of(const Model& model) {
  HONE_TRY(Settings settings, settings_of(model));
  return std::move(settings.sequences);
}

}  // namespace hone
