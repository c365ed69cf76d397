#include "server/learner/commands/train_options.h"

#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "common/base/program_beside.h"

namespace hone {
namespace {

constexpr int kLlvmMajor = 19;

}  // namespace

Result<Cost> trained_cost(const TrainOptions& options) {
  const std::optional<RewardSpace> space = parse_reward_space(options.cost);
  const bool known =
      space && space->form == RewardForm::difference &&
      (space->cost == Cost::ir_instruction_count || space->cost == Cost::object_text_size);
  if (!known) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("--cost '{}' is not IrInstructionCount or ObjectTextSizeBytes", options.cost));
  }
  return space->cost;
}

Result<ProgramLoader> program_loader(const LearnerContext& context) {
  ProgramLoaderSettings loading;
  loading.debian_script = shared_file("debian_source.sh");
  loading.say = say;
  loading.stop = context.stop;
  return ProgramLoader::create(std::move(loading));
}

Result<Portfolio> trained_portfolio(const TrainOptions& options) {
  const std::filesystem::path file =
      options.portfolio.empty()
          ? shared_file(fmt::format("portfolios/llvm-{}-{}.json", kLlvmMajor, options.cost))
          : std::filesystem::path(options.portfolio);
  HONE_TRY(Portfolio portfolio, read_portfolio(file));
  if (portfolio.cost != options.cost) {
    return fail(ErrorCode::conflict, fmt::format("{} is a portfolio for {}, not for {}",
                                                 file.string(), portfolio.cost, options.cost));
  }
  return portfolio;
}

void say(std::string_view text) {
  fmt::print(stderr, "hone-learner: {}\n", text);
}

Result<void> write_trained(Model model, const TrainOptions& options) {
  model.seed = options.seed;
  model.made_by = "hone-learner " HONE_VERSION;
  model.made_at = fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  return write_model(options.output, model);
}

}  // namespace hone
