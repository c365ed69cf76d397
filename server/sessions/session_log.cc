#include "server/sessions/session_log.h"

#include <chrono>
#include <utility>

#include "common/base/token.h"

namespace hone {
namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string state_of(const SessionReply& reply) {
  const auto seen = reply.observations.find(std::string(to_string(kStateName)));
  const auto* const name =
      seen == reply.observations.end() ? nullptr : std::get_if<std::string>(&seen->second);
  return name == nullptr ? "" : *name;
}

// What is stored with the state. Whole programs are not: the program and the pipelines give them
// again, and a log of them would be as large as all of them together.
std::map<std::string, Observation> features_of(const SessionReply& reply) {
  std::map<std::string, Observation> features = reply.observations;
  for (const ObservationSpace left_out :
       {ObservationSpace::ir, ObservationSpace::bitcode, ObservationSpace::programl, kStateName}) {
    features.erase(std::string(to_string(left_out)));
  }
  return features;
}

// The length behind a request that came right after what is known; otherwise there was another in
// between.
std::int64_t length_after(std::int64_t before, const SessionRequest& request,
                          const SessionReply& reply) {
  switch (request.command) {
    case SessionCommand::step:
      return before + reply.applied;
    case SessionCommand::undo:
      return before - request.count;
    default:
      return before;
  }
}

}  // namespace

const std::string& SessionLog::episode_of(const std::string& session) const {
  return followed_.at(session).episode->id;
}

LoggedStep SessionLog::row(const Followed& followed, StepKind kind,
                           const SessionReply& reply) const {
  LoggedStep step;
  step.episode = followed.episode;
  step.kind = kind;
  step.state = followed.state;
  step.next_state = state_of(reply);
  step.features = features_of(reply);
  step.rewards = reply.rewards;
  step.length = reply.length;
  step.at = now_ms();
  return step;
}

void SessionLog::push(Followed& followed, LoggedStep step) {
  step.step = followed.entries++;
  if (!queue_.push(std::move(step))) {
    ++followed.dropped;
  }
}

// A step whose state nobody could see goes without.
void SessionLog::settle(Followed& followed) {
  if (followed.pending) {
    push(followed, *std::exchange(followed.pending, std::nullopt));
  }
}

SessionLog::Followed SessionLog::start(LoggedEpisode episode, const SessionReply& reply) {
  episode.id = random_uuid();
  episode.machine = place_.machine;
  episode.compiler = place_.compiler;
  episode.begun_at = now_ms();
  Followed followed;
  followed.episode = std::make_shared<const LoggedEpisode>(std::move(episode));
  push(followed, row(followed, StepKind::begin, reply));
  followed.state = state_of(reply);
  followed.length = reply.length;
  return followed;
}

void SessionLog::begin(const std::string& session, const std::string& token,
                       const std::string& program, const SessionReply& opened) {
  LoggedEpisode episode;
  episode.session = session;
  episode.token = token;
  episode.program = program;
  followed_.insert_or_assign(session, start(std::move(episode), opened));
}

bool SessionLog::note(const SessionRequest& request, const std::vector<double>& log_propensities,
                      const SessionReply& reply) {
  const auto found = followed_.find(request.session);
  if (found == followed_.end()) {
    return false;
  }
  Followed& followed = found->second;
  settle(followed);
  if (request.command == SessionCommand::reset) {
    LoggedEpisode next = *followed.episode;
    next.start = EpisodeStart::reset;
    next.parent = followed.episode->id;
    finish(followed, "reset");
    next.parent_step = followed.entries - 1;
    followed = start(std::move(next), reply);
    return false;
  }
  const bool in_order = reply.length == length_after(followed.length, request, reply);
  LoggedStep step = row(followed, StepKind::observe, reply);
  if (!in_order) {
    step.state.clear();
  }
  if (request.command == SessionCommand::undo) {
    step.kind = StepKind::undo;
    step.undone = request.count;
  } else if (request.command == SessionCommand::step) {
    step.kind = StepKind::step;
    step.pipelines = request.pipelines;
    step.applied = reply.applied;
    step.changed = reply.changed;
    step.log_propensities = log_propensities;
    step.outcome = reply.outcome;
    step.reason = reply.reason;
    if (step.next_state.empty() && reply.applied == 0) {
      step.next_state = step.state;  // nothing was applied
    }
  }
  followed.length = reply.length;
  followed.state = step.next_state;
  if (step.next_state.empty()) {
    followed.pending = std::move(step);
    return true;
  }
  push(followed, std::move(step));
  return false;
}

void SessionLog::note_state(const std::string& session, const SessionReply* reply) {
  const auto found = followed_.find(session);
  if (found == followed_.end() || !found->second.pending) {
    return;  // another request was answered in between
  }
  Followed& followed = found->second;
  if (reply != nullptr && reply->length == followed.length) {
    followed.state = state_of(*reply);
    followed.pending->next_state = followed.state;
  }
  settle(followed);
}

void SessionLog::fork(const SessionRequest& request, const std::string& token,
                      const SessionReply& reply) {
  const auto found = followed_.find(request.session);
  if (found == followed_.end()) {
    return;
  }
  settle(found->second);
  LoggedEpisode episode = *found->second.episode;
  episode.session = request.into;
  episode.token = token;
  episode.start = EpisodeStart::fork;
  episode.parent = found->second.episode->id;
  episode.parent_step = found->second.entries - 1;
  followed_.insert_or_assign(request.into, start(std::move(episode), reply));
}

void SessionLog::finish(Followed& followed, std::string_view why) {
  settle(followed);
  LoggedStep last;
  last.episode = followed.episode;
  last.kind = StepKind::end;
  last.state = followed.state;
  last.reason = why;
  last.length = followed.length;
  last.entries = followed.entries + 1;
  last.dropped = followed.dropped;
  last.at = now_ms();
  push(followed, std::move(last));
}

void SessionLog::end(const std::string& session, std::string_view why) {
  const auto found = followed_.find(session);
  if (found != followed_.end()) {
    finish(found->second, why);
    followed_.erase(found);
  }
}

void SessionLog::end_all(std::string_view why) {
  for (auto& [session, followed] : followed_) {
    finish(followed, why);
  }
  followed_.clear();
}

}  // namespace hone
