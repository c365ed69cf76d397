#include "build_integration/cli/state_validator.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "build_integration/cli/session_bitcode.h"
#include "build_integration/programs/differential_test.h"
#include "build_integration/programs/linked_program.h"
#include "build_integration/programs/sanitized_test.h"
#include "common/base/file.h"
#include "common/sessions/opt_command.h"

namespace hone {
namespace {

const std::array<std::string, 2> kSessions = {"one", "two"};

std::string text_of(const SessionReply& reply, const std::string& space) {
  const auto found = reply.observations.find(space);
  const auto* const text =
      found == reply.observations.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

// Why a reply is not what a replay needs; empty if it is.
std::string failure_of(const SessionReply& reply) {
  if (reply.error) {
    return reply.error->describe();
  }
  if (reply.outcome == StepOutcome::ok) {
    return "";
  }
  return fmt::format("{} {} behind {} others: {}", to_string(reply.outcome), reply.pipeline,
                     reply.applied, reply.reason);
}

}  // namespace

Result<ValidationResult> StateValidator::validate(const EpisodeState& state) {
  const auto begin = std::chrono::steady_clock::now();
  ValidationResult result;
  result.state = state;
  HONE_CHECK(check(result));
  result.walltime = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Result<void> StateValidator::check(ValidationResult& result) {
  const auto failed = [&result](std::string type, Json data) -> Result<void> {
    result.actions_replay_failed = true;
    result.errors.push_back({std::move(type), std::move(data)});
    return {};
  };
  const Result<Program> program = programs_.load(result.state.benchmark);
  if (!program) {
    if (program.error().code == ErrorCode::cancelled) {
      return program.error();
    }
    return failed("column benchmark: " + program.error().describe(),
                  {{"column", "benchmark"}, {"value", result.state.benchmark}});
  }
  const Result<OptCommand> command = parse_opt_command(result.state.commandline);
  if (!command) {
    return failed("column commandline: " + command.error().describe(),
                  {{"column", "commandline"}, {"value", result.state.commandline}});
  }
  HONE_TRY(const auto replays, replay(*program, command->pipelines));
  const auto& [one, two] = replays;
  if (!one.failure.empty() || !two.failure.empty()) {
    return failed("Action replay failed: " + (one.failure.empty() ? two.failure : one.failure),
                  {{"first", one.failure}, {"second", two.failure}});
  }
  if (one.hash != two.hash || one.reward != two.reward) {
    return failed("Two replays differ",
                  {{"hashes", {one.hash, two.hash}}, {"rewards", {one.reward, two.reward}}});
  }
  if (const std::optional<double> expected = result.state.reward) {
    result.reward_validated = true;
    if (!same_reward(*expected, one.reward)) {
      result.reward_validation_failed = true;
      result.errors.push_back(
          {fmt::format("Expected reward {} but received reward {}", *expected, one.reward),
           {{"expected_reward", *expected}, {"actual_reward", one.reward}}});
    }
  }
  return check_semantics(*program, one.bitcode, result);
}

Result<void> StateValidator::check_semantics(const Program& program, const std::string& bitcode,
                                             ValidationResult& result) {
  if (program.runs.empty()) {
    return {};
  }
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("hone-optimised-"));
  const std::filesystem::path file = folder.path() / "optimised.bc";
  HONE_CHECK(write_file_atomically(file, bitcode));
  HONE_TRY(SemanticsCheck semantics, differential_test(program, file, stop_));
  result.benchmark_semantics_validated = semantics.validated;
  result.benchmark_semantics_validation_failed = semantics.failed;
  std::ranges::move(semantics.errors, std::back_inserter(result.errors));
  for (const Sanitizer sanitizer : settings_.sanitizers) {
    HONE_TRY(SemanticsCheck reports, sanitized_test(program, file, sanitizer, stop_));
    result.benchmark_semantics_validated |= reports.validated;
    result.benchmark_semantics_validation_failed |= reports.failed;
    std::ranges::move(reports.errors, std::back_inserter(result.errors));
  }
  return {};
}

Result<std::pair<StateValidator::Replay, StateValidator::Replay>> StateValidator::replay(
    const Program& program, const std::vector<std::string>& pipelines) {
  std::array<Replay, 2> replays;
  SessionRequest request;
  request.command = SessionCommand::open;
  request.program = program.file.string();
  std::size_t begun = 0;
  std::vector<SessionReply> replies;
  const auto clean = [&replays] {
    return replays[0].failure.empty() && replays[1].failure.empty();
  };
  // Long states in several requests; the last one also tells what it came to.
  do {
    const std::size_t count = std::min(pipelines.size() - begun, kMaxPipelinesPerStep);
    const auto from = pipelines.begin() + static_cast<std::ptrdiff_t>(begun);
    request.pipelines.assign(from, from + static_cast<std::ptrdiff_t>(count));
    begun += count;
    HONE_TRY(replies, ask_both(request));
    for (std::size_t i = 0; i < replays.size(); ++i) {
      replays[i].failure = failure_of(replies[i]);
    }
    request = {};
    request.command = SessionCommand::step;
  } while (clean() && begun < pipelines.size());
  if (clean()) {
    request.command = SessionCommand::observe;
    request.observe = {ObservationSpace::bitcode_hash};
    const bool linked = is_linked(observation_of(settings_.reward.cost));
    if (linked || !program.runs.empty()) {
      request.observe.push_back(ObservationSpace::bitcode);
    }
    if (!linked) {
      request.rewards = {settings_.reward};
    }
    HONE_TRY(replies, ask_both(request));
    for (std::size_t i = 0; i < replays.size(); ++i) {
      Replay& replay = replays[i];
      replay.failure = failure_of(replies[i]);
      replay.hash = text_of(replies[i], std::string(to_string(ObservationSpace::bitcode_hash)));
      replay.bitcode = text_of(replies[i], std::string(to_string(ObservationSpace::bitcode)));
      const auto reward = replies[i].rewards.find(to_string(settings_.reward));
      replay.reward = reward == replies[i].rewards.end() ? 0 : reward->second;
    }
  }
  request = {};
  request.command = SessionCommand::close;
  HONE_CHECK(ask_both(request));  // one that was never opened refuses, which is no matter
  if (clean() && is_linked(observation_of(settings_.reward.cost))) {
    HONE_CHECK(link_rewards(program, replays));
  }
  return std::pair(std::move(replays[0]), std::move(replays[1]));
}

Result<void> StateValidator::link_rewards(const Program& program, std::array<Replay, 2>& replays) {
  const auto optimise = [this, &program](const std::string& pipeline) {
    return session_bitcode(client_, program.file, pipeline);
  };
  LinkedProgram linked(program, {}, optimise, stop_);
  for (Replay& replay : replays) {
    const Result<double> reward = linked.episode_reward(settings_.reward, replay.bitcode);
    if (reward) {
      replay.reward = *reward;
    } else if (is_of_the_bitcode(reward.error())) {
      replay.failure = reward.error().describe();
    } else {
      return reward.error();
    }
  }
  return {};
}

Result<std::vector<SessionReply>> StateValidator::ask_both(const SessionRequest& request) {
  std::array<std::int64_t, kSessions.size()> ids{};
  for (std::size_t i = 0; i < kSessions.size(); ++i) {
    SessionRequest of_one = request;
    of_one.session = kSessions[i];
    HONE_TRY(ids[i], client_.send(std::move(of_one)));
  }
  std::vector<SessionReply> replies(kSessions.size());
  for (std::size_t i = 0; i < kSessions.size(); ++i) {
    HONE_TRY(SessionReply reply, client_.receive());
    replies[reply.id == ids[0] ? 0 : 1] = std::move(reply);
  }
  return replies;
}

}  // namespace hone
