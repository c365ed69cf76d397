#include "server/learner/lab/pass_episodes.h"

#include <algorithm>
#include <cmath>

#include "server/learner/lab/program_features.h"

namespace hone {
namespace {

constexpr double kFading = 0.9;
constexpr std::size_t kOfEpisode = 3;  // numbers of an observation besides features and actions
const std::string kCompilersOwn = "default<Oz>";

// A module that was optimised to nothing has no logarithm; one instruction is as little.
double log_ratio(double above, double below) {
  return std::log(std::max(above, 1.0) / std::max(below, 1.0));
}

}  // namespace

PassEpisodes::PassEpisodes(SessionClient client, PassEpisodesSettings settings)
    : client_(std::move(client)), settings_(std::move(settings)) {
  for (std::size_t i = 0; i < settings_.actions.size(); ++i) {
    number_[settings_.actions[i]] = i;
  }
}

std::size_t PassEpisodes::inputs() const {
  return kProgramFeatures + kOfEpisode + actions();
}

SessionRequest PassEpisodes::request(const std::string& session, SessionCommand command) const {
  SessionRequest made;
  made.session = session;
  made.command = command;
  if (command != SessionCommand::close) {
    made.mask = true;
    made.observe = {ObservationSpace::inst_count, ObservationSpace::autophase,
                    observation_of(settings_.cost)};
  }
  return made;
}

Result<SessionReply> PassEpisodes::ask(const std::string& session, SessionCommand command,
                                       std::vector<std::string> pipelines) {
  SessionRequest made = request(session, command);
  made.pipelines = std::move(pipelines);
  return client_.ask(std::move(made));
}

Result<PassEpisodes::Module> PassEpisodes::module_of(const SessionReply& reply) const {
  const auto counts = [&](ObservationSpace space) -> const std::vector<std::int64_t>* {
    const auto found = reply.observations.find(std::string(to_string(space)));
    return found == reply.observations.end()
               ? nullptr
               : std::get_if<std::vector<std::int64_t>>(&found->second);
  };
  const std::vector<std::int64_t>* const inst_count = counts(ObservationSpace::inst_count);
  const std::vector<std::int64_t>* const autophase = counts(ObservationSpace::autophase);
  const auto cost = reply.observations.find(std::string(to_string(observation_of(settings_.cost))));
  const std::int64_t* const number =
      cost == reply.observations.end() ? nullptr : std::get_if<std::int64_t>(&cost->second);
  if (inst_count == nullptr || inst_count->size() != kInstCounts || autophase == nullptr ||
      autophase->size() != kAutophaseCounts || number == nullptr) {
    return fail(ErrorCode::unavailable, "a session's reply lacks what was to be observed");
  }
  return Module{program_features(*inst_count, *autophase), static_cast<double>(*number)};
}

Result<void> PassEpisodes::add(const std::string& file) {
  Start made;
  made.session = "p" + std::to_string(programs_.size());
  SessionRequest open = request(made.session, SessionCommand::open);
  open.program = file;
  HONE_TRY(const SessionReply opened, client_.ask(std::move(open)));
  HONE_TRY(made.start, module_of(opened));
  SessionRequest fork = request(made.session, SessionCommand::fork);
  fork.into = "oz";
  HONE_TRY(const SessionReply forked, client_.ask(std::move(fork)));
  HONE_TRY(const SessionReply stepped, ask("oz", SessionCommand::step, {kCompilersOwn}));
  if (stepped.outcome == StepOutcome::ok) {
    HONE_TRY(const Module optimised, module_of(stepped));
    made.oz = optimised.cost;
  }
  HONE_TRY(const SessionReply closed, client_.ask(request("oz", SessionCommand::close)));
  if (!(made.oz > 0) || !(made.start.cost > 0)) {
    HONE_TRY(const SessionReply gone, client_.ask(request(made.session, SessionCommand::close)));
    return fail(ErrorCode::unsupported,
                file + ": the compiler's own pipeline " +
                    (stepped.outcome == StepOutcome::ok ? "leaves nothing to be counted"
                                                        : "fails: " + stepped.reason));
  }
  programs_.push_back(std::move(made));
  return {};
}

Sequence PassEpisodes::sequence(const std::vector<std::size_t>& actions) const {
  Sequence made;
  for (const std::size_t action : actions) {
    if (action < settings_.actions.size()) {
      made.push_back(settings_.actions[action]);
    }
  }
  return made;
}

Result<std::map<std::int64_t, SessionReply>> PassEpisodes::receive(std::size_t count) {
  std::map<std::int64_t, SessionReply> replies;
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(SessionReply reply, client_.receive());
    if (reply.error) {
      return *reply.error;
    }
    const std::int64_t id = reply.id;
    replies.emplace(id, std::move(reply));
  }
  return replies;
}

