#include "engine/session/commands.h"

namespace hone {
namespace {

Result<void> run_step(Session& session, const SessionRequest& request, SessionReply& reply) {
  // A step's rewards are its own; an open's are those of all that it applied, which is the same.
  HONE_TRY(const StepResult step, session.step(request.pipelines, request.rewards));
  reply.applied = static_cast<std::int64_t>(step.applied);
  reply.changed = step.changed;
  if (!step.broken.empty()) {
    reply.outcome = StepOutcome::broken_module;
    reply.pipeline = request.pipelines[step.applied];
    reply.reason = step.broken;
  }
  for (std::size_t i = 0; i < request.rewards.size(); ++i) {
    reply.rewards[to_string(request.rewards[i])] = step.rewards[i];
  }
  return {};
}

Result<void> run_command(Session& session, const SessionRequest& request, SessionReply& reply) {
  switch (request.command) {
    case SessionCommand::open:
    case SessionCommand::step:
      return run_step(session, request, reply);
    case SessionCommand::undo: {
      HONE_CHECK(session.undo(static_cast<std::size_t>(request.count)));
      break;
    }
    case SessionCommand::reset: {
      HONE_CHECK(session.reset());
      break;
    }
    case SessionCommand::observe:
    case SessionCommand::fork:
    case SessionCommand::close:
      break;
  }
  for (const RewardSpace& space : request.rewards) {
    HONE_TRY(reply.rewards[to_string(space)], session.episode_reward(space));
  }
  return {};
}

}  // namespace

SessionReply answer(Session& session, const SessionRequest& request) {
  SessionReply reply;
  reply.id = request.id;
  Result<void> done = run_command(session, request, reply);
  for (const ObservationSpace space : request.observe) {
    if (!done) {
      break;
    }
    const Result<const Observation*> seen = session.observe(space);
    if (seen) {
      reply.observations.emplace(to_string(space), **seen);
    } else {
      done = seen.error();
    }
  }
  if (!done) {
    SessionReply refused;
    refused.id = request.id;
    refused.error = done.error();
    return refused;
  }
  if (request.mask) {
    for (const std::string& pipeline : session.without_effect()) {
      reply.masked.emplace(pipeline, kNoEffect);
    }
  }
  reply.length = static_cast<std::int64_t>(session.history().size());
  return reply;
}

}  // namespace hone