Result<void> PassEpisodes::end_all() {
  for (const Running& running : running_) {
    HONE_TRY(const std::int64_t id, client_.send(request(running.session, SessionCommand::close)));
    (void)id;
  }
  HONE_TRY(const auto replies, receive(running_.size()));
  running_.clear();
  return {};
}

void PassEpisodes::mask(const SessionReply& reply, Running& running) const {
  running.allowed.assign(actions(), 1);
  for (const auto& [pipeline, reason] : reply.masked) {
    if (const auto found = number_.find(pipeline); found != number_.end()) {
      running.allowed[found->second] = 0;
    }
  }
}

Situation PassEpisodes::seen(const Running& running, double reward) const {
  Situation situation;
  situation.reward = reward;
  situation.done = running.done;
  if (running.done) {
    return situation;
  }
  const Start& start = programs_[running.program];
  situation.observation = running.now.features;
  situation.observation.push_back(log_ratio(running.now.cost, start.oz));
  situation.observation.push_back(log_ratio(running.now.cost, start.start.cost));
  situation.observation.push_back(static_cast<double>(running.steps) /
                                  static_cast<double>(settings_.length));
  situation.observation.insert(situation.observation.end(), running.taken.begin(),
                               running.taken.end());
  situation.allowed = running.allowed;
  return situation;
}

Result<std::vector<Situation>> PassEpisodes::begin(std::span<const std::size_t> programs) {
  HONE_CHECK(end_all());
  std::vector<std::int64_t> ids;
  for (const std::size_t program : programs) {
    Running running;
    running.program = program;
    running.session = "e" + std::to_string(begun_++);
    running.now = programs_[program].start;
    running.taken.assign(actions(), 0);
    SessionRequest fork = request(programs_[program].session, SessionCommand::fork);
    fork.observe.clear();
    fork.into = running.session;
    HONE_TRY(const std::int64_t id, client_.send(std::move(fork)));
    ids.push_back(id);
    running_.push_back(std::move(running));
  }
  HONE_TRY(const auto replies, receive(ids.size()));
  std::vector<Situation> situations;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    mask(replies.at(ids[i]), running_[i]);
    situations.push_back(seen(running_[i], 0));
  }
  return situations;
}

Result<std::vector<Situation>> PassEpisodes::step(std::span<const std::size_t> actions) {
  std::map<std::int64_t, std::size_t> asked;
  std::vector<double> rewards(running_.size(), 0.0);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Running& running = running_[i];
    if (running.done) {
      continue;
    }
    ++running.steps;
    running.done = actions[i] == settings_.actions.size() || running.steps == settings_.length;
    for (double& taken : running.taken) {
      taken *= kFading;
    }
    running.taken[actions[i]] += 1;
    if (actions[i] == settings_.actions.size()) {
      continue;
    }
    SessionRequest step = request(running.session, SessionCommand::step);
    step.pipelines = {settings_.actions[actions[i]]};
    HONE_TRY(const std::int64_t id, client_.send(std::move(step)));
    asked[id] = i;
  }
  HONE_TRY(const auto replies, receive(asked.size()));
  for (const auto& [id, i] : asked) {
    Running& running = running_[i];
    const SessionReply& reply = replies.at(id);
    // A pipeline that failed left the module as it was, and is masked from now on.
    if (reply.outcome == StepOutcome::ok) {
      HONE_TRY(Module now, module_of(reply));
      rewards[i] = log_ratio(running.now.cost, now.cost);
      running.now = std::move(now);
    }
    mask(reply, running);
  }
  std::vector<Situation> situations;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    situations.push_back(seen(running_[i], rewards[i]));
  }
  return situations;
}

}  // namespace hone
